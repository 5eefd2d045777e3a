import { searchText } from '../../test/contract/queries.ts';
import { verifyStore } from '../../test/contract/store-samples.ts';
import { mkdir, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { folderForEach, writeNotes } from '../../test/contract/engines.ts';
import type { LociRecord } from '../core/types.ts';
import { openSource } from '../sources/registry.ts';
import { MAX_NOTE_BYTES } from '../sources/files/read-file.ts';
import type { Source } from '../sources/source.ts';
import { openStore } from '../store/registry.ts';
import type { Store } from '../store/store.ts';
import { syncSource, type SyncOptions, type SyncReport } from './sync.ts';
import { chunking, estimateModelTokens } from './passages.ts';

const NOW = Date.UTC(2026, 10, 22);
/** The size of the largest accepted note in bytes. */
const CHUNKING = chunking('estimate', { maxTokens: 200, countTokens: estimateModelTokens });

const folder = folderForEach();
let vault: string;
let store: Store;

beforeEach(async () => {
  vault = join(folder.path, 'vault');
  await mkdir(vault);
  store = await openAt('loci.db');
});

afterEach(() => store.close());

function openAt(name: string): Promise<Store> {
  return openStore({ path: join(folder.path, name) }, { create: true, inline: true });
}

async function sync(
  overrides: Partial<SyncOptions> = {},
  into: Store = store,
  wrap: (source: Source) => Source = (source) => source,
): Promise<SyncReport> {
  const source = await openSource('vault', { name: 'notes', root: vault });
  const options = { namespace: 'n', project: 'home', chunking: CHUNKING, now: () => NOW, allowEmpty: false };
  return syncSource(into, wrap(source), { ...options, ...overrides });
}

async function all(from: Store = store): Promise<LociRecord[]> {
  return from.records.list('n', { scan: 'undeleted' }, { after: null, limit: 1000 });
}

async function byKey(key: string): Promise<LociRecord | undefined> {
  return (
    await store.records.list(
      'n',
      { filter: { now: NOW, origins: ['vault'], key } },
      { after: null, limit: 100 },
    )
  )[0];
}

async function found(word: string): Promise<number[]> {
  const query = {
    any: [{ terms: [word], prefix: false }],
    all: [],
    weights: { title: 1, headings: 1, body: 1, tags: 1 },
  };
  return (await searchText(store, 'n', query, { now: NOW }, 10)).map(({ record }) => record);
}

const NO_CHANGES = { seen: 0, added: 0, updated: 0, renamed: 0, removed: 0, unchanged: 0 };
const COUNTS = { ...NO_CHANGES, problems: [], otherFiles: new Map<string, number>(), excluded: [] };

describe('syncSource', () => {
  it('adds new notes once', async () => {
    await writeNotes(vault, { 'a.md': 'about the oven', 'b/c.md': '---\ntitle: Tiles\n---\nblue' });
    expect(await sync()).toEqual({ ...COUNTS, source: 'notes', seen: 2, added: 2 });
    expect(await all()).toMatchObject([
      { id: 1, key: 'a.md', title: 'a', content: 'about the oven', project: 'home', origin: 'vault' },
      { id: 2, key: 'b/c.md', title: 'Tiles', source: 'notes' },
    ]);
    const before = await all();
    expect(await sync()).toEqual({ ...COUNTS, source: 'notes', seen: 2, unchanged: 2 });
    expect(await all()).toEqual(before);
  });

  it('updates a changed note, which is no longer found by its old text', async () => {
    await writeNotes(vault, { 'a.md': 'about the oven', 'b.md': 'blue tiles' });
    await sync();
    await writeNotes(vault, { 'a.md': 'about the fridge' });
    expect(await sync()).toMatchObject({ updated: 1, unchanged: 1, added: 0 });
    expect([await found('oven'), await found('fridg')]).toEqual([[], [1]]);
  });

  it('finds a note by its new title when only its front matter changed', async () => {
    await writeNotes(vault, { 'a.md': '---\ntitle: Oven\n---\ntext' });
    await sync();
    await writeNotes(vault, { 'a.md': '---\ntitle: Fridge\n---\ntext' });
    expect(await sync()).toMatchObject({ updated: 1 });
    expect([await found('oven'), await found('fridg')]).toEqual([[], [1]]);
  });

  it('reports a note as unchanged if only its timestamp changed', async () => {
    await writeNotes(vault, { 'a.md': 'about the oven' });
    await sync();
    const before = await byKey('a.md');
    await utimes(join(vault, 'a.md'), new Date(NOW), new Date(NOW + 5000));
    expect(await sync()).toMatchObject({ unchanged: 1, updated: 0, seen: 1 });
    const after = await byKey('a.md');
    expect([after?.id, after?.uuid, after?.content]).toEqual([1, before?.uuid, 'about the oven']);
    expect(after?.revision).not.toBe(before?.revision);
    expect(await found('oven')).toEqual([1]);
  });

  it('reads a note again whose date is not clear until another note shows the order of day and month', async () => {
    await writeNotes(vault, { 'a.md': '---\ndate: 03-05-2024\n---\ntext', 'b.md': 'other' });
    const reasons = ({ problems }: SyncReport): string[] => problems.map(({ reason }) => reason);
    expect(reasons(await sync())).toEqual(['ambiguous_date']);
    const kept: string[] = [];
    const onUnchanged = (key: string): void => void kept.push(key);
    expect(await sync({ onUnchanged })).toMatchObject({ seen: 2, unchanged: 2, problems: [] });
    await writeNotes(vault, { 'b.md': 'changed' });
    expect(await sync({ onUnchanged })).toMatchObject({ seen: 2, unchanged: 1, updated: 1, problems: [] });
    expect(kept).toEqual(['b.md', 'a.md', 'a.md']);
    await writeNotes(vault, { 'c.md': '---\ndate: 19-05-2024\n---\n' });
    expect(reasons(await sync())).toEqual([]);
    expect((await byKey('a.md'))?.metadata).toMatchObject({ date: '2024-05-03' });
    await writeNotes(vault, { 'b.md': 'changed again' });
    const read: string[] = [];
    await sync({}, store, (source) => ({
      ...source,
      name: source.name,
      origin: source.origin,
      trust: source.trust,
      list: source.list.bind(source),
      read: (item, ...rest) => {
        read.push(item.key);
        return source.read(item, ...rest);
      },
    }));
    expect(read).toEqual(['b.md']);
  });

  it('keeps the record of a renamed note, which it recognises by content or id', async () => {
    await writeNotes(vault, {
      'a.md': 'about the oven',
      'b.md': '---\nid: tiles-7\n---\nblue tiles',
      'c.md': 'c',
    });
    await sync();
    const before = await all();
    await mkdir(join(vault, 'Home'));
    await rename(join(vault, 'a.md'), join(vault, 'Home/oven.md'));
    await rm(join(vault, 'b.md'));
    await writeNotes(vault, { 'z.md': '---\nid: tiles-7\n---\ngreen tiles' });
    expect(await sync()).toMatchObject({ renamed: 2, added: 0, removed: 0, unchanged: 1 });
    expect((await all()).map(({ id, uuid, key }) => [id, uuid, key])).toEqual([
      [1, before[0]?.uuid, 'Home/oven.md'],
      [2, before[1]?.uuid, 'z.md'],
      [3, before[2]?.uuid, 'c.md'],
    ]);
    expect([await found('blue'), await found('green'), await byKey('a.md')]).toEqual([[], [2], undefined]);
  });

  it('keeps the records of renamed notes with equal content', async () => {
    await writeNotes(vault, { 'old/a.md': 'the same', 'old/b.md': 'the same' });
    await sync();
    await rename(join(vault, 'old'), join(vault, 'new'));
    expect(await sync()).toMatchObject({ renamed: 2, added: 0, removed: 0 });
    expect((await all()).map(({ id, key }) => [id, key])).toEqual([
      [1, 'new/a.md'],
      [2, 'new/b.md'],
    ]);
  });

  it('evicts removed notes from every index', async () => {
    await writeNotes(vault, { 'a.md': 'about the oven', 'b.md': 'blue tiles' });
    await sync();
    await rm(join(vault, 'a.md'));
    expect(await sync()).toMatchObject({ removed: 1, unchanged: 1, seen: 1 });
    expect([await found('oven'), await byKey('a.md'), (await all()).length]).toEqual([[], undefined, 1]);
    expect(await verifyStore(store)).toEqual([]);
  });

  it('refuses a vault that is suddenly empty, unless an option allows it', async () => {
    await writeNotes(vault, { 'a.md': 'about the oven' });
    await sync();
    await rm(join(vault, 'a.md'));
    await expect(sync()).rejects.toMatchObject({
      code: 'unreadable',
      hint: expect.stringContaining('--allow-empty'),
    });
    expect(await found('oven')).toEqual([1]);
    expect(await sync({ allowEmpty: true })).toMatchObject({ removed: 1, seen: 0 });
    expect(await all()).toEqual([]);
    expect(await sync()).toEqual({ ...COUNTS, source: 'notes' });
  });

  it.each([
    ['a placeholder of a note', '.n1.md.icloud', []],
    ['a placeholder of a folder', '.f.icloud', []],
    ['a placeholder and an exclusion', '.n1.md.icloud', ['n2.md']],
    ['an exclusion', null, ['n2.md']],
    ['a note that is too large', 'n1.md', []],
  ])('removes nothing if only %s is left', async (_, left, exclude) => {
    await writeNotes(vault, { 'n1.md': 'one', 'n2.md': 'two', 'n3.md': 'three', 'f/x.md': 'four' });
    await sync();
    await rm(vault, { recursive: true });
    await mkdir(vault);
    if (left !== null) await writeNotes(vault, { [left]: 'x'.repeat(MAX_NOTE_BYTES + 1) });
    const excluding = await openSource('vault', {
      name: 'notes',
      root: vault,
      exclude,
    });
    const again = (allowEmpty: boolean): Promise<SyncReport> => sync({ allowEmpty }, store, () => excluding);
    await expect(again(false)).rejects.toMatchObject({
      code: 'unreadable',
      message: expect.stringMatching(/^notes (is empty|has nothing that can be read), and 4 records /),
    });
    expect(await all()).toHaveLength(4);
    expect((await again(true)).removed).toBe(left === null ? 4 : 3);
  });

  it('removes nothing if the vault cannot be read, even if an option allows an empty vault', async () => {
    await writeNotes(vault, { 'a.md': 'about the oven' });
    await sync();
    await rename(vault, `${vault}-elsewhere`);
    await expect(sync({ allowEmpty: true })).rejects.toMatchObject({ code: 'unreadable' });
    await writeFile(vault, 'a file now');
    await expect(sync({ allowEmpty: true })).rejects.toMatchObject({ code: 'unreadable' });
    expect(await found('oven')).toEqual([1]);
  });

  it('keeps the last good state of a note that can no longer be read, and reports it', async () => {
    await writeNotes(vault, { 'a.md': 'about the oven', 'b.md': 'blue tiles' });
    await sync();
    await writeFile(join(vault, 'a.md'), Buffer.from([0, 1, 2, 0, 255]));
    expect(await sync()).toMatchObject({ problems: [{ key: 'a.md', reason: 'binary' }], removed: 0 });
    expect(await found('oven')).toEqual([1]);
  });

  it.each(['before it is listed', 'before it is read'])(
    'keeps the last good state of a note that grows too large %s, and reports it',
    async (moment) => {
      await writeNotes(vault, { 'a.md': 'about the oven' });
      await sync();
      const grow = (): Promise<void> => writeNotes(vault, { 'a.md': `fridge ${'x'.repeat(MAX_NOTE_BYTES)}` });
      if (moment === 'before it is listed') await grow();
      else await writeNotes(vault, { 'a.md': 'about the fridge' });
      const report = await sync({}, store, (source) => ({
        name: source.name,
        origin: source.origin,
        trust: source.trust,
        list: (...parameters) => source.list(...parameters),
        read: async (...parameters) => {
          await grow();
          return source.read(...parameters);
        },
      }));
      const problems = [{ key: 'a.md', reason: 'too_large', skipped: true }];
      expect(report).toMatchObject({ problems, removed: 0, updated: 0 });
      expect([await found('oven'), await found('fridg')]).toEqual([[1], []]);
      await writeNotes(vault, { 'a.md': 'about the sink' });
      expect(await sync()).toMatchObject({ problems: [], updated: 1 });
      expect([await found('oven'), await found('sink')]).toEqual([[], [1]]);
    },
  );

  it('evicts a note that was replaced by a link out of the vault', async () => {
    await writeNotes(vault, { 'a.md': 'about the oven', 'b.md': 'blue tiles' });
    await writeNotes(folder.path, { 'secret.md': 'elsewhere' });
    await sync();
    await rm(join(vault, 'a.md'));
    await symlink(join(folder.path, 'secret.md'), join(vault, 'a.md'));
    expect(await sync()).toMatchObject({ problems: [{ reason: 'outside_root' }], removed: 1 });
    expect(await found('oven')).toEqual([]);
  });

  it('continues after an interruption, with the same store in the end', async () => {
    const name = (n: number): string => `note-${String(n).padStart(3, '0')}.md`;
    const notes = Array.from({ length: 200 }, (_, n) => [name(n), `text ${String(n)} oven`] as const);
    await writeNotes(vault, Object.fromEntries(notes));
    const uninterrupted = await openAt('uninterrupted.db');
    try {
      await sync({}, uninterrupted);
      const stop = new AbortController();
      const onProgress = (done: number): void => {
        if (done === 150) stop.abort();
      };
      await expect(sync({ signal: stop.signal, onProgress })).rejects.toMatchObject({ code: 'aborted' });
      expect((await all()).length).toBe(128);
      expect(await sync()).toMatchObject({ unchanged: 128, added: 72 });
      const content = (records: readonly LociRecord[]): unknown =>
        records.map(({ uuid: _, ...record }) => record);
      expect(content(await all())).toEqual(content(await all(uninterrupted)));
      expect(await store.admin.stats('n')).toEqual(await uninterrupted.admin.stats('n'));
      expect(await verifyStore(store)).toEqual([]);
    } finally {
      await uninterrupted.close();
    }
  });
});
