import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openInline, settings, temporaryFolder } from '../../../test/contract/engines.ts';
import {
  letterVectors,
  OLLAMA,
  OPENAI,
  type ProviderServer,
  startProvider,
} from '../../../test/embedding/provider-server.ts';
import { openPreviousModel } from './previous-model.ts';
import type { EngineContext } from '../context.ts';
import { write } from '../records/write.ts';
import { indexVaults } from '../reading/index-vaults.ts';
import { search } from '../records/search.ts';
import { backfill } from './backfill.ts';
import { switchGeneration } from './switch.ts';

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
  });
  const loci = await openWith('nomic-embed-text');
  for (const content of TEXTS) await write(loci, { content });
});

afterEach(async () => {
  for (const loci of opened) await loci.close();
  await server[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

describe('a search during a backfill', () => {
  it('is answered by the previous model, and says so', async () => {
    const changed = await openWith('bge-m3');
    expect((await search(changed, { query: 'oven' })).notices).toEqual([
      expect.stringContaining('until `loci embed backfill` and `loci embed switch`'),
    ]);
    await backfill(changed);
    const { provider, missing, notices, results } = await search(changed, { query: 'oven' });
    expect([provider, missing]).toEqual(['ollama/nomic-embed-text', []]);
    expect(results[0]!.why).toContain('meaning #');
    expect(notices).toEqual([
      'searches use the vectors of ollama nomic-embed-text (768 dimensions) until ' +
        '`loci embed switch`; ollama bge-m3 (1024 dimensions) is configured',
    ]);
    const models = server.requests.map(({ body }) => body['model']);
    expect(models.at(-1)).toBe('nomic-embed-text');
    await switchGeneration(changed);
    expect(await search(changed, { query: 'oven' })).toMatchObject({
      provider: 'ollama/bge-m3',
      notices: [],
    });
  });

  it('is answered by words when the previous model cannot be reached, and says so', async () => {
    const changed = await openWith('bge-m3');
    await backfill(changed);
    server.faults.push({ status: 404, body: { error: 'model "nomic-embed-text" not found' } });
    const { missing, notices, results } = await search(changed, { query: 'oven' });
    expect(results[0]!.snippet).toContain('oven');
    expect(missing).toMatchObject([
      { signal: 'vector', why: expect.stringContaining('HTTP 404: it does not know the model') as string },
    ]);
    expect(notices).toHaveLength(1);
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
    expect(await indexVaults(loci)).toMatchObject({ embedded: 0 });
    expect((await search(loci, { query: TEXTS[1]! })).results[0]?.snippet).toBe(TEXTS[1]);
    await backfill(loci);
    const { missing, notices, results } = await search(loci, { query: 'oven' });
    expect(results).toHaveLength(1);
    expect(missing).toMatchObject([
      { why: expect.stringContaining('the settings no longer name its address') as string },
    ]);
    expect(notices).toEqual([
      'searches use words alone until `loci embed switch`: openai text-embedding-3-small (1536 dimensions) made the vectors, and it is ' +
        'not asked, because the settings no longer name its address; ollama bge-m3 (1024 dimensions) is configured',
    ]);
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
