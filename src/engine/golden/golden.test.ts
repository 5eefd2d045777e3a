import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { openInline, settings, temporaryFolder, writeNotes } from '../../../test/contract/engines.ts';
import { openStore } from '../../store/registry.ts';
import type { EngineContext } from '../context.ts';
import { indexVaults } from '../reading/index-vaults.ts';
import { recordGolden, goldenQueries, removeGolden } from './golden-queries.ts';
import { replayGolden } from './replay.ts';
import { diffGolden } from './diff.ts';
import { exportLines } from '../portable/export.ts';
import { importMemory } from '../portable/import.ts';
import { goldenQueryPut } from '../../store/items/kinds.ts';

const NOTES = {
  'Home/Oven.md': '# Oven\n\nThe oven is a Bosch with a marzipan door.\n',
  'Home/Kitchen.md': '# Kitchen\n\nThe kitchen has an oven, and the oven needs a plumber.\n',
  'Plumber.md': '# Plumber\n\nThe plumber is called Zebulon Quartermain.\n',
};

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let vault: string;
let now: number;
let loci: EngineContext;

const open = (name: string): Promise<EngineContext> =>
  openInline(
    settings(folder.path, { vaults: [{ path: vault }], store: { path: join(folder.path, `${name}.db`) } }),
    { now: () => now },
  );

beforeEach(async () => {
  folder = await temporaryFolder();
  vault = join(folder.path, 'notes');
  now = Date.UTC(2026, 10, 22, 12);
  await writeNotes(vault, NOTES);
  loci = await open('loci');
  await indexVaults(loci);
});

afterEach(async () => {
  await loci.close();
  await folder[Symbol.asyncDispose]();
});

/** Writes the notes and reads them. */
async function change(notes: Readonly<Record<string, string>>): Promise<void> {
  now += 1000;
  await writeNotes(vault, notes);
  await indexVaults(loci);
}

