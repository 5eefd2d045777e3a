import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { folderForEach, openInline, settings } from '../../../test/contract/engines.ts';
import { JINA_RERANK, type RerankServer, startReranker } from '../../../test/embedding/rerank-server.ts';
import type { EngineContext } from '../context.ts';
import { write } from './write.ts';
import { search } from './search.ts';

/** The last has fewer of the query's rare words, and all of them by the reranker's measure. */
const TEXTS = [
  'The oven, the oven and again the oven: everything about it, in many words that say little else.',
  'An oven.',
];

const folder = folderForEach();
let server: RerankServer;
let opened: EngineContext[];

beforeEach(async () => {
  opened = [];
  server = await startReranker(JINA_RERANK);
  const loci = await open('none');
  for (const content of TEXTS) await write(loci, { content });
});

afterEach(async () => {
  for (const loci of opened) await loci.close();
  await server[Symbol.asyncDispose]();
});

async function open(provider: string, deadline = '5s'): Promise<EngineContext> {
  const rerank = { provider, url: `${server.origin}/v1`, deadline };
  const loci = await openInline(settings(folder.path, { search: { minScore: 0 }, rerank }));
  opened.push(loci);
  return loci;
}

const found = async (loci: EngineContext): Promise<readonly [number[], readonly string[]]> => {
  const { results, notices } = await search(loci, { query: 'oven' });
  return [results.map(({ id }) => id), notices];
};

describe('a search with a reranker', () => {
  it('has the order of the reranker, and sends it the query and the texts of the results', async () => {
    const [before] = await found(opened[0]!);
    expect(before).toHaveLength(2);
    expect(server.requests).toEqual([]);
    const [after, notices] = await found(await open('server'));
    expect([after, notices]).toEqual([[2, 1], []]);
    const { query, documents } = server.requests[0]!.body;
    expect(query).toBe('oven');
    expect(documents).toHaveLength(2);
    expect((documents as string[]).find((text) => text.endsWith(TEXTS[1]!))).toBeDefined();
  });

  it('keeps its order when the settings lack what the reranker needs, and says what', async () => {
    const [before] = await found(opened[0]!);
    const [after, notices] = await found(await open('cohere'));
    expect(after).toEqual(before);
    expect(notices).toEqual([expect.stringMatching(/^ranked without the reranker cohere: .*API key/)]);
    expect(server.requests).toEqual([]);
  });

  it('keeps its order when the reranker is late, and says so', async () => {
    const [before] = await found(opened[0]!);
    server.faults.push('hang');
    const [after, notices] = await found(await open('server', '50ms'));
    expect(after).toEqual(before);
    expect(notices).toEqual([
      `ranked without the reranker server: ${server.origin} did not answer within 50 ms`,
    ]);
  });
});
