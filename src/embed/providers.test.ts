import { describe, expect, it, onTestFinished } from 'vitest';
import {
  GEMINI,
  letterVectors,
  OLLAMA,
  OPENAI,
  type ProviderFormat,
  type ProviderServer,
  startProvider,
  VOYAGE,
} from '../../test/embedding/provider-server.ts';
import type { Embedder } from './embedder.ts';
import { RefusedTextsError } from './embedder.ts';
import type { EmbeddingConfig } from './provider.ts';
import { openEmbedder } from './registry.ts';

const KEY = 'sk-test-0123456789-secret';

interface Case {
  readonly provider: string;
  readonly format: ProviderFormat;
  /** The path of the URL in the settings. */
  readonly path: string;
  readonly settings: Partial<EmbeddingConfig>;
  readonly dimensions: number;
  readonly keyHeader: readonly [string, string];
}

const BEARER = ['authorization', `Bearer ${KEY}`] as const;
const CASES: readonly Case[] = [
  {
    ...{ provider: 'ollama', format: OLLAMA, path: '', keyHeader: BEARER },
    settings: { model: 'all-minilm' },
    dimensions: 384,
  },
  {
    ...{ provider: 'openai', format: OPENAI, path: '/v1', keyHeader: BEARER },
    settings: {},
    dimensions: 1536,
  },
  {
    ...{ provider: 'openai-compatible', format: OPENAI, path: '/v1/', keyHeader: BEARER },
    settings: { model: 'bge-m3' },
    dimensions: 1024,
  },
  {
    ...{ provider: 'voyage', format: VOYAGE, path: '/v1', keyHeader: BEARER },
    settings: {},
    dimensions: 1024,
  },
  {
    ...{ provider: 'gemini', format: GEMINI, path: '/v1beta', keyHeader: ['x-goog-api-key', KEY] },
    settings: {},
    dimensions: 3072,
  },
];

async function open(
  { provider, path, settings }: Pick<Case, 'path' | 'provider' | 'settings'>,
  { origin }: ProviderServer,
  more: Partial<EmbeddingConfig> = {},
): Promise<Embedder> {
  const embedder = await openEmbedder({ provider, apiKey: KEY, url: origin + path, ...settings, ...more });
  onTestFinished(() => embedder!.close());
  return embedder!;
}

async function serve(
  format: ProviderFormat,
  dimensions: number,
  refuse?: Parameters<typeof startProvider>[0]['refuse'],
): Promise<ProviderServer> {
  const server = await startProvider({ format, embed: letterVectors(dimensions), ...(refuse && { refuse }) });
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server;
}

const norm = (vector: Float32Array): number => Math.hypot(...vector);
const dot = (a: Float32Array, b: Float32Array): number =>
  a.reduce((sum, component, i) => sum + component * b[i]!, 0);

async function refusalOf(embedding: Promise<unknown>): Promise<RefusedTextsError> {
  const error: unknown = await embedding.catch((failure: unknown) => failure);
  expect(error).toBeInstanceOf(RefusedTextsError);
  return error as RefusedTextsError;
}

