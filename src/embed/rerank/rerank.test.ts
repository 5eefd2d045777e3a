import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import {
  COHERE_RERANK,
  JINA_RERANK,
  type RerankFormat,
  type RerankServer,
  startReranker,
  TEI_RERANK,
  VOYAGE_RERANK,
} from '../../../test/embedding/rerank-server.ts';
import { rerank as schema } from '../../config/embedding-schema.ts';
import { openReranker } from './registry.ts';
import type { Reranker } from './reranker.ts';

let opened: Reranker[] = [];

afterEach(async () => {
  for (const reranker of opened) await reranker.close();
  opened = [];
});

async function open(settings: Readonly<Record<string, unknown>>): Promise<Reranker> {
  const reranker = await openReranker(schema.parse(settings));
  opened.push(reranker!);
  return reranker!;
}

async function serve(format: RerankFormat): Promise<RerankServer> {
  const server = await startReranker(format);
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server;
}

const TEXTS = ['A tide clock hangs in the school.', 'The oven moves to the other wall.', 'The oven.'];
/** The indexes of the texts, best first. */
const order = (scores: readonly number[]): number[] =>
  [...scores.keys()].sort((a, b) => scores[b]! - scores[a]!);

describe('a reranker', () => {
  it.each([
    ['voyage', VOYAGE_RERANK, '/v1', { model: 'rerank-2.5-lite', documents: TEXTS }],
    ['cohere', COHERE_RERANK, '/v2', { model: 'rerank-v3.5', documents: TEXTS }],
    [
      'jina',
      JINA_RERANK,
      '/v1',
      { model: 'jina-reranker-v2-base-multilingual', documents: TEXTS, return_documents: false },
    ],
    ['server', JINA_RERANK, '/v1', { documents: TEXTS }],
  ] as const)(
    'of %s sends the query and the texts with the key, and has scores in their order',
    async (provider, format, path, body) => {
      const server = await serve(format);
      const reranker = await open({ provider, url: server.origin + path, apiKey: 'key-of-the-test' });
      expect(order(await reranker.rerank('oven', TEXTS))).toEqual([2, 1, 0]);
      expect(server.requests[0]!.body).toEqual({ query: 'oven', ...body });
      expect(server.requests[0]!.headers.authorization).toBe('Bearer key-of-the-test');
      expect(reranker.origin).toBe(server.origin);
    },
  );

  it('of TEI is recognised by its refusal, once', async () => {
    const server = await serve(TEI_RERANK);
    const reranker = await open({ provider: 'server', url: server.origin, deadline: '5s' });
    expect(order(await reranker.rerank('oven', TEXTS))).toEqual([2, 1, 0]);
    expect(order(await reranker.rerank('clock', TEXTS))).toEqual([0, 1, 2]);
    expect(server.requests.map(({ body }) => Object.keys(body))).toEqual([
      ['query', 'documents'],
      ['query', 'texts'],
      ['query', 'texts'],
    ]);
  });

  it('that does not answer fails after the deadline, and then at once', async () => {
    const server = await serve(JINA_RERANK);
    server.faults.push('hang');
    const reranker = await open({ provider: 'server', url: `${server.origin}/v1`, deadline: '50ms' });
    await expect(reranker.rerank('oven', TEXTS)).rejects.toMatchObject({
      code: 'embedding_unavailable',
      message: expect.stringContaining('did not answer within 50 ms') as string,
    });
    await expect(reranker.rerank('oven', TEXTS)).rejects.toMatchObject({ code: 'embedding_unavailable' });
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    ['too few scores', { status: 200, body: { results: [{ index: 0, relevance_score: 1 }] } }],
    ['no scores', { status: 200, body: {} }],
    [
      'a text twice',
      { status: 200, body: { results: [0, 0, 1].map((index) => ({ index, relevance_score: 1 })) } },
    ],
    ['a fault', { status: 500, body: { error: 'no' } }],
  ])('that answers with %s is as one that is down', async (_, fault) => {
    const server = await serve(JINA_RERANK);
    server.faults.push(fault);
    const reranker = await open({ provider: 'server', url: `${server.origin}/v1` });
    await expect(reranker.rerank('oven', TEXTS)).rejects.toMatchObject({ code: 'embedding_unavailable' });
  });

  it('that answers with more than scores is as one that is down, after what is allowed', async () => {
    const server = await serve(JINA_RERANK);
    const results = Array.from(TEXTS, (_, index) => ({
      index,
      relevance_score: 1,
      note: 'x'.repeat(20_000_000),
    }));
    server.faults.push({ status: 200, body: { results } });
    const reranker = await open({ provider: 'server', url: `${server.origin}/v1`, deadline: '5s' });
    await expect(reranker.rerank('oven', TEXTS)).rejects.toMatchObject({
      code: 'embedding_unavailable',
      message: `the answer of ${server.origin} has more than 1001 kB, which nothing asked for`,
    });
  });

  it('that returns the texts with the scores, as vLLM does, is read', async () => {
    const server = await serve(JINA_RERANK);
    const texts = TEXTS.map((text) => text + ' of the kitchen'.repeat(50_000));
    const results = texts.map((text, index) => ({ index, relevance_score: index, document: { text } }));
    server.faults.push({ status: 200, body: { results } });
    const reranker = await open({ provider: 'server', url: `${server.origin}/v1`, deadline: '5s' });
    expect(await reranker.rerank('oven', texts)).toEqual([0, 1, 2]);
  });

  it('that does not finish its answer fails after the deadline', async () => {
    const server = await serve(JINA_RERANK);
    server.faults.push('stall');
    const reranker = await open({ provider: 'server', url: `${server.origin}/v1`, deadline: '50ms' });
    await expect(reranker.rerank('oven', TEXTS)).rejects.toThrow('did not answer within 50 ms');
  });

  it('needs an address or a key, and names the setting', async () => {
    await expect(open({ provider: 'server' })).rejects.toThrow('rerank.url is missing');
    await expect(open({ provider: 'jina', apiKey: 'env:LOCI_NO_SUCH_VARIABLE' })).rejects.toThrow(
      'the variable LOCI_NO_SUCH_VARIABLE, which rerank.apiKey names, is not set',
    );
    expect(await openReranker(schema.parse({}))).toBeNull();
  });
});
