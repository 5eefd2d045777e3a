import { describe, expect, it } from 'vitest';
import { sha256 } from '../../src/core/ids.ts';
import { type Json, type LociRecord, ORIGINS } from '../../src/core/types.ts';
import type { CommitBatch, SourceEntry } from '../../src/store/model.ts';
import { ADMIN_NAMESPACE } from '../../src/store/rules/admin-namespace.ts';
import { passagesOf, searchText } from './queries.ts';
import type { StoreFixture } from './store-contract.ts';
import {
  ALL_LIVE,
  anyOf,
  CHUNKING,
  countNotesWithKeys,
  draft,
  evict,
  matchingPassages,
  matchingRecords,
  note,
  notesWithKey,
  NOW,
  passage,
  statsOf,
  write,
} from './store-samples.ts';
import { idsOf } from './written-samples.ts';

export function describeRecords({ store, namespace }: StoreFixture): void {
  const live = (ns: string, ids: readonly number[]): Promise<LociRecord[]> =>
    store.records.get(ns, ids, { liveAt: NOW });

  describe('records', () => {
    it('are returned as written, with ids in the order of the writes', async () => {
      const ns = namespace();
      const written = draft({
        content: 'The oven costs too much.',
        title: 'Oven',
        tags: ['kitchen', 'Küche'],
        identity: 'id-1',
        metadata: { aliases: ['stove'], nested: { list: [1, null, true, 'x'] } },
        expiresAt: NOW + 1,
        revision: '12/34',
      });
      const ids = await write(
        store,
        ns,
        { id: null, draft: written, passages: [passage('The oven')] },
        note('two'),
      );
      expect(ids).toEqual([1, 2]);
      const [record] = await live(ns, [1]);
      expect(record).toEqual({ ...written, namespace: ns, id: 1, deletedAt: null });
    });

    it('and their passages are returned unchanged, in the requested order', async () => {
      const ns = namespace();
      const everyAscii = String.fromCharCode(...Array.from({ length: 128 }, (_, code) => code));
      const texts = ['"\\"\\u0000', '\0mid\0', '\u2028\u2029', '👩‍👩‍👧 \u{1f9c5}', everyAscii, '{"a":[1]}', ''];
      const passages = texts.map((text, ordinal) =>
        passage(`lemon ${text}`, { ordinal, headings: [text, '§'] }),
      );
      const record = draft({
        title: texts.join(''),
        tags: texts,
        metadata: { deep: texts, n: 1e300, no: null },
      });
      await write(store, ns, { id: null, draft: record, passages });
      const ids = (await matchingPassages(store, ns, 'lemon')).sort((a, b) => b - a);
      const found = await passagesOf(store, ns, [...ids, 0], ALL_LIVE);
      expect(found.map(({ id }) => id)).toEqual(ids);
      expect(found.map(({ id: _, record: __, ...rest }) => rest)).toEqual(passages.toReversed());
      for (const { record: header } of found) {
        expect([header.title, header.tags, header.metadata]).toEqual([
          record.title,
          record.tags,
          record.metadata,
        ]);
      }
    });

    it('are returned in the requested order, without missing ones', async () => {
      const ns = namespace();
      await write(store, ns, note('a'), note('b'), note('c'));
      const records = await live(ns, [3, 99, 1, 3]);
      expect(records.map(({ id }) => id)).toEqual([3, 1, 3]);
      expect(await store.records.get(namespace(), [1], { liveAt: NOW })).toEqual([]);
    });

    it('keep their id when they are replaced, and are no longer found by the old words', async () => {
      const ns = namespace();
      const [id = 0] = await write(store, ns, note('marble worktop', { key: 'a.md' }));
      const next = note('granite sink', { key: 'b.md' });
      expect(await write(store, ns, { ...next, id })).toEqual([id]);
      const [record] = await live(ns, [id]);
      expect(record).toMatchObject({ id, key: 'b.md', content: 'granite sink' });
      expect(await matchingRecords(store, ns, 'marble', 'worktop')).toEqual([]);
      expect(await matchingRecords(store, ns, 'granite')).toEqual([id]);
    });

    it('keep their passages if the text does not change, and are found by a new title, tag or alias', async () => {
      const ns = namespace();
      const first = note(['marble worktop', 'second part'], { title: 'Ideas', tags: ['old'] });
      const [id = 0] = await write(store, ns, first);
      const passages = await matchingPassages(store, ns, 'marble');
      const changed = {
        ...first.draft,
        title: 'Decisions',
        tags: ['new'],
        metadata: { aliases: ['verdict'] },
      };
      await write(store, ns, { id, draft: changed, passages: 'keep' });
      expect(await matchingPassages(store, ns, 'marble')).toEqual(passages);
      expect(await matchingRecords(store, ns, 'ideas', 'old')).toEqual([]);
      for (const word of ['decisions', 'new', 'verdict'])
        expect(await matchingRecords(store, ns, word)).toEqual([id, id]);
      await evict(store, ns, id);
      expect((await store.search.terms(ns, ['decisions', 'ideas', 'verdict'])).terms).toEqual(
        ['decisions', 'ideas', 'verdict'].map((word) => ({ word, passages: 0, near: [] })),
      );
    });

    it('never get an id that another record had', async () => {
      const ns = namespace();
      await write(store, ns, note('a'), note('b'));
      await evict(store, ns, 2);
      expect(await write(store, ns, note('c'))).toEqual([3]);
      await evict(store, ns, 1, 3);
      expect(await write(store, ns, note('d'))).toEqual([4]);
    });

    it('expire in the millisecond of their expiry time', async () => {
      const ns = namespace();
      const expiring = note('passing thought', { key: 'x', expiresAt: NOW });
      await write(store, ns, expiring, note('lasting thought', { key: 'y' }));
      const visibleAt = async (now: number): Promise<unknown> => ({
        records: (await store.records.get(ns, [1, 2], { liveAt: now })).length,
        byKey: (await notesWithKey(store, ns, 'x', now)).length,
        counted: await countNotesWithKeys(store, ns, ['x', 'y'], now),
        text: (await searchText(store, ns, anyOf('thought'), { now }, 1)).map(({ record }) => record),
        passages: (await passagesOf(store, ns, await matchingPassages(store, ns, 'thought'), { now })).length,
      });
      expect(await visibleAt(NOW - 1)).toEqual({
        records: 2,
        byKey: 1,
        counted: [1, 1],
        text: [1],
        passages: 1,
      });
      expect(await visibleAt(NOW)).toEqual({ records: 1, byKey: 0, counted: [0, 1], text: [2], passages: 1 });
    });

    it('are found by key across sources', async () => {
      const ns = namespace();
      await write(
        store,
        ns,
        note('1', { source: 'b', key: 'k' }),
        note('2', { source: 'a', key: 'k' }),
        note('3', { key: 'l' }),
      );
      expect((await notesWithKey(store, ns, 'k')).map(({ source }) => source)).toEqual(['a', 'b']);
      expect(await notesWithKey(store, ns, '')).toEqual([]);
      expect(await countNotesWithKeys(store, ns, ['l', 'k', '', 'l'])).toEqual([1, 2, 0, 1]);
    });

    it('are listed by source, in pages, each once', async () => {
      const ns = namespace();
      const keys = ['', 'a', 'a/b', 'Ä', 'z', '\uFFFD', '\u{1F600}'];
      const writes = keys.map((key) =>
        note(`text of ${key}`, { source: 's', key, identity: `i-${key}`, revision: 'r1' }),
      );
      await write(
        store,
        ns,
        ...writes,
        note('x', { source: 's', key: null }),
        note('y', { source: 't', key: 'a' }),
      );
      const entries: SourceEntry[] = [];
      for (let after: string | null = null; ;) {
        const page: SourceEntry[] = await store.records.sourceEntries(ns, 's', { after, limit: 2 });
        entries.push(...page);
        const last = page.at(-1);
        if (last === undefined) break;
        after = last.key;
      }
      expect(entries.map(({ key }) => key).toSorted()).toEqual(keys.toSorted());
      expect(entries.find(({ key }) => key === 'Ä')).toEqual({
        id: 4,
        key: 'Ä',
        identity: 'i-Ä',
        revision: 'r1',
        contentHash: sha256('text of Ä'),
      });
    });

    it('can be committed two thousand at a time', async () => {
      const ns = namespace();
      const ids = await write(
        store,
        ns,
        ...Array.from({ length: 2000 }, (_, i) => note(`thing number${String(i)}`)),
      );
      expect(ids).toEqual(Array.from({ length: 2000 }, (_, i) => i + 1));
      expect(await matchingRecords(store, ns, 'number1999')).toEqual([2000]);
      await store.records.commit(ns, { evictions: ids, chunking: CHUNKING });
      expect(await store.records.list(ns, { scan: 'undeleted' }, { after: null, limit: 10 })).toEqual([]);
    });
  });
}

