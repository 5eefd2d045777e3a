import { ADMIN_NAMESPACE } from '../../src/store/rules/admin-namespace.ts';
import { describe, expect, it } from 'vitest';
import { ORIGINS } from '../../src/core/types.ts';
import type { CommitBatch } from '../../src/store/model.ts';
import type { StoreFixture } from './store-contract.ts';
import { searchText } from './queries.ts';
import {
  ALL_LIVE,
  anyOf,
  CHUNKING,
  draft,
  matchingRecords,
  note,
  notesWithKey,
  NOW,
  statsOf,
  write,
} from './store-samples.ts';
import { idsOf } from './written-samples.ts';

export function describeConflicts({ store, namespace }: StoreFixture): void {
  const batch = (fields: Partial<CommitBatch>): CommitBatch => ({
    chunking: CHUNKING,
    ...fields,
  });

  describe('a commit', () => {
    it('changes nothing when any part of it fails', async () => {
      const ns = namespace();
      await write(store(), ns, note('marble worktop', { key: 'a' }), note('granite sink', { key: 'b' }));
      const readAll = async (): Promise<unknown> => ({
        records: await store().records.list(ns, { scan: 'undeleted' }, { after: null, limit: 10 }),
        hits: await searchText(store(), ns, anyOf('marble', 'granite', 'intruder'), ALL_LIVE, 10),
        terms: (await store().search.terms(ns, ['marble', 'granite', 'intruder'])).terms,
        stats: await statsOf(store(), ns),
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
        await expect(store().records.commit(ns, failingBatch)).rejects.toThrow();
        expect(await readAll()).toEqual(before);
      }
      expect(await store().admin.verify(ns)).toEqual([]);
    });

    it('rejects an unknown id', async () => {
      const ns = namespace();
      await expect(write(store(), ns, { ...note('x'), id: 1 })).rejects.toMatchObject({ code: 'not_found' });
      await expect(store().records.commit(ns, batch({ evictions: [1] }))).rejects.toMatchObject({
        code: 'not_found',
      });
      await write(store(), ns, note('x'));
      await expect(store().records.commit(ns, batch({ evictions: [1, 1] }))).rejects.toMatchObject({
        code: 'not_found',
      });
      expect(await matchingRecords(store(), ns, 'x')).toEqual([1]);
    });

    it('evicts only records of sources', async () => {
      const ns = namespace();
      const ids = await write(store(), ns, ...ORIGINS.map((origin) => note(`by ${origin}`, { origin })));
      for (const [i, origin] of ORIGINS.entries()) {
        const eviction = store().records.commit(ns, batch({ evictions: [ids[i]!] }));
        if (origin === 'vault' || origin === 'source') await eviction;
        else await expect(eviction).rejects.toMatchObject({ code: 'invalid_input' });
      }
      const remaining = await store().records.get(ns, ids, { liveAt: NOW });
      expect(remaining.map(({ origin }) => origin)).toEqual(['memory', 'fact', 'audit']);
    });

    it('accepts a key only once for each source', async () => {
      const ns = namespace();
      await write(store(), ns, note('1', { source: 'a', key: 'k' }), note('2', { source: 'b', key: 'k' }));
      await expect(write(store(), ns, note('3', { source: 'a', key: 'k' }))).rejects.toMatchObject({
        code: 'conflict',
      });
      const renamed = { ...note('2', { source: 'a', key: 'k' }), id: 2 };
      await expect(write(store(), ns, renamed)).rejects.toMatchObject({ code: 'conflict' });
      const duplicates = [note('4', { source: 'c', key: 'k' }), note('5', { source: 'c', key: 'k' })];
      await expect(write(store(), ns, ...duplicates)).rejects.toMatchObject({ code: 'conflict' });
      await write(store(), ns, note('6', { source: 'a', key: null }), note('7', { source: 'a', key: null }));
      await write(store(), ns, { ...note('1 again', { source: 'a', key: 'k' }), id: 1 });
    });

    it('may evict a record and give its key to a new one', async () => {
      const ns = namespace();
      await write(store(), ns, note('old', { key: 'k' }));
      expect(
        await store().records.commit(ns, batch({ writes: [note('new', { key: 'k' })], evictions: [1] })),
      ).toEqual([2]);
      expect(idsOf(await notesWithKey(store(), ns, 'k'))).toEqual([2]);
    });

    it('may pass keys and UUIDs on from record to record', async () => {
      const ns = namespace();
      const names = Array.from({ length: 12 }, (_, i) => `k${String(i)}`);
      const named = names.map((key) => note(key, { key }));
      const ids = await store().records.commit(ns, batch({ writes: named }));
      // The last record takes a new key, which frees its own for the one before, and so on.
      const moved = [...named.slice(1), note('new', { key: 'new' })].map((write, i) => ({
        ...write,
        id: ids[i]!,
      }));
      await store().records.commit(ns, batch({ writes: moved.toReversed() }));
      const records = await store().records.get(ns, ids, 'any');
      expect(records.map(({ key, uuid }) => [key, uuid])).toEqual(
        moved.map(({ draft }) => [draft.key, draft.uuid]),
      );
      expect(await store().admin.verify(ns)).toEqual([]);
    });

    it('accepts a UUID only once in a namespace', async () => {
      const [ns, other] = [namespace(), namespace()];
      const { uuid } = draft();
      await write(store(), ns, note('1', { uuid }));
      await expect(write(store(), ns, note('2', { uuid }))).rejects.toMatchObject({ code: 'conflict' });
      await write(store(), ns, { ...note('1 again', { uuid }), id: 1 });
      expect(await write(store(), other, note('3', { uuid }))).toEqual([1]);
    });

    it('rejects a new record with `passages: "keep"`', async () => {
      const newRecord = { id: null, draft: draft(), passages: 'keep' } as const;
      await expect(write(store(), namespace(), newRecord)).rejects.toMatchObject({ code: 'invalid_input' });
    });

    it('creates a namespace only if it succeeds, and the list of namespaces contains only those with records', async () => {
      const [failed, emptied, used] = [namespace(), namespace(), namespace()];
      await expect(write(store(), failed, { ...note('x'), id: 5 })).rejects.toThrow();
      await write(store(), emptied, note('x'));
      await store().records.commit(emptied, batch({ evictions: [1] }));
      await write(store(), used, note('x'));
      const names = await store().admin.namespaces(ADMIN_NAMESPACE);
      expect(names).toContain(used);
      expect(names).not.toContain(failed);
      expect(names).not.toContain(emptied);
    });

    it('may be empty', async () => {
      expect(await store().records.commit(namespace(), batch({}))).toEqual([]);
    });
  });
}
