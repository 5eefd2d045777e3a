import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { folderForEach, openInline, settings, writeNotes } from '../../../test/contract/engines.ts';
import {
  type Fault,
  letterVectors,
  OLLAMA,
  type ProviderServer,
  startProvider,
} from '../../../test/embedding/provider-server.ts';
import type { EngineContext } from '../context.ts';
import { indexVaults } from '../reading/index-vaults.ts';
import { backfill } from './backfill.ts';
import { search } from '../records/search.ts';
import { reindex } from '../health/reindex.ts';
import { doctor } from '../health/doctor.ts';
import { write } from '../records/write.ts';
import { storeStatus } from '../health/status.ts';

const NOTES = 200;
const MODEL = { provider: 'ollama', model: 'all-minilm' };
const REFUSED: Fault = { status: 400, body: { error: 'content filter' } };

const folder = folderForEach();
let server: ProviderServer;
let opened: EngineContext[];
/** Whether the provider refuses a text, and how. */
let isBad: (text: string) => boolean;
let fault: Fault;
/** A vector that is not usual; the text is then not refused. */
let badVector: readonly unknown[] | null;

beforeEach(async () => {
  opened = [];
  isBad = (text) => text.includes('bad');
  fault = REFUSED;
  badVector = null;
  const usual = letterVectors(384);
  server = await startProvider({
    format: OLLAMA,
    refuse: ({ texts }) => (badVector === null && texts.some(isBad) ? fault : undefined),
    embed: async (texts, purpose) => {
      const vectors = await usual(texts, purpose);
      const bad = badVector as readonly number[] | null;
      return texts.map((text, i) => (bad !== null && isBad(text) ? bad : vectors[i]!));
    },
  });
});

afterEach(async () => {
  for (const loci of opened) await loci.close();
  await server[Symbol.asyncDispose]();
});

async function open(embedding: Readonly<Record<string, unknown>> = MODEL): Promise<EngineContext> {
  const address = embedding['provider'] === 'ollama' ? { url: server.origin } : {};
  const vaults = [{ name: 'notes', path: join(folder.path, 'notes') }];
  const loci = await openInline(
    settings(folder.path, { vaults, search: { minScore: 0 }, embedding: { ...embedding, ...address } }),
  );
  opened.push(loci);
  return loci;
}

/** A store of notes without vectors, of which those with these numbers are refused. */
async function prepare(...bad: readonly number[]): Promise<EngineContext> {
  const notes = Array.from({ length: NOTES }, (_, i): [string, string] => [
    `Note ${String(i)}.md`,
    `The number of this note is x${String(i)}${bad.includes(i) ? ' and bad' : ''}.`,
  ]);
  await writeNotes(join(folder.path, 'notes'), Object.fromEntries(notes));
  const loci = await open({ provider: 'none' });
  await indexVaults(loci, { vaults: [{ name: 'notes', path: join(folder.path, 'notes') }] });
  await loci.close();
  return open();
}

/** How often the provider received a text alone. */
const sentAlone = (word: string): number =>
  server.requests.filter(({ texts }) => texts.length === 1 && texts[0]!.includes(word)).length;

