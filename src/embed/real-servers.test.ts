import { once } from 'node:events';
import { createServer } from 'node:net';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startModelServer } from '../../test/embedding/start-model-server.ts';
import type { Embedder } from './embedder.ts';
import { type EmbeddingConfig, openEmbedder } from './registry.ts';

const TEXTS = Array.from({ length: 150 }, (_, i) => `Note ${String(i)}: ${'the oven moves, '.repeat(i % 7)}`);

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
const SETTINGS = {
  ollama: (origin: string) => ({ ...MODEL, provider: 'ollama', url: origin }),
  openai: (origin: string) => ({ ...MODEL, provider: 'openai-compatible', url: `${origin}/v1` }),
};

describe.each(['ollama', 'openai'] as const)('a process that serves the bundled model like %s', (kind) => {
  it('gives the vectors of the bundled model', async () => {
    const { origin } = await startModelServer(kind);
    const embedder = await open(SETTINGS[kind](origin));
    const vectors = await embedder.embed(TEXTS, { purpose: 'passage' });
    const cosines = vectors.map((vector, i) => vector.reduce((sum, x, j) => sum + x * expected[i]![j]!, 0));
    expect(Math.min(...cosines)).toBeGreaterThan(0.99999);
    const [query] = await embedder.embed([TEXTS[6]!], { purpose: 'query', patient: true });
    expect(query!.reduce((sum, x, j) => sum + x * expected[6]![j]!, 0)).toBeGreaterThan(0.99999);
  });

  it('may be killed and started again', async () => {
    const server = await startModelServer(kind);
    const embedder = await open(SETTINGS[kind](server.origin));
    await embedder.embed(TEXTS.slice(0, 2), { purpose: 'passage' });
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
    await startModelServer(kind, port);
    await expect.poll(() => oneQuery().catch(() => null), { timeout: 100_000, interval: 50 }).toHaveLength(1);
  });
});