describe.each(CASES)('$provider', (each) => {
  const { format, dimensions, keyHeader } = each;

  it('returns a unit vector for each text, in order, and sends the key in its header', async () => {
    const server = await serve(format, dimensions);
    const embedder = await open(each, server);
    expect(embedder).toMatchObject({ provider: each.provider, dimensions });
    const texts = ['the oven moves', 'a tide clock', 'the oven moves today', ''];
    const vectors = await embedder.embed(texts, { purpose: 'passage' });
    expect(vectors.map(({ length }) => length)).toEqual(texts.map(() => dimensions));
    for (const vector of vectors) expect(norm(vector)).toBeCloseTo(1, 5);
    const [oven, clock, ovenToday] = vectors as [Float32Array, Float32Array, Float32Array];
    expect(dot(oven, ovenToday)).toBeGreaterThan(dot(oven, clock) + 0.3);
    expect(server.requests[0]?.headers[keyHeader[0]]).toBe(keyHeader[1]);
    expect(server.requests[0]?.texts.every((text) => text !== '')).toBe(true);
    expect(await embedder.embed([], { purpose: 'passage' })).toEqual([]);
  });

  it('divides texts into batches that are no larger than the settings say', async () => {
    const server = await serve(format, dimensions);
    const embedder = await open(each, server, { batchSize: 3, batchTokens: 60 });
    const texts = Array.from({ length: 20 }, (_, i) => `note ${String(i)} ${'oven '.repeat((i * 7) % 40)}`);
    const vectors = await embedder.embed(texts, { purpose: 'passage' });
    expect(vectors).toHaveLength(20);
    expect(server.requests.flatMap((request) => request.texts).length).toBeGreaterThanOrEqual(20);
    for (const request of server.requests) expect(request.texts.length).toBeLessThanOrEqual(3);
    const [again] = await embedder.embed([texts[13]!], { purpose: 'passage' });
    expect(again).toEqual(vectors[13]);
  });

  it('sends a batch that is refused as too large in halves, and the others once', async () => {
    const server = await serve(format, dimensions, ({ texts }) =>
      texts.length > 2 ? format.tooMany : undefined,
    );
    const embedder = await open(each, server);
    const texts = Array.from({ length: 7 }, (_, i) => `note number ${String(i)} x${String(i)}`);
    const vectors = await embedder.embed(texts, { purpose: 'passage' });
    const alone = await Promise.all(texts.map((text) => embedder.embed([text], { purpose: 'passage' })));
    expect(vectors).toEqual(alone.flat());
    expect(
      server.requests
        .map((request) => request.texts.length)
        .slice(0, 7)
        .toSorted(),
    ).toEqual([1, 2, 2, 2, 3, 4, 7]);
  });

  it('embeds a text that is longer than the model reads in parts, whose words all count', async () => {
    const server = await serve(format, dimensions, ({ texts }) =>
      texts.some((text) => text.length > 300) ? format.tooLong : undefined,
    );
    const embedder = await open(each, server);
    const text = `${'oven '.repeat(100)}${'clock '.repeat(100)}`;
    const [vector, oven, clock] = (
      await Promise.all([text, 'oven', 'clock'].map((one) => embedder.embed([one], { purpose: 'passage' })))
    ).flat() as [Float32Array, Float32Array, Float32Array];
    expect(dot(vector, oven)).toBeGreaterThan(0.5);
    expect(dot(vector, clock)).toBeGreaterThan(0.5);
    const sent = server.requests.flatMap((request) => request.texts).filter(({ length }) => length <= 300);
    expect(sent.join('').match(/oven/g)!.length).toBeGreaterThanOrEqual(100);
    expect(sent.join('').match(/clock/g)!.length).toBeGreaterThanOrEqual(100);
  });

  it('repeats a request after a rate limit, a fault of the server and a broken connection', async () => {
    const server = await serve(format, dimensions);
    server.faults.push(format.rateLimited, { status: 500 }, 'reset');
    const embedder = await open(each, server);
    expect(await embedder.embed(['oven'], { purpose: 'passage' })).toHaveLength(1);
    expect(server.requests.length).toBeGreaterThanOrEqual(4);
  });

  it('does not repeat a request with a wrong key, and never shows the key', async () => {
    const server = await serve(format, dimensions);
    const badHeader = { status: 400, body: { error: { message: `bad header Bearer ${KEY}` } } };
    server.faults.push(format.badKey, badHeader, badHeader);
    const embedder = await open(each, server, { quotesProvider: true });
    const refused = embedder.embed(['oven'], { purpose: 'passage' });
    await expect(refused).rejects.toMatchObject({
      code: 'embedding_unavailable',
      message: `${server.origin} does not accept the API key (HTTP 401)`,
      hint: expect.stringMatching(
        /^Correct the key in (LOCI_EMBEDDING_API_KEY|\w+_KEY), and try it/,
      ) as string,
    });
    expect(server.requests).toHaveLength(1);
    const error: unknown = await embedder
      .embed(['oven'], { purpose: 'passage' })
      .catch((failure: unknown) => failure);
    expect(error).toMatchObject({ message: expect.stringContaining('bad header Bearer ********') as string });
    expect(JSON.stringify([error, (error as Error).cause, (error as Error).stack])).not.toContain(KEY);
  });

  it('refuses vectors of another length, too few, and components that are no numbers', async () => {
    const wrong: (readonly [unknown, RegExp])[] = [
      [[[1, 2, 3]], /returned a vector of 3 dimensions, not/],
      [[], /returned 0 vectors for 1 texts/],
      [[Array.from({ length: dimensions }, () => null)], /no finite number/],
      [[Array(dimensions).fill(0)], /is zero/],
    ];
    let answer: unknown;
    const server = await startProvider({ format, embed: () => Promise.resolve(answer as number[][]) });
    onTestFinished(() => server[Symbol.asyncDispose]());
    const embedder = await open(
      each,
      server,
      each.provider === 'openai' ? { provider: 'openai-compatible', model: 'text-embedding-3-small' } : {},
    );
    for (const [wrongAnswer, message] of wrong) {
      answer = wrongAnswer;
      await expect(embedder.embed(['oven'], { purpose: 'passage' })).rejects.toThrow(message);
    }
  });

  it('refuses vectors whose indexes are repeated, out of range, or of no text', async () => {
    let indexes: readonly number[] = [];
    const withIndexes = (
      vectors: readonly (readonly number[])[],
      body: Readonly<Record<string, unknown>>,
    ): unknown => {
      const answer = format.answer(vectors, body) as { readonly data?: readonly object[] };
      return { ...answer, data: answer.data?.map((entry, i) => ({ ...entry, index: indexes[i] ?? i })) };
    };
    const server = await startProvider({
      format: { ...format, answer: withIndexes },
      embed: letterVectors(dimensions),
    });
    onTestFinished(() => server[Symbol.asyncDispose]());
    const embedder = await open(each, server);
    const texts = ['oven', 'clock', 'plumber', 'garden'];
    const hasIndexes = format === OPENAI || format === VOYAGE;
    for (indexes of [
      [5, 0, 5, 0],
      [0, 1, 2, 4],
      [-1, 0, 1, 2],
      [0, 1, 1, 3],
    ]) {
      const vectors = embedder.embed(texts, { purpose: 'passage' });
      if (hasIndexes) await expect(vectors).rejects.toThrow('not that of each text once');
      else expect(await vectors).toHaveLength(4);
    }
    indexes = [3, 2, 1, 0];
    const reversed = await embedder.embed(texts, { purpose: 'passage' });
    indexes = [0, 1, 2, 3];
    const straight = await embedder.embed(texts, { purpose: 'passage' });
    expect(reversed).toEqual(hasIndexes ? straight.toReversed() : straight);
  });

  it('embeds the texts of a batch except for one that is refused, and is not down because of it', async () => {
    const server = await serve(format, dimensions, ({ texts }) =>
      texts.some((text) => text.includes('forbidden'))
        ? { status: 400, body: { error: { message: 'content filter: "the forbidden clock of the tower"' } } }
        : undefined,
    );
    const embedder = await open(each, server);
    const texts = ['the oven moves', 'the forbidden clock of the tower', 'a tide clock', 'the plumber'];
    const error = await refusalOf(embedder.embed(texts, { purpose: 'passage' }));
    expect(error.results[1]).toBe(`${server.origin} answers HTTP 400`);
    const others = texts.filter((_, i) => i !== 1);
    const vectors = await embedder.embed(others, { purpose: 'passage', brief: true });
    expect(error.results.filter((result) => typeof result !== 'string')).toEqual(vectors);
  });

  it('stops when its signal fires, and serves the next call', async () => {
    const server = await serve(format, dimensions);
    server.faults.push('hang');
    const embedder = await open(each, server);
    const stop = new AbortController();
    const stopped = embedder.embed(['oven'], { purpose: 'passage', signal: stop.signal });
    await expect.poll(() => server.requests.length).toBe(1);
    stop.abort();
    await expect(stopped).rejects.toMatchObject({ code: 'aborted' });
    await expect(embedder.embed(['a'], { purpose: 'passage', signal: stop.signal })).rejects.toMatchObject({
      code: 'aborted',
    });
    expect(await embedder.embed(['clock'], { purpose: 'passage' })).toHaveLength(1);
  });
});

