import { ADMIN_NAMESPACE } from '../../src/store/rules/admin-namespace.ts';
import { describe, expect, it } from 'vitest';
import type { StoreFixture } from './store-contract.ts';
import { nearestInTime, searchVectors } from './queries.ts';
import {
  ALL_LIVE,
  chunkedRecord,
  countNotesWithKeys,
  draft,
  embed,
  matchingRecords,
  note,
  notesWithKey,
  NOW,
  passage,
  unit,
  write,
} from './store-samples.ts';
import { NO_TRACE, traces } from './traces.ts';
import { ALL, commit, deleteRecords, fact, idsOf, replacePassages, restore } from './written-samples.ts';

export function describeDeletionAndRestoration(fixture: StoreFixture): void {
  describeDeletions(fixture);
  describeRestorations(fixture);
}

function describeDeletions({ store, namespace, generation }: StoreFixture): void {
  describe('a deletion', () => {
    it('removes a record from every index at once, and keeps the record', async () => {
      const [ns, vectors] = [namespace(), await generation(3)];
      await write(store(), ns, note('stays'), note('confidential', { title: 'confidential', key: 'k' }));
      await embed(store(), vectors, ns, () => unit(1, 0, 0));
      const [before] = await store().records.get(ns, [2], 'any');
      await deleteRecords(store(), ns, 2);
      expect(await traces(store(), ns, 2, 'confidential')).toEqual(NO_TRACE);
      expect(await searchVectors(store(), ns, vectors, unit(1, 0, 0), ALL_LIVE, 5)).toHaveLength(1);
      expect(await notesWithKey(store(), ns, 'k')).toEqual([]);
      expect(await countNotesWithKeys(store(), ns, ['k'])).toEqual([0]);
      expect(idsOf(await store().records.sourceEntries(ns, 'notes', ALL))).toEqual([1]);
      expect(await nearestInTime(store(), ns, ALL_LIVE, 10)).toHaveLength(1);
      expect(await store().records.get(ns, [2], 'any')).toEqual([{ ...before, deletedAt: NOW }]);
      expect(await store().admin.namespaces(ADMIN_NAMESPACE)).toContain(ns);
    });

    it('stays in effect when derived data is rebuilt', async () => {
      const ns = namespace();
      await write(store(), ns, note('stays'), note('confidential'));
      const [record] = await store().records.get(ns, [2], 'any');
      await deleteRecords(store(), ns, 2);
      await store().admin.resetDerived(ns, { drop: false, vectors: true });
      expect(idsOf(await store().records.list(ns, { scan: 'stale', chunking: 'other' }, ALL))).toEqual([1]);
      await replacePassages(
        store(),
        ns,
        'other',
        new Map([[2, chunkedRecord(record, [passage('confidential')])]]),
      );
      expect(await traces(store(), ns, 2, 'confidential')).toEqual(NO_TRACE);
      expect(await store().admin.verify(ns)).toEqual([]);
    });

    it('is rejected for a record that is missing, expired or already deleted', async () => {
      const ns = namespace();
      await expect(deleteRecords(store(), ns, 1)).rejects.toMatchObject({ code: 'not_found' });
      await write(store(), ns, note('a'));
      await expect(deleteRecords(store(), ns, 1, 1)).rejects.toMatchObject({ code: 'not_found' });
      await deleteRecords(store(), ns, 1);
      await expect(deleteRecords(store(), ns, 1)).rejects.toMatchObject({ code: 'not_found' });
      expect((await store().records.bounds(ns)).oldestDeletion).toBe(NOW);
    });

    it('prevents updates of the record and the reuse of its UUID', async () => {
      const ns = namespace();
      const { uuid } = draft();
      await write(store(), ns, note('a', { uuid }));
      await deleteRecords(store(), ns, 1);
      for (const passages of [[passage('b')], 'keep'] as const) {
        const update = { id: 1, draft: draft({ uuid }), passages };
        await expect(write(store(), ns, update)).rejects.toMatchObject({ code: 'not_found' });
      }
      await expect(write(store(), ns, note('b', { uuid }))).rejects.toMatchObject({ code: 'conflict' });
    });

    it('is rejected if its time is not a whole number', async () => {
      const ns = namespace();
      await write(store(), ns, note('a'));
      for (const at of [0.5, Number.NaN, 2 ** 60]) {
        const deletions = [{ id: 1, at }];
        await expect(commit(store(), ns, { deletions })).rejects.toMatchObject({ code: 'invalid_input' });
      }
      expect(idsOf(await store().records.get(ns, [1], { liveAt: NOW }))).toEqual([1]);
    });
  });

  describe('an update with an expected state', () => {
    it('succeeds only if the record has not changed in the meantime', async () => {
      const ns = namespace();
      await write(store(), ns, note('first', { updatedAt: 5 }));
      const update = (text: string, expected: number): Promise<number[]> =>
        write(store(), ns, { ...note(text, { updatedAt: 6 }), id: 1, expected });
      await expect(update('late', 4)).rejects.toMatchObject({ code: 'conflict' });
      expect(await matchingRecords(store(), ns, 'first', 'late')).toEqual([1]);
      expect(await matchingRecords(store(), ns, 'late')).toEqual([]);
      await update('second', 5);
      await expect(update('late', 5)).rejects.toMatchObject({ code: 'conflict' });
      expect(await matchingRecords(store(), ns, 'second')).toEqual([1]);
    });
  });
}