export function describeRecordValues({ store, namespace }: StoreFixture): void {
  const live = (ns: string, ids: readonly number[]): Promise<LociRecord[]> =>
    store.records.get(ns, ids, { liveAt: NOW });

  describe('the values of a record', () => {
    it('may be any text and are returned unchanged', async () => {
      const ns = namespace();
      const texts = [
        '',
        ' ',
        'NUL \0 inside',
        '"\'`; DROP TABLE record; --',
        '🙂 שלום 数据 \u202E',
        'a\r\nb\u2028c',
        'x'.repeat(1_000_000),
      ];
      const writes = texts.map((text) =>
        note(text, {
          title: text.slice(0, 50),
          tags: [text.slice(0, 20)],
          key: text.slice(0, 9),
          metadata: { text: text.slice(0, 50) },
        }),
      );
      const ids = await write(store, ns, ...writes);
      const records = await store.records.get(ns, ids, { liveAt: NOW });
      expect(
        records.map(({ content, title, tags, key, metadata }) => ({ content, title, tags, key, metadata })),
      ).toEqual(
        writes.map(({ draft: { content, title, tags, key, metadata } }) => ({
          content,
          title,
          tags,
          key,
          metadata,
        })),
      );
      const passages = await store.records.passagesOf(ns, ids);
      expect(ids.map((id) => passages.get(id)?.[0]?.text)).toEqual(texts);
    });

    it('may be metadata of any shape and depth', async () => {
      const ns = namespace();
      let deep: Json = 'bottom';
      for (let i = 0; i < 1500; i++) deep = [deep];
      const unusual = JSON.parse(
        '{"__proto__": {"a": 1}, "constructor": "c", "": null, "session": {"not": "text"}}',
      ) as Record<string, Json>;
      const ids = await write(
        store,
        ns,
        note('deep', { metadata: { deep } }),
        note('unusual', { metadata: unusual }),
      );
      const [one, other] = await store.records.get(ns, ids, { liveAt: NOW });
      expect(JSON.stringify(one?.metadata)).toBe(JSON.stringify({ deep }));
      expect(JSON.stringify(other?.metadata)).toBe(JSON.stringify(unusual));
      expect(await matchingRecords(store, ns, 'deep')).toEqual([ids[0]]);
    });

    it('may be text that is not well-formed, which does not affect other records', async () => {
      const ns = namespace();
      const broken = note('half \ud83d a pair \ude42', {
        title: '\udc00',
        tags: ['\ud800'],
        metadata: { alias: '\ud800' },
      });
      const [id] = await write(store, ns, broken, note('half whole'));
      expect(await matchingRecords(store, ns, 'pair')).toEqual([id]);
      expect(await matchingRecords(store, ns, 'whole')).toEqual([2]);
      expect(
        await passagesOf(store, ns, await matchingPassages(store, ns, 'half'), {
          ...ALL_LIVE,
          tags: ['\ud800 '],
        }),
      ).toEqual([]);
    });

    it('are rejected if a time is not a whole number of milliseconds', async () => {
      const ns = namespace();
      for (const time of [1.5, Number.NaN, Infinity, 2 ** 60]) {
        for (const field of ['createdAt', 'updatedAt', 'expiresAt'] as const) {
          await expect(write(store, ns, note('x', { [field]: time }))).rejects.toMatchObject({
            code: 'invalid_input',
          });
        }
      }
      const farthest = note('x', { createdAt: Number.MIN_SAFE_INTEGER, expiresAt: Number.MAX_SAFE_INTEGER });
      const [id = 0] = await write(store, ns, farthest);
      expect((await live(ns, [id]))[0]).toMatchObject({
        createdAt: Number.MIN_SAFE_INTEGER,
      });
    });
  });
}

