import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openInline, settings, temporaryFolder, writeNotes } from '../../../test/contract/engines.ts';
import {
  type Fault,
  letterVectors,
  OLLAMA,
  type ProviderServer,
  startProvider,
} from '../../../test/embedding/provider-server.ts';
import type { Loci } from '../open.ts';

const NOTES = 200;
const MODEL = { provider: 'ollama', model: 'all-minilm' };
const REFUSED: Fault = { status: 400, body: { error: 'content filter' } };

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let server: ProviderServer;
let opened: Loci[];
/** Whether the provider refuses a text, and how. */
let isBad: (text: string) => boolean;
let fault: Fault;
/** A vector that is not usual; the text is then not refused. */
let badVector: readonly unknown[] | null;

beforeEach(async () => {
  opened = [];
  folder = await temporaryFolder();
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
  await folder[Symbol.asyncDispose]();
});

async function open(embedding: Readonly<Record<string, unknown>> = MODEL): Promise<Loci> {
  const address = embedding['provider'] === 'ollama' ? { url: server.origin } : {};
  const vaults = [{ name: 'notes', path: join(folder.path, 'notes') }];
  const loci = await openInline(
    settings(folder.path, { vaults, search: { minScore: 0 }, embedding: { ...embedding, ...address } }),
  );
  opened.push(loci);
  return loci;
}

/** A store of notes without vectors, of which those with these numbers are refused. */
async function prepare(...bad: readonly number[]): Promise<Loci> {
  const notes = Array.from({ length: NOTES }, (_, i): [string, string] => [
    `Note ${String(i)}.md`,
    `The number of this note is x${String(i)}${bad.includes(i) ? ' and bad' : ''}.`,
  ]);
  await writeNotes(join(folder.path, 'notes'), Object.fromEntries(notes));
  const loci = await open({ provider: 'none' });
  await loci.index({ vaults: [{ name: 'notes', path: join(folder.path, 'notes') }] });
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
    expect(await loci.embedding.backfill()).toMatchObject({
      ...{ texts: NOTES, embedded: NOTES - 1, remaining: 1, refused: 1 },
      refusals: [
        {
          namespace: 'default',
          citation: 'Note 7.md#L1-L1',
          why: expect.stringMatching(why) as string,
        },
      ],
    });
    const { results, missing } = await loci.search({ query: 'x7 bad' });
    expect([results[0]?.title, missing]).toEqual(['Note 7', []]);
  });

  it('sends each of five no more in the same run, and goes on with them in the next', async () => {
    const loci = await prepare(0, 1, 2, 100, 199);
    expect(await loci.embedding.backfill()).toMatchObject({ embedded: NOTES - 5, remaining: 5, refused: 5 });
    expect(sentAlone('x100 ')).toBe(1);
    await expect(loci.embedding.switch()).rejects.toMatchObject({
      code: 'conflict',
      hint: expect.stringContaining('--partial') as string,
    });
    expect(await loci.embedding.switch({ partial: true })).toMatchObject({ remaining: 5 });
    const again = await open();
    expect(await again.embedding.backfill()).toMatchObject({ texts: 5, embedded: 0, refused: 5 });
    isBad = (text) => text.includes('x100 ');
    expect(await again.embedding.backfill()).toMatchObject({ embedded: 4, remaining: 1, refused: 1 });
  });

  it('stops with the error if the provider refuses all', async () => {
    const loci = await prepare();
    isBad = () => true;
    await expect(loci.embedding.backfill()).rejects.toMatchObject({
      code: 'embedding_unavailable',
      message: expect.stringMatching(/answers HTTP 400$/) as string,
    });
    isBad = (text) => text !== 'loci';
    const sent = server.requests.length;
    await expect(loci.embedding.backfill()).rejects.toMatchObject({ code: 'embedding_unavailable' });
    expect(server.requests.length - sent).toBeLessThan(NOTES / 2);
    isBad = () => false;
    expect(await loci.embedding.backfill()).toMatchObject({ embedded: NOTES, remaining: 0, refused: 0 });
  });

  it('names no texts of other namespaces to another caller than the operator, but counts them', async () => {
    const loci = await prepare(7);
    const other = loci.as({ ...loci.caller, namespace: 'other', trust: 'agent' });
    expect(await other.embedding.backfill()).toMatchObject({ refused: 1, refusals: [] });
  });
});

describe('other ways to embed texts that the provider refuses', () => {
  const remaining = 12;
  const bad = Array.from({ length: remaining }, (_, i) => 10 * i);

  it('index and reindex report them, also when no other text is left', async () => {
    const loci = await prepare(...bad);
    const vaults = [{ name: 'notes', path: join(folder.path, 'notes') }];
    expect(await loci.index({ vaults })).toMatchObject({ embedded: NOTES - remaining, refused: remaining });
    // Another process knows nothing of the texts that the provider has embedded.
    const again = await open();
    const report = await again.index({ vaults });
    expect(report).toMatchObject({ embedded: 0, refused: remaining });
    expect(report.refusals).toHaveLength(10);
    expect(await again.reindex({ vectors: true })).toMatchObject({
      ...{ embedded: NOTES - remaining, refused: remaining },
    });
    const check = (await again.doctor()).find(({ name }) => name === 'embedding');
    expect(check).toMatchObject({
      result: 'warning',
      detail: expect.stringContaining('12 texts without a vector, found by words alone') as string,
      hint: expect.stringContaining('names the texts that the provider refuses') as string,
    });
  });

  it('an import reports them', async () => {
    const source = await open({ provider: 'none' });
    for (const content of ['Zebulon is bad.', 'A tide clock.']) await source.write({ content });
    const file = join(folder.path, 'export.jsonl');
    await source.portable.exportToFile(file);
    await using target = await temporaryFolder();
    const loci = await openInline(settings(target.path, { embedding: { ...MODEL, url: server.origin } }));
    opened.push(loci);
    const { report } = await loci.portable.import({ from: { path: file } });
    expect(report).toMatchObject({ why: null, embedded: 1, refusals: { refused: 1 } });
    await loci.close();
  });

  it('a write succeeds, says why its vector is missing, and leaves searches their vectors', async () => {
    const loci = await open();
    await loci.write({ content: 'The oven moves to the other wall.' });
    const written = await loci.write({ content: 'Zebulon is bad.' });
    expect(written).toMatchObject({
      embedded: false,
      why: expect.stringContaining('refuses a text') as string,
    });
    expect((await loci.search({ query: 'zebulon' })).results[0]?.id).toBe(written.id);
    expect((await loci.search({ query: 'oven' })).missing).toEqual([]);
    expect(await loci.write({ content: 'A tide clock.' })).toMatchObject({ embedded: true });
    const long = `${'The oven moves to the other wall. '.repeat(40)}\n\n# Bad\n\n${'A bad clock. '.repeat(5)}`;
    expect(await loci.write({ content: long })).toMatchObject({ embedded: false });
    expect((await loci.status()).pending).toBe(2);
  });
});
