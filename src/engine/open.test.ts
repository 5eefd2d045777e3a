import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { copyExampleVault, openInline, settings, temporaryFolder } from '../../test/contract/engines.ts';
import type { Progress } from '../core/progress.ts';
import { search } from './records/search.ts';
import type { EngineContext } from './context.ts';
import { doctor } from './health/doctor.ts';
import { indexVaults } from './reading/index-vaults.ts';
import { write } from './records/write.ts';
import { reindex } from './health/reindex.ts';

const NOW = Date.UTC(2026, 10, 22, 12);
const QUERIES = [
  'induction hob',
  'kichen tyles',
  '番茄炒蛋',
  '"tide clock"',
  'the',
  'school clock november 2026',
];

/** Has the vault of all tests, and a store in which it is indexed and many words are written. */
let shared: Awaited<ReturnType<typeof temporaryFolder>>;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let loci: EngineContext;

beforeAll(async () => {
  shared = folder = await temporaryFolder();
  await copyExampleVault(join(shared.path, 'vault'));
  loci = await open();
  await indexVaults(loci);
  // So many words are merged into the vocabulary; fewer are pending.
  await write(loci, { content: Array.from({ length: 9000 }, (_, i) => `word${String(i)}`).join(' ') });
  // It has the graph of what is written too.
  await indexVaults(loci);
  await loci.close();
});

afterAll(() => shared[Symbol.asyncDispose]());

beforeEach(async () => {
  folder = await temporaryFolder();
  loci = await open();
});

afterEach(async () => {
  await loci.close();
  await folder[Symbol.asyncDispose]();
});

function open(): Promise<EngineContext> {
  const vaults = [{ name: 'notes', path: join(shared.path, 'vault') }];
  const search = { minScore: 0 };
  return openInline(settings(folder.path, { vaults, search }), { now: () => NOW });
}

/** Replaces the store by a copy of the one in which the vault is indexed. */
async function openIndexed(): Promise<void> {
  await loci.close();
  await copyFile(join(shared.path, 'loci.db'), join(folder.path, 'loci.db'));
  loci = await open();
}

async function searchAll(): Promise<unknown[]> {
  const responses: unknown[] = [];
  for (const query of QUERIES) {
    const { took_ms: _, ...response } = await search(loci, { query });
    responses.push(response);
  }
  return responses;
}

async function failedChecks(): Promise<string[]> {
  const names = (await doctor(loci)).filter(({ result }) => result !== 'ok').map(({ name }) => name);
  // The example vault has a note with broken front matter.
  return names.filter((name) => name !== 'notes of notes');
}

/** Changes the file of the store directly, as a faulty disk or program may do. */
async function damage(sql: string): Promise<void> {
  await loci.close();
  const db = new DatabaseSync(join(folder.path, 'loci.db'), { defensive: false });
  db.exec(sql);
  db.close();
  loci = await open();
}

describe('an engine without a model', () => {
  it.each([
    ['a word that is missing from the vocabulary', "DELETE FROM term WHERE word = 'kitchen'", 'store'],
    ['missing passages', 'DELETE FROM passage WHERE id % 3 = 0', 'derived'],
    ['a passage with a wrong text', "UPDATE passage SET text = 'forged' WHERE id = 5", 'derived'],
    ['a wrong count', 'UPDATE term SET passages = passages + 1', 'store'],
  ])('detects %s, and a reindex repairs it', async (_, sql, check) => {
    await openIndexed();
    const before = await searchAll();
    await damage(sql);
    const found = (await doctor(loci)).filter(({ result }) => result === 'failed');
    expect(found.map(({ name }) => name)).toContain(check);
    for (const { hint } of found) expect(hint).toContain('loci doctor reindex');
    await reindex(loci);
    expect(await failedChecks()).toEqual([]);
    expect(await searchAll()).toEqual(before);
  });

  it('accepts queries of any shape', async () => {
    await openIndexed();
    await expect(search(loci, { query: ' \n' })).rejects.toMatchObject({ code: 'invalid_input' });
    const unusual = [
      '"a" '.repeat(3000),
      'x'.repeat(100_000),
      'a* OR (b',
      '\ud83d\udc00\ud83d',
      "'; DROP TABLE record; --",
    ];
    for (const query of [...unusual, '"" ""', 'NEAR(', '🎂', 'w '.repeat(5000)])
      expect((await search(loci, { query })).missing).toEqual([]);
    expect(await failedChecks()).toEqual([]);
  });

  it('reports the progress of doctor, and stops it on its signal', async () => {
    await openIndexed();
    const reported: Progress[] = [];
    await doctor(loci, { onProgress: (progress) => void reported.push(progress) });
    expect(new Set(reported.map(({ stage }) => stage))).toEqual(new Set(['checking']));
    const last = new Map(reported.map((progress) => [progress.subject, progress]));
    expect([...last.keys()].slice(0, 3)).toEqual(['the store', 'the derived state', 'passages']);
    const { done, total } = last.get('passages')!;
    expect([done, total]).toEqual([total, expect.any(Number)]);
    expect(total).toBeGreaterThan(30);
    // One record is written, and has no file.
    expect(last.get('notes')).toMatchObject({ total: total - 1, done: total - 2 });
    expect(last.get('graph')).toMatchObject({ total, done: total });
    const stop = new AbortController();
    const onProgress = ({ subject }: Progress): void => {
      if (subject === 'notes') stop.abort();
    };
    await expect(doctor(loci, { signal: stop.signal, onProgress })).rejects.toMatchObject({
      code: 'aborted',
    });
  });

  it('aborts an index on its signal, and continues it later', async () => {
    await expect(indexVaults(loci, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'aborted',
    });
    await indexVaults(loci);
    const before = await searchAll();
    await expect(reindex(loci, {}, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'aborted',
    });
    await indexVaults(loci);
    expect(await searchAll()).toEqual(before);
  });
});