describe('a backfill with texts that the provider refuses', () => {
  it.each<readonly [string, () => void, RegExp]>([
    ['HTTP 400', () => (fault = REFUSED), /answers HTTP 400$/],
    ['HTTP 500', () => (fault = { status: 500, body: { error: 'NaN' } }), /answers HTTP 500$/],
    ['a vector of NaN', () => (badVector = Array<null>(384).fill(null)), /no finite number$/],
    ['a zero vector', () => (badVector = Array<number>(384).fill(0)), /a vector that is zero/],
  ])('embeds the others, and names the one of 200: %s', async (_, refuse, why) => {
    const loci = await prepare(7);
    refuse();
    expect(await backfill(loci)).toMatchObject({
      ...{ texts: NOTES, embedded: NOTES - 1, remaining: 1, refused: 1 },
      refusals: [
        {
          namespace: 'default',
          citation: 'Note 7.md#L1-L1',
          why: expect.stringMatching(why) as string,
        },
      ],
    });
    expect((await search(loci, { query: 'x7 bad' })).results[0]?.title).toBe('Note 7');
  });

  it('sends each of five no more in the same run, and goes on with them in the next', async () => {
    const loci = await prepare(0, 1, 2, 100, 199);
    expect(await backfill(loci)).toMatchObject({
      ...{ embedded: NOTES - 5, remaining: 5, refused: 5 },
      is_active: true,
    });
    expect(sentAlone('x100 ')).toBe(1);
    const again = await open();
    expect(await backfill(again)).toMatchObject({ texts: 5, embedded: 0, refused: 5 });
    isBad = (text) => text.includes('x100 ');
    expect(await backfill(again)).toMatchObject({ embedded: 4, remaining: 1, refused: 1 });
  });

  it('stops with the error if the provider refuses all', async () => {
    const loci = await prepare();
    isBad = () => true;
    await expect(backfill(loci)).rejects.toMatchObject({
      code: 'embedding_unavailable',
      message: expect.stringMatching(/answers HTTP 400$/) as string,
    });
    isBad = (text) => text !== 'loci';
    const sent = server.requests.length;
    await expect(backfill(loci)).rejects.toMatchObject({ code: 'embedding_unavailable' });
    expect(server.requests.length - sent).toBeLessThan(NOTES / 2);
    isBad = () => false;
    expect(await backfill(loci)).toMatchObject({ embedded: NOTES, remaining: 0, refused: 0 });
  });

  it('names no texts of other namespaces to another caller than the operator, but counts them', async () => {
    const loci = await prepare(7);
    const other = loci.as({ ...loci.caller, namespace: 'other', trust: 'agent' });
    expect(await backfill(other)).toMatchObject({ refused: 1, refusals: [] });
  });
});

describe('other ways to embed texts that the provider refuses', () => {
  const remaining = 12;
  const bad = Array.from({ length: remaining }, (_, i) => 10 * i);

  it('index and reindex report them, also when no other text is left', async () => {
    const loci = await prepare(...bad);
    const vaults = [{ name: 'notes', path: join(folder.path, 'notes') }];
    expect(await indexVaults(loci, { vaults })).toMatchObject({
      embedded: NOTES - remaining,
      refused: remaining,
    });
    // Another process knows nothing of the texts that the provider has embedded.
    const again = await open();
    const report = await indexVaults(again, { vaults });
    expect(report).toMatchObject({ embedded: 0, refused: remaining });
    expect(report.refusals).toHaveLength(10);
    expect(await reindex(again, { vectors: true })).toMatchObject({
      ...{ embedded: NOTES - remaining, refused: remaining },
    });
    const check = (await doctor(again)).find(({ name }) => name === 'embedding');
    expect(check).toMatchObject({
      result: 'warning',
      detail: expect.stringContaining('12 texts without a vector, found by words alone') as string,
      hint: expect.stringContaining('names the texts that the provider refuses') as string,
    });
  });

  it('a write succeeds, says why its vector is missing, and leaves searches their vectors', async () => {
    const loci = await open();
    await write(loci, { content: 'The oven moves to the other wall.' });
    const written = await write(loci, { content: 'Zebulon is bad.' });
    expect(written).toMatchObject({
      embedded: false,
      why: expect.stringContaining('refuses a text') as string,
    });
    expect((await search(loci, { query: 'zebulon' })).results[0]?.id).toBe(written.id);
    expect((await search(loci, { query: 'oven' })).missing).toEqual([]);
    expect(await write(loci, { content: 'A tide clock.' })).toMatchObject({ embedded: true });
    const long = `${'The oven moves to the other wall. '.repeat(40)}\n\n# Bad\n\n${'A bad clock. '.repeat(5)}`;
    expect(await write(loci, { content: long })).toMatchObject({ embedded: false });
    expect((await storeStatus(loci)).embedding.pending).toBe(2);
  });
});
