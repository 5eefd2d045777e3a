import { describe, expect, it, onTestFinished } from 'vitest';
import { settings, temporaryFolder } from '../../../test/contract/engines.ts';
import {
  type Fault,
  letterVectors,
  OPENAI,
  type ProviderServer,
  startProvider,
} from '../../../test/embedding/provider-server.ts';
import type { Config } from '../../config/schema.ts';
import { type EmbedTestOutput, testEmbedder } from './test-embedder.ts';

type Embed = Parameters<typeof startProvider>[0]['embed'];

async function serve(embed: Embed = letterVectors(12)): Promise<ProviderServer> {
  const server = await startProvider({ format: OPENAI, embed });
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server;
}

async function tested(
  { origin }: ProviderServer,
  onProgress: (subject: string) => void = () => undefined,
): Promise<EmbedTestOutput> {
  await using folder = await temporaryFolder();
  const embedding = { provider: 'openai-compatible', model: 'own', url: `${origin}/v1` };
  const config: Config = settings(folder.path, { embedding });
  return await testEmbedder(config, { onProgress: ({ subject }) => onProgress(subject) });
}

describe('a test of the embedding provider', () => {
  it.each<[string, Fault]>([
    ['HTTP 500', { status: 500, body: { error: { message: 'broken' } } }],
    ['HTTP 429', { status: 429, headers: { 'retry-after': '0' } }],
    ['the connection', 'reset'],
  ])('sends a request that fails twice at most, and says so meanwhile: %s', async (what, fault) => {
    const server = await serve();
    server.faults.push(...Array.from({ length: 4 }, () => fault));
    const subjects = new Set<string>();
    await expect(tested(server, (subject) => void subjects.add(subject))).rejects.toMatchObject({
      code: 'embedding_unavailable',
      hint: expect.stringContaining('`embedding.timeout`') as string,
    });
    expect(server.requests).toHaveLength(2);
    const shown = what === 'the connection' ? 'cannot be reached' : what;
    expect([...subjects]).toEqual([
      'openai-compatible own',
      expect.stringMatching(`^openai-compatible own, second try: ${server.origin}.*${shown}`) as string,
    ]);
  });

  it('waits for a query that takes longer than a search would wait, and tells what it waits for', async () => {
    const vectors = letterVectors(12);
    const told: (() => void)[] = [];
    let reports = 0;
    let hasWaited = false;
    const server = await serve(async (texts, purpose) => {
      // The answer to this query comes after the next report.
      if (!hasWaited && texts[0]?.startsWith('When does') === true) {
        hasWaited = true;
        await new Promise<void>((resolve) => void told.push(resolve));
      }
      return vectors(texts, purpose);
    });
    const result = await tested(server, () => {
      reports += 1;
      for (const tell of told.splice(0)) tell();
    });
    expect(result.dimensions).toBe(12);
    expect(reports).toBeGreaterThan(1);
  });
});