describe('what a request has', () => {
  const bodyOf = async (index: number, purpose: 'passage' | 'query', more: Partial<EmbeddingConfig> = {}) => {
    const each = CASES[index]!;
    const server = await serve(each.format, more.dimensions ?? each.dimensions);
    const embedder = await open(each, server, more);
    await embedder.embed(['oven'], { purpose: 'passage' });
    const before = server.requests.length;
    await embedder.embed(['oven'], { purpose });
    return server.requests[before]!.body;
  };

  it('never lets Ollama or Voyage truncate', async () => {
    expect(await bodyOf(0, 'passage')).toEqual({ model: 'all-minilm', input: ['oven'], truncate: false });
    expect(await bodyOf(3, 'passage')).toEqual({
      ...{ model: 'voyage-3.5', input: ['oven'], input_type: 'document', truncation: false },
    });
  });

  it('tells queries from passages: by input type, by task type, or by prefix', async () => {
    expect(await bodyOf(3, 'query')).toMatchObject({ input_type: 'query' });
    expect(await bodyOf(4, 'passage')).toMatchObject({
      requests: [{ model: 'models/gemini-embedding-001', taskType: 'RETRIEVAL_DOCUMENT' }],
    });
    expect(await bodyOf(4, 'query')).toMatchObject({ requests: [{ taskType: 'RETRIEVAL_QUERY' }] });
    const nomic = { model: 'nomic-embed-text:v1.5', dimensions: 768 };
    expect(await bodyOf(0, 'query', nomic)).toMatchObject({ input: ['search_query: oven'] });
    expect(await bodyOf(0, 'passage', nomic)).toMatchObject({ input: ['search_document: oven'] });
    const own = { ...nomic, queryPrefix: '', passagePrefix: 'note: ' };
    expect(await bodyOf(0, 'query', own)).toMatchObject({ input: ['oven'] });
    expect(await bodyOf(0, 'passage', own)).toMatchObject({ input: ['note: oven'] });
  });

  it('asks for fewer dimensions only if the model can shorten its vectors', async () => {
    expect(await bodyOf(1, 'passage')).toEqual({
      ...{ model: 'text-embedding-3-small', input: ['oven'], encoding_format: 'base64' },
    });
    expect(await bodyOf(1, 'passage', { dimensions: 512 })).toMatchObject({ dimensions: 512 });
    expect(await bodyOf(3, 'passage', { dimensions: 256 })).toMatchObject({ output_dimension: 256 });
    expect(await bodyOf(4, 'passage', { dimensions: 768 })).toMatchObject({
      requests: [{ outputDimensionality: 768 }],
    });
    expect(await bodyOf(2, 'passage', { dimensions: 7 })).not.toHaveProperty('dimensions');
  });
});