describe('a golden query', () => {
  it('is recorded with the places of its results and replayed with the same ones', async () => {
    const golden = await recordGolden(loci, { query: ' oven ' });
    expect(golden).toMatchObject({ query: 'oven', project: null });
    expect(golden.expected.map(({ citation, rank }) => [citation, rank])).toEqual([
      ['Home/Oven.md', 1],
      ['Home/Kitchen.md', 2],
    ]);
    expect(JSON.stringify(golden)).not.toContain('marzipan');
    const run = await replayGolden(loci);
    expect(run).toMatchObject({ recall: 1, mrr: 1, provider: 'none', limit: 10 });
    expect(run.queries[0]).toMatchObject({ unexpected: [], reciprocal_rank: 1 });
    expect(run.queries[0]!.expected.map(({ rank, recorded_rank }) => [rank, recorded_rank])).toEqual([
      [1, 1],
      [2, 2],
    ]);
  });

  it('is replaced when it is recorded again, and says what it should find', async () => {
    const first = await recordGolden(loci, { query: 'oven', count: 1 });
    now += 1000;
    const second = await recordGolden(loci, { query: 'oven', expect: ['Plumber', 'Home/Kitchen.md'] });
    expect(second.id).toBe(first.id);
    expect(second.expected.map(({ citation, rank }) => [citation, rank])).toEqual([
      ['Plumber.md', null],
      ['Home/Kitchen.md', 2],
    ]);
    expect(await goldenQueries(loci)).toHaveLength(1);
    expect(await replayGolden(loci)).toMatchObject({ recall: 0.5, mrr: 0.5 });
  });

  it('is replayed with what is missing, what moved and what is new', async () => {
    await recordGolden(loci, { query: 'oven' });
    await recordGolden(loci, { query: 'plumber zebulon', count: 1 });
    const before = await replayGolden(loci);
    await rm(join(vault, 'Home/Oven.md'));
    await change({ 'Range.md': '# Oven\n\nOven, oven, oven.\n' });
    const after = await replayGolden(loci);
    const [oven] = after.queries;
    const byCitation = new Map(oven!.expected.map((each) => [each.citation, each]));
    expect(byCitation.get('Home/Oven.md')).toMatchObject({ recorded_rank: 1, rank: null });
    expect(byCitation.get('Home/Kitchen.md')).toMatchObject({ recorded_rank: 2, rank: 2 });
    expect(oven!.unexpected).toMatchObject([{ citation: 'Range.md', rank: 1 }]);
    expect(after).toMatchObject({ recall: 0.75, mrr: 0.75 });
    const difference = diffGolden(before, after);
    expect(difference).toMatchObject({
      compared: 2,
      recall: { before: 1, after: 0.75 },
      mrr: { before: 1, after: 0.75 },
    });
    expect(difference.changed.find(({ query }) => query === 'oven')).toMatchObject({
      lost: [{ citation: 'Home/Oven.md', rank: 1 }],
      gone: [],
      new: [{ citation: 'Range.md', rank: 1 }],
      moved: [],
    });
    const reverse = diffGolden(after, before);
    expect(reverse.changed.find(({ query }) => query === 'oven')).toMatchObject({
      lost: [],
      gone: [{ citation: 'Range.md' }],
      new: [{ citation: 'Home/Oven.md' }],
    });
  });

  it('cannot be recorded without results, and a replay needs one', async () => {
    await expect(recordGolden(loci, { query: 'xylophone' })).rejects.toMatchObject({ code: 'invalid_input' });
    await expect(recordGolden(loci, { query: 'oven', expect: ['None.md'] })).rejects.toMatchObject({
      code: 'not_found',
    });
    await expect(replayGolden(loci)).rejects.toMatchObject({ code: 'invalid_input' });
  });

  it('with a blank text is not imported, and one that is there stops no replay of the others', async () => {
    const { missing: _missing, notices: _notices, ...golden } = await recordGolden(loci, { query: 'oven' });
    const blank = { ...golden, id: '01890000-0000-7000-8000-000000000000', query: ' \n' };
    const store = await openStore({ path: join(folder.path, 'loci.db') }, { create: false });
    onTestFinished(() => store.close());
    await store.records.commit('default', { items: [goldenQueryPut(blank)] });
    const run = await replayGolden(loci);
    expect(run).toMatchObject({ recall: 1, mrr: 1, queries: [{ query: 'oven' }] });
    expect(run.failed).toEqual([{ id: blank.id, query: ' \n', why: 'the query is empty' }]);

    await removeGolden(loci, blank.id);
    expect((await replayGolden(loci)).failed).toEqual([]);
  });

  it('is exported and imported, and stays removed', async () => {
    const exported = async (): Promise<string> => {
      let lines = '';
      for await (const batch of exportLines(loci)) lines += batch.map((line) => `${line}\n`).join('');
      return lines;
    };
    const golden = await recordGolden(loci, { query: 'oven' });
    const withQuery = await exported();
    now += 1000;
    await removeGolden(loci, golden.id);
    expect(await goldenQueries(loci)).toEqual([]);
    const withoutQuery = await exported();
    expect(withoutQuery).not.toMatch(/"query":"oven"/);
    await importMemory(loci, { lines: withQuery });
    expect(await goldenQueries(loci)).toEqual([]);
    await expect(removeGolden(loci, golden.id)).rejects.toMatchObject({ code: 'not_found' });
    const other = await open('other');
    const first = await importMemory(other, { lines: withQuery });
    expect(first.golden_query.added).toBe(1);
    expect(await goldenQueries(other)).toMatchObject([{ id: golden.id, expected: golden.expected }]);
    expect(await replayGolden(other)).toMatchObject({ recall: 1 });
    await importMemory(other, { lines: withoutQuery });
    expect(await goldenQueries(other)).toEqual([]);
    await other.close();
  });
});
