import { copyFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { settings, temporaryFolder, writeNotes } from '../../../test/contract/engines.ts';
import { draft, passage } from '../../../test/contract/store-samples.ts';
import { openStore } from '../../store/registry.ts';
import type { EngineContext } from '../context.ts';
import { openEngine } from '../open.ts';
import { search } from '../records/search.ts';
import { indexVaults } from '../reading/index-vaults.ts';
import { reindex } from './reindex.ts';
import { doctor } from './doctor.ts';

const NOW = Date.UTC(2026, 10, 22, 12);
/** The notes fill several batches. One note in each batch has a rare word. */
const NOTES = 200;
const RARE_EVERY = 40;
const RARE_TITLES = Array.from(
  { length: NOTES / RARE_EVERY },
  (_, i) => `note-${String(100 + i * RARE_EVERY)}`,
);

/** Has the vault of all tests, and a store in which it is indexed with passages of 64 tokens. */
let shared: Awaited<ReturnType<typeof temporaryFolder>>;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;

beforeAll(async () => {
  shared = folder = await temporaryFolder();
  const notes = Array.from({ length: NOTES }, (_, i) => {
    const words = Array.from(
      { length: 12 },
      (_, line) => `Line ${String(line)} of the logbook, all quiet.\n\n`,
    );
    return [
      `note-${String(100 + i)}.md`,
      i % RARE_EVERY === 0 ? `${words.join('')}A zebra.` : words.join(''),
    ];
  });
  await writeNotes(join(shared.path, 'vault'), Object.fromEntries(notes) as Record<string, string>);
  const loci = await open(64);
  await indexVaults(loci);
  await loci.close();
});

afterAll(() => shared[Symbol.asyncDispose]());

beforeEach(async () => {
  folder = await temporaryFolder();
});

afterEach(() => folder[Symbol.asyncDispose]());

function open(maxPassageTokens: number): Promise<EngineContext> {
  const vaults = [{ name: 'notes', path: join(shared.path, 'vault') }];
  const values = { vaults, search: { minScore: 0 } };
  // Searches run beside the reindex: in the thread of the caller, the store would not let it go on.
  return openEngine(settings(folder.path, values), { now: () => NOW, maxPassageTokens });
}

/** An engine on a copy of the store in which the vault is indexed. */
async function openIndexed(maxPassageTokens: number): Promise<EngineContext> {
  await copyFile(join(shared.path, 'loci.db'), join(folder.path, 'loci.db'));
  return open(maxPassageTokens);
}

async function titlesWithZebra(loci: EngineContext): Promise<string[]> {
  return (await search(loci, { query: 'zebra' })).results.map(({ title }) => title).sort();
}

describe('a reindex', () => {
  it.each([
    ['with the same chunking', 64],
    ['with a different chunking', 32],
  ])('%s hides no record from searches while it runs', async (_, passageTokens) => {
    const loci = await openIndexed(passageTokens);
    try {
      const results: string[][] = [];
      const run = { isFinished: false };
      const reindexing = reindex(loci).finally(() => {
        run.isFinished = true;
      });
      while (!run.isFinished) results.push(await titlesWithZebra(loci));
      expect(await reindexing).toMatchObject({ records: NOTES, problems: [], embedded: 0 });
      expect(results.length).toBeGreaterThan(3);
      for (const titles of results) expect(titles).toEqual(RARE_TITLES);
      expect(await titlesWithZebra(loci)).toEqual(RARE_TITLES);
      expect((await doctor(loci)).filter(({ result }) => result !== 'ok')).toEqual([]);
    } finally {
      await loci.close();
    }
  });

  it('loses nothing when it is interrupted, and index completes it', async () => {
    const loci = await openIndexed(32);
    try {
      const stop = new AbortController();
      const onProgress = (): void => {
        stop.abort();
      };
      await expect(reindex(loci, {}, { signal: stop.signal, onProgress })).rejects.toMatchObject({
        code: 'aborted',
      });
      expect(await titlesWithZebra(loci)).toEqual(RARE_TITLES);
      expect((await doctor(loci)).find(({ name }) => name === 'derived')).toMatchObject({
        result: 'warning',
        detail: expect.stringMatching(/^passages need to be rebuilt in \d+ records: note-.* …$/) as string,
        hint: 'Run `loci index`.',
      });
      await indexVaults(loci);
      expect(await titlesWithZebra(loci)).toEqual(RARE_TITLES);
      expect((await doctor(loci)).filter(({ result }) => result !== 'ok')).toEqual([]);
    } finally {
      await loci.close();
    }
  });

  it('indexes passages again where the full-text index is damaged, and searches find the others meanwhile', async () => {
    const loci = await openIndexed(64);
    try {
      using db = new DatabaseSync(join(folder.path, 'loci.db'));
      db.exec('UPDATE term SET passages = passages + 1');
      db.exec("INSERT INTO text_1 (rowid, body) VALUES (99999, 'ghost')");
      expect(await loci.store.admin.isTextDamaged('default')).toBe(true);
      const results: string[][] = [];
      const run = { isFinished: false };
      const reindexing = reindex(loci).finally(() => {
        run.isFinished = true;
      });
      while (!run.isFinished) results.push(await titlesWithZebra(loci));
      await reindexing;
      for (const titles of results) expect(titles).toEqual(RARE_TITLES);
      expect((await doctor(loci)).filter(({ result }) => result !== 'ok')).toEqual([]);
    } finally {
      await loci.close();
    }
  });
});

describe('a record whose text is too complex to split', () => {
  /** Writes a record that this version cannot split, as an earlier version may have done. */
  async function writeDenseRecord(path: string): Promise<void> {
    const store = await openStore({ path }, { create: true });
    const record = draft({ source: 'notes', key: 'letters.md', content: '- a\n'.repeat(700_000) });
    const passages = [passage('letters of old')];
    await store.records.commit('default', {
      writes: [{ id: null, draft: record, passages }],
      chunking: 'old',
    });
    await store.close();
  }

  it('is named by index and by reindex, and keeps its passages', async () => {
    await writeDenseRecord(join(folder.path, 'loci.db'));
    const loci = await open(64);
    try {
      const detail = expect.stringContaining('too many') as string;
      const problem = { path: 'letters.md', reason: 'unreadable', detail, skipped: true };
      expect(await indexVaults(loci, { vaults: [] })).toMatchObject({ sources: [], problems: [problem] });
      expect(await reindex(loci)).toMatchObject({ records: 0, problems: [problem] });
      expect((await search(loci, { query: 'letters' })).results).toHaveLength(1);
      expect((await doctor(loci)).find(({ name }) => name === 'derived')).toMatchObject({
        result: 'warning',
        detail: 'too complex to split into passages: 1 record: letters.md',
      });
    } finally {
      await loci.close();
    }
  });
});