export function describeConflicts({ store, namespace }: StoreFixture): void {
  const batch = (fields: Partial<CommitBatch>): CommitBatch => ({
    chunking: CHUNKING,
    ...fields,
  });

  describe('a commit', () => {
    it('changes nothing when any part of it fails', async () => {
      const ns = namespace();
      await write(store, ns, note('marble worktop', { key: 'a' }), note('granite sink', { key: 'b' }));
      const readAll = async (): Promise<unknown> => ({
        records: await store.records.list(ns, { scan: 'undeleted' }, { after: null, limit: 10 }),
        hits: await searchText(store, ns, anyOf('marble', 'granite', 'intruder'), ALL_LIVE, 10),
        terms: (await store.search.terms(ns, ['marble', 'granite', 'intruder'])).terms,
        stats: await statsOf(store, ns),
      });
      const before = await readAll();
      const intruder = note('intruder');
      const replaced = { ...note('intruder', { key: 'a' }), id: 1 };
      const failing: CommitBatch[] = [
        batch({ writes: [intruder, replaced, note('x', { key: 'b' })] }),
        batch({ writes: [intruder, { ...note('x'), id: 99 }] }),
        batch({ writes: [intruder], evictions: [2, 99] }),
        batch({ writes: [intruder, { id: null, draft: draft(), passages: 'keep' }], evictions: [1] }),
        batch({ writes: [replaced, note('x', { createdAt: 0.5 })], evictions: [2] }),
      ];
      for (const failingBatch of failing) {
        await expect(store.records.commit(ns, failingBatch)).rejects.toThrow();
        expect(await readAll()).toEqual(before);
      }
      expect(await store.admin.verify(ns)).toEqual([]);
    });

    it('rejects an unknown id', async () => {
      const ns = namespace();
      await expect(write(store, ns, { ...note('x'), id: 1 })).rejects.toMatchObject({ code: 'not_found' });
      await expect(store.records.commit(ns, batch({ evictions: [1] }))).rejects.toMatchObject({
        code: 'not_found',
      });
      await write(store, ns, note('x'));
      await expect(store.records.commit(ns, batch({ evictions: [1, 1] }))).rejects.toMatchObject({
        code: 'not_found',
      });
      expect(await matchingRecords(store, ns, 'x')).toEqual([1]);
    });

    it('evicts only records of sources', async () => {
      const ns = namespace();
      const ids = await write(store, ns, ...ORIGINS.map((origin) => note(`by ${origin}`, { origin })));
      for (const [i, origin] of ORIGINS.entries()) {
        const eviction = store.records.commit(ns, batch({ evictions: [ids[i]!] }));
        if (origin === 'vault' || origin === 'source') await eviction;
        else await expect(eviction).rejects.toMatchObject({ code: 'invalid_input' });
      }
      const remaining = await store.records.get(ns, ids, { liveAt: NOW });
      expect(remaining.map(({ origin }) => origin)).toEqual(['memory', 'fact', 'audit']);
    });

    it('accepts a key only once for each source', async () => {
      const ns = namespace();
      await write(store, ns, note('1', { source: 'a', key: 'k' }), note('2', { source: 'b', key: 'k' }));
      await expect(write(store, ns, note('3', { source: 'a', key: 'k' }))).rejects.toMatchObject({
        code: 'conflict',
      });
      const renamed = { ...note('2', { source: 'a', key: 'k' }), id: 2 };
      await expect(write(store, ns, renamed)).rejects.toMatchObject({ code: 'conflict' });
      const duplicates = [note('4', { source: 'c', key: 'k' }), note('5', { source: 'c', key: 'k' })];
      await expect(write(store, ns, ...duplicates)).rejects.toMatchObject({ code: 'conflict' });
      await write(store, ns, note('6', { source: 'a', key: null }), note('7', { source: 'a', key: null }));
      await write(store, ns, { ...note('1 again', { source: 'a', key: 'k' }), id: 1 });
    });

    it('may evict a record and give its key to a new one', async () => {
      const ns = namespace();
      await write(store, ns, note('old', { key: 'k' }));
      expect(
        await store.records.commit(ns, batch({ writes: [note('new', { key: 'k' })], evictions: [1] })),
      ).toEqual([2]);
      expect(idsOf(await notesWithKey(store, ns, 'k'))).toEqual([2]);
    });

    it('may pass keys and UUIDs on from record to record', async () => {
      const ns = namespace();
      const names = Array.from({ length: 12 }, (_, i) => `k${String(i)}`);
      const named = names.map((key) => note(key, { key }));
      const ids = await store.records.commit(ns, batch({ writes: named }));
      // The last record takes a new key, which frees its own for the one before, and so on.
      const moved = [...named.slice(1), note('new', { key: 'new' })].map((write, i) => ({
        ...write,
        id: ids[i]!,
      }));
      await store.records.commit(ns, batch({ writes: moved.toReversed() }));
      const records = await store.records.get(ns, ids, 'any');
      expect(records.map(({ key, uuid }) => [key, uuid])).toEqual(
        moved.map(({ draft }) => [draft.key, draft.uuid]),
      );
      expect(await store.admin.verify(ns)).toEqual([]);
    });

    it('accepts a UUID only once in a namespace', async () => {
      const [ns, other] = [namespace(), namespace()];
      const { uuid } = draft();
      await write(store, ns, note('1', { uuid }));
      await expect(write(store, ns, note('2', { uuid }))).rejects.toMatchObject({ code: 'conflict' });
      await write(store, ns, { ...note('1 again', { uuid }), id: 1 });
      expect(await write(store, other, note('3', { uuid }))).toEqual([1]);
    });

    it('rejects a new record with `passages: "keep"`', async () => {
      const newRecord = { id: null, draft: draft(), passages: 'keep' } as const;
      await expect(write(store, namespace(), newRecord)).rejects.toMatchObject({ code: 'invalid_input' });
    });

    it('creates a namespace only if it succeeds, and the list of namespaces contains only those with records', async () => {
      const [failed, emptied, used] = [namespace(), namespace(), namespace()];
      await expect(write(store, failed, { ...note('x'), id: 5 })).rejects.toThrow();
      await write(store, emptied, note('x'));
      await store.records.commit(emptied, batch({ evictions: [1] }));
      await write(store, used, note('x'));
      const names = await store.admin.namespaces(ADMIN_NAMESPACE);
      expect(names).toContain(used);
      expect(names).not.toContain(failed);
      expect(names).not.toContain(emptied);
    });

    it('may be empty', async () => {
      expect(await store.records.commit(namespace(), batch({}))).toEqual([]);
    });
  });
}
