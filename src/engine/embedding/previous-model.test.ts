import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openInline, settings, temporaryFolder } from '../../../test/contract/engines.ts';
import {
  letterVectors,
  OLLAMA,
  OPENAI,
  type ProviderServer,
  startProvider,
} from '../../../test/embedding/provider-server.ts';
import { openPreviousModel } from './models.ts';
import type { EngineContext } from '../context.ts';
import { write } from '../records/write.ts';
import { indexVaults } from '../reading/index-vaults.ts';
import { search } from '../records/search.ts';
import { backfill } from './backfill.ts';

const TEXTS = [
  'The oven moves to the other wall.',
  'A tide clock hangs in the school.',
  'Zebulon is the plumber.',
];
const DIMENSIONS: Readonly<Record<string, number>> = { 'nomic-embed-text': 768, 'bge-m3': 1024 };

/** Vectors of words. Only bge-m3 knows that a cooker is an oven. */
function vectorsOf({ model, input }: Readonly<Record<string, unknown>>): number[][] {
  const dimensions = DIMENSIONS[model as string]!;
  return (input as string[]).map((text) => {
    const known = model === 'bge-m3' ? text.replace('cooker', 'oven') : text;
    const vector = Array.from({ length: dimensions }, () => 0.001);
    for (const word of known.toLowerCase().match(/\w{4,}/g) ?? [])
      vector[[...word].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % dimensions, 7)]! += 2;
    return vector;
  });
}

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let server: ProviderServer;
let opened: EngineContext[];
/** The server does not have it. */
let missingModel = '';

async function open(embedding: Readonly<Record<string, unknown>>): Promise<EngineContext> {
  const loci = await openInline(settings(folder.path, { search: { minScore: 0 }, embedding }));
  opened.push(loci);
  return loci;
}

const openWith = (model: string): Promise<EngineContext> =>
  open({ provider: 'ollama', model, url: server.origin });

beforeEach(async () => {
  opened = [];
  folder = await temporaryFolder();
  server = await startProvider({
    format: { ...OLLAMA, answer: (_, body) => OLLAMA.answer(vectorsOf(body), body) },
    embed: () => Promise.resolve([]),
    refuse: ({ body }) =>
      body['model'] === missingModel
        ? { status: 404, body: { error: `model "${missingModel}" not found` } }
        : undefined,
  });
  missingModel = '';
  const loci = await openWith('nomic-embed-text');
  for (const content of TEXTS) await write(loci, { content });
});

afterEach(async () => {
  for (const loci of opened) await loci.close();
  await server[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const NOTICE =
  'searches use the vectors of ollama nomic-embed-text (768 dimensions) until those of ollama bge-m3 (1024 dimensions) are made, ' +
  'by a running server, `loci index` or `loci embed backfill`';

describe('a search during a backfill', () => {
  it('is answered by the previous model, and says so, until all vectors are made', async () => {
    const changed = await openWith('bge-m3');
    expect((await search(changed, { query: 'oven' })).notices).toEqual([NOTICE]);
    missingModel = 'bge-m3';
    await expect(backfill(changed)).rejects.toMatchObject({ code: 'embedding_unavailable' });
    const { provider, missing, notices, results } = await search(changed, { query: 'oven' });
    expect([provider, missing, notices]).toEqual(['ollama/nomic-embed-text', [], [NOTICE]]);
    expect(results[0]!.why).toContain('meaning #');
    expect(server.requests.map(({ body }) => body['model']).at(-1)).toBe('nomic-embed-text');
    missingModel = '';
    expect(await backfill(changed)).toMatchObject({ is_active: true });
    const after = await search(changed, { query: 'oven' });
    expect(after).toMatchObject({ provider: 'ollama/bge-m3', notices: [] });
  });

  it('is answered by words when the settings no longer name the address of the previous model, and says so', async () => {
    const proxied = await startProvider({ format: OPENAI, embed: letterVectors(1536) });
    await using folder = await temporaryFolder();
    const openIn = async (embedding: Readonly<Record<string, unknown>>): Promise<EngineContext> => {
      const loci = await openInline(settings(folder.path, { search: { minScore: 0 }, embedding }));
      opened.push(loci);
      return loci;
    };
    const before = await openIn({
      provider: 'openai',
      url: `${proxied.origin}/v1`,
      apiKey: 'key-of-the-proxy',
    });
    await write(before, { content: TEXTS[0]! });
    await before.close();
    await proxied[Symbol.asyncDispose]();
    const loci = await openIn({ provider: 'ollama', model: 'bge-m3', url: server.origin });
    expect(await write(loci, { content: TEXTS[1]! })).toMatchObject({ embedded: false });
    const { missing, notices, results } = await search(loci, { query: 'oven' });
    expect(results).toHaveLength(1);
    expect(missing).toMatchObject([
      { why: expect.stringContaining('the settings no longer name its address') as string },
    ]);
    expect(notices).toEqual([
      expect.stringMatching(
        /^searches use words alone until those of ollama bge-m3 .* are made, .*: openai text-embedding-3-small .* it is not asked, because the settings no longer name its address$/,
      ),
    ]);
    // `index` makes the new vectors without being asked for it.
    expect(await indexVaults(loci)).toMatchObject({ embedded: 2 });
    const after = await search(loci, { query: TEXTS[1]! });
    expect([after.provider, after.notices, after.results[0]?.snippet]).toEqual([
      'ollama/bge-m3',
      [],
      TEXTS[1],
    ]);
    // The folder is removed at the end of this test, and an open engine may still write to it.
    await loci.close();
  });

  it('asks no server that may answer with another model than the named one', async () => {
    const compatible = { provider: 'openai-compatible', url: server.origin, model: 'a', dimensions: 768 };
    const { embedding } = settings(folder.path, { embedding: compatible });
    const generation = { id: 9, active: true, provider: 'openai-compatible', model: 'b', dimensions: 768 };
    const asked = server.requests.length;
    const model = await openPreviousModel(generation, embedding, {});
    await expect(model.embed(['oven'], { purpose: 'query' })).rejects.toMatchObject({
      code: 'embedding_unavailable',
      message: expect.stringContaining('its provider may answer with another model') as string,
    });
    expect(server.requests).toHaveLength(asked);
  });
});