function describeRestorations({ store, namespace }: StoreFixture): void {
  const restoreRecord = (ns: string, id: number, text: string): Promise<number[]> =>
    restore(store(), ns, id, text, 'later');

  describe('a restoration', () => {
    it('restores a record with the new passages', async () => {
      const ns = namespace();
      await write(store(), ns, note('before', { title: 'Heading', tags: ['t'] }));
      const before = await store().records.get(ns, [1], { liveAt: NOW });
      await deleteRecords(store(), ns, 1);
      expect(await restoreRecord(ns, 1, 'after')).toEqual([]);
      const restored = await store().records.get(ns, [1], { liveAt: NOW });
      expect(restored).toEqual(before.map((record) => ({ ...record, updatedAt: restored[0]?.updatedAt })));
      expect(await matchingRecords(store(), ns, 'after')).toEqual([1]);
      expect(await matchingRecords(store(), ns, 'heading')).toEqual([1]);
      expect(await matchingRecords(store(), ns, 'before')).toEqual([]);
      expect((await store().records.bounds(ns)).oldestDeletion).toBeNull();
      expect(await store().records.list(ns, { scan: 'stale', chunking: 'later' }, ALL)).toEqual([]);
    });

    it('is an update that is newer than the deletion', async () => {
      const ns = namespace();
      await write(store(), ns, note('a'), note('b'));
      await commit(store(), ns, { deletions: [1, 2].map((id) => ({ id, at: NOW + 5 })) });
      const restoredAt = async (id: number, at: number): Promise<number | undefined> => {
        await commit(store(), ns, { restorations: [{ id, at, passages: [passage('a')] }] });
        return (await store().records.get(ns, [id], 'any'))[0]?.updatedAt;
      };
      expect([await restoredAt(1, NOW + 9), await restoredAt(2, NOW + 1)]).toEqual([NOW + 9, NOW + 6]);
    });

    it('is rejected for a record that is missing or live', async () => {
      const ns = namespace();
      await expect(restoreRecord(ns, 1, 'a')).rejects.toMatchObject({ code: 'not_found' });
      await write(store(), ns, note('a'));
      await expect(restoreRecord(ns, 1, 'b')).rejects.toMatchObject({ code: 'not_found' });
      expect(await matchingRecords(store(), ns, 'b')).toEqual([]);
    });

    it('is rejected when another fact has the key', async () => {
      const ns = namespace();
      await write(store(), ns, fact('k', 'c', 'old'));
      await deleteRecords(store(), ns, 1);
      await write(store(), ns, fact('k', 'c', 'new'));
      await expect(restoreRecord(ns, 1, 'old')).rejects.toMatchObject({ code: 'conflict' });
      const swap = {
        deletions: [{ id: 2, at: NOW }],
        restorations: [{ id: 1, at: NOW, passages: [passage('old')] }],
      };
      await commit(store(), ns, swap);
      expect(idsOf(await store().records.list(ns, { filter: ALL_LIVE }, ALL))).toEqual([1]);
      expect(await matchingRecords(store(), ns, 'old', 'new')).toEqual([1]);
    });

    it('of a fact without a key never conflicts', async () => {
      const ns = namespace();
      await write(store(), ns, fact(null, 'c', 'old'), fact(null, 'c', 'new'));
      await deleteRecords(store(), ns, 1);
      await restoreRecord(ns, 1, 'old');
      expect([await matchingRecords(store(), ns, 'old'), await matchingRecords(store(), ns, 'new')]).toEqual([
        [1],
        [2],
      ]);
    });
  });

  describe('a fact', () => {
    it('is unique by key and category across sources, and does not conflict with documents of the same key', async () => {
      const ns = namespace();
      await write(
        store(),
        ns,
        fact('k', 'c', 'one'),
        fact('k', 'd', 'two'),
        note('three', { key: 'k', source: 'mcp' }),
      );
      const duplicate = fact('k', 'c', 'four', { source: 'rest' });
      await expect(write(store(), ns, duplicate)).rejects.toMatchObject({ code: 'conflict' });
      const moved = { ...fact('k', 'c', 'two'), id: 2 };
      await expect(write(store(), ns, moved)).rejects.toMatchObject({ code: 'conflict' });
      expect(idsOf(await notesWithKey(store(), ns, 'k'))).toEqual([3]);
      expect(await countNotesWithKeys(store(), ns, ['k'])).toEqual([1]);
      expect(idsOf(await store().records.sourceEntries(ns, 'mcp', ALL))).toEqual([3]);
    });

    it('frees its key when it is deleted, but not when it expires', async () => {
      const ns = namespace();
      await write(store(), ns, fact('k', 'c', 'one', { expiresAt: NOW - 1 }));
      await expect(write(store(), ns, fact('k', 'c', 'two'))).rejects.toMatchObject({ code: 'conflict' });
      // A read as of an earlier time finds the expired fact, so that one commit can replace it.
      const [expired] = await store().records.list(
        ns,
        { filter: { now: 0, origins: ['fact'], key: 'k' } },
        ALL,
      );
      expect(expired?.id).toBe(1);
      const writes = [fact('k', 'c', 'two')];
      expect(await commit(store(), ns, { deletions: [{ id: 1, at: NOW }], writes })).toEqual([2]);
      expect(await matchingRecords(store(), ns, 'one', 'two')).toEqual([2]);
    });
  });
}
