import { once } from 'node:events';
import { createServer } from 'node:net';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { startModelServer } from '../../test/embedding/start-model-server.ts';
import type { Embedder } from './embedder.ts';
import type { EmbeddingConfig } from './provider.ts';
import { openEmbedder } from './registry.ts';

const TEXTS = Array.from({ length: 20 }, (_, i) => `Note ${String(i)}: ${'the oven moves, '.repeat(i % 7)}`);

let expected: Float32Array[];

beforeAll(async () => {
  const local = await openEmbedder({ provider: 'local' });
  expected = await local!.embed(TEXTS, { purpose: 'passage' });
  await local!.close();
});

async function open(settings: EmbeddingConfig): Promise<Embedder> {
  const embedder = await openEmbedder(settings);
  onTestFinished(() => embedder!.close());
  return embedder!;
}

const MODEL = { model: 'all-minilm' };

const cosine = (a: Float32Array, b: Float32Array): number => a.reduce((sum, x, j) => sum + x * b[j]!, 0);

async function expectVectorsOfModel(embedder: Embedder): Promise<void> {
  const vectors = await embedder.embed(TEXTS, { purpose: 'passage' });
  expect(Math.min(...vectors.map((vector, i) => cosine(vector, expected[i]!)))).toBeGreaterThan(0.99999);
  const [query] = await embedder.embed([TEXTS[6]!], { purpose: 'query', patient: true });
  expect(cosine(query!, expected[6]!)).toBeGreaterThan(0.99999);
}

it('a process that serves the bundled model like OpenAI gives its vectors', async () => {
  const { origin } = await startModelServer('openai');
  await expectVectorsOfModel(await open({ ...MODEL, provider: 'openai-compatible', url: `${origin}/v1` }));
});

it('a process that serves the bundled model like Ollama gives its vectors, and may be killed and started again', async () => {
  const server = await startModelServer('ollama');
  const embedder = await open({ ...MODEL, provider: 'ollama', url: server.origin });
  await expectVectorsOfModel(embedder);
  server.process.kill('SIGKILL');
  await once(server.process, 'exit');
  const oneQuery = (): Promise<Float32Array[]> => embedder.embed(['oven'], { purpose: 'query' });
  await expect(oneQuery()).rejects.toMatchObject({ code: 'embedding_unavailable' });
  const port = Number(new URL(server.origin).port);
  let connections = 0;
  const dead = createServer((socket) => {
    connections += 1;
    socket.destroy();
  }).listen(port, '127.0.0.1');
  await once(dead, 'listening');
  for (let i = 0; i < 100; i++) await expect(oneQuery()).rejects.toThrow(/cannot be reached/);
  // While the provider counts as down, only retries connect to it, the first one after a second.
  expect(connections).toBeLessThanOrEqual(2);
  dead.close();
  await once(dead, 'close');
  await startModelServer('ollama', port);
  await expect.poll(() => oneQuery().catch(() => null), { timeout: 100_000, interval: 50 }).toHaveLength(1);
});
