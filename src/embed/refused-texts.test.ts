import { describe, expect, it, onTestFinished } from 'vitest';
import {
  type Fault,
  letterVectors,
  OPENAI,
  type ProviderServer,
  startProvider,
} from '../../test/embedding/provider-server.ts';
import type { Embedder } from './embedder.ts';
import { RefusedTextsError } from './embedder.ts';
import { openEmbedder } from './registry.ts';

const DIMENSIONS = 64;
const CONTROL_TEXT = 'loci';
const REFUSED: Fault = { status: 400, body: { error: { message: 'content filter' } } };

interface Behaviour {
  readonly refuse?: (texts: readonly string[]) => Fault | undefined;
  /** The vector of a text, if it is not a usual one. */
  readonly vectorOf?: (text: string) => readonly (number | null)[] | undefined;
}

async function open({ refuse = () => undefined, vectorOf = () => undefined }: Behaviour): Promise<{
  readonly server: ProviderServer;
  readonly embedder: Embedder;
}> {
  const usual = letterVectors(DIMENSIONS);
  const server = await startProvider({
    format: OPENAI,
    refuse: ({ texts }) => refuse(texts),
    embed: async (texts, purpose) => {
      const vectors = await usual(texts, purpose);
      return texts.map((text, i) => (vectorOf(text) as readonly number[] | undefined) ?? vectors[i]!);
    },
  });
  onTestFinished(() => server[Symbol.asyncDispose]());
  const embedder = await openEmbedder({
    ...{ provider: 'openai-compatible', model: 'test', dimensions: DIMENSIONS, concurrency: 1 },
    url: `${server.origin}/v1`,
  });
  onTestFinished(() => embedder!.close());
  return { server, embedder: embedder! };
}

const refuseAny =
  (isBad: (text: string) => boolean, fault = REFUSED): ((texts: readonly string[]) => Fault | undefined) =>
  (texts) =>
    texts.some(isBad) ? fault : undefined;

const isBad = (text: string): boolean => text.includes('bad');
const TEXTS = Array.from({ length: 30 }, (_, i) => `note x${String(i)}${i === 7 || i === 19 ? ' bad' : ''}`);

/** The indexes of the texts that are refused, and why. */
async function refusalsOf(
  embedder: Embedder,
  texts: readonly string[] = TEXTS,
): Promise<(readonly [number, string])[]> {
  const error: unknown = await embedder
    .embed(texts, { purpose: 'passage' })
    .catch((failure: unknown) => failure);
  if (!(error instanceof RefusedTextsError)) throw error as Error;
  return error.results.flatMap((result, i) => (typeof result === 'string' ? [[i, result] as const] : []));
}

describe('a text that the provider refuses', () => {
  it.each<readonly [string, Behaviour, RegExp]>([
    ['HTTP 400', { refuse: refuseAny(isBad) }, /answers HTTP 400$/],
    ['HTTP 413', { refuse: refuseAny(isBad, { status: 413 }) }, /refuses the size of the request$/],
    ['HTTP 422', { refuse: refuseAny(isBad, { status: 422 }) }, /answers HTTP 422$/],
    ['HTTP 500', { refuse: refuseAny(isBad, { status: 500 }) }, /answers HTTP 500$/],
    [
      'a vector of NaN',
      { vectorOf: (text) => (isBad(text) ? Array<null>(DIMENSIONS).fill(null) : undefined) },
      /no finite number$/,
    ],
    ['an empty vector', { vectorOf: (text) => (isBad(text) ? [] : undefined) }, /a vector of 0 dimensions/],
  ])('leaves the others their vectors: %s', async (_, behaviour, why) => {
    const { embedder } = await open(behaviour);
    expect(await refusalsOf(embedder)).toEqual([
      [7, expect.stringMatching(why)],
      [19, expect.stringMatching(why)],
    ]);
  });

  it('is refused twice before it counts, so that a passing fault costs no text its vector', async () => {
    const { server, embedder } = await open({});
    server.faults.push(REFUSED);
    expect(await embedder.embed(['note'], { purpose: 'passage' })).toHaveLength(1);
    expect(server.requests.map(({ texts }) => texts[0]).slice(0, 3)).toEqual(['note', CONTROL_TEXT, 'note']);
  });

  it('is no failure of the provider, whatever asks next', async () => {
    const { embedder } = await open({ refuse: refuseAny(isBad) });
    expect(await refusalsOf(embedder, ['bad'])).toHaveLength(1);
    await expect(embedder.embed(['bad query'], { purpose: 'query' })).rejects.toMatchObject({
      code: 'embedding_unavailable',
    });
    expect(await embedder.embed(['oven'], { purpose: 'passage', brief: true })).toHaveLength(1);
    expect(await embedder.embed(['oven'], { purpose: 'query' })).toHaveLength(1);
  });
});

describe('a provider that refuses everything', () => {
  it.each([400, 413, 422])(
    'is asked for one other text, and fails the call as a whole: HTTP %i',
    async (status) => {
      const { server, embedder } = await open({ refuse: () => ({ status }) });
      await expect(refusalsOf(embedder, ['a', 'b', 'c', 'd'])).rejects.toMatchObject({
        code: 'embedding_unavailable',
      });
      // A request that is too large for the provider is divided first.
      expect(server.requests.length).toBeLessThanOrEqual(status === 413 ? 11 : 2);
      await expect(embedder.embed(['a'], { purpose: 'passage', brief: true })).rejects.toThrow('s ago)');
    },
  );

  it('but the other text is given up after eight texts, unless it has embedded some before', async () => {
    const { server, embedder } = await open({ refuse: refuseAny((text) => text !== CONTROL_TEXT) });
    await expect(refusalsOf(embedder)).rejects.toMatchObject({ code: 'embedding_unavailable' });
    expect(server.requests.filter(({ texts: [text] }) => text !== CONTROL_TEXT).length).toBeLessThan(30);
    const proven = await open({ refuse: refuseAny((text) => text !== CONTROL_TEXT) });
    const error: unknown = await proven.embedder
      .embed(TEXTS, { purpose: 'passage', hasVectors: () => Promise.resolve(true) })
      .catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(RefusedTextsError);
    expect((error as RefusedTextsError).results).toHaveLength(TEXTS.length);
  });

  it.each([401, 403, 404])('is not asked again: HTTP %i', async (status) => {
    const { server, embedder } = await open({ refuse: () => ({ status }) });
    await expect(refusalsOf(embedder)).rejects.toMatchObject({ code: 'embedding_unavailable' });
    expect(server.requests).toHaveLength(1);
  });
});
