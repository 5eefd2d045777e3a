import { describe, expect, it } from 'vitest';
import type { StoreFixture } from './store-contract.ts';
import { evict, note, NOW, write } from './store-samples.ts';
import { ALL, commit, deleteRecords, fact, purgeRequest, restore, purge } from './written-samples.ts';

export function describeChanges({ store, namespace }: StoreFixture): void {
  /** Each change after a cursor, as `record kind`, and the cursor at the end of the feed. */
  const changesAfter = async (
    ns: string,
    after: number | null,
  ): Promise<{ changed: string[]; cursor: number }> => {
    const { changes, mustRestart } = await store().records.changes(ns, { ...ALL, after });
    expect(mustRestart).toBe(false);
    expect(changes.map(({ sequence }) => sequence)).toEqual(
      changes.map(({ sequence }) => sequence).toSorted((a, b) => a - b),
    );
    const changed = changes.map(({ record, kind }) => `${String(record)} ${kind}`);
    return { changed, cursor: changes.at(-1)?.sequence ?? after ?? 0 };
  };

  describe('changes', () => {
    it('include every record without a cursor, and later changes only with a cursor', async () => {
      const ns = namespace();
      await write(store(), ns, note('a'), note('b'), note('c'));
      const first = await changesAfter(ns, null);
      expect(first.changed).toEqual(['1 written', '2 written', '3 written']);
      await write(store(), ns, { ...note('b again'), id: 2 });
      await write(store(), ns, note('d'));
      expect((await changesAfter(ns, first.cursor)).changed).toEqual(['2 written', '4 written']);
    });

    it('include only the last change of a record', async () => {
      const ns = namespace();
      await write(store(), ns, note('a'), note('b'));
      await write(store(), ns, { ...note('a again'), id: 1 });
      await deleteRecords(store(), ns, 2);
      expect((await changesAfter(ns, null)).changed).toEqual(['1 written', '2 deleted']);
    });

    it('distinguish deletion, removal and restoration', async () => {
      const ns = namespace();
      await write(store(), ns, note('a'), note('b'));
      await commit(store(), ns, { writes: [fact('k', 'c', 'text', { expiresAt: NOW + 1 })] });
      const { cursor } = await changesAfter(ns, null);
      await deleteRecords(store(), ns, 1);
      await evict(store(), ns, 2);
      await purge(store().records, ns, purgeRequest({ expiredBy: NOW + 1, deletedBefore: 0 }));
      const next = await changesAfter(ns, cursor);
      expect(next.changed).toEqual(['1 deleted', '2 removed', '3 removed']);
      await restore(store(), ns, 1, 'a');
      expect((await changesAfter(ns, next.cursor)).changed).toEqual(['1 written']);
    });

    it('are returned in pages', async () => {
      const ns = namespace();
      await write(store(), ns, note('a'), note('b'), note('c'));
      const { changes } = await store().records.changes(ns, { after: null, limit: 2 });
      expect(changes.map(({ record }) => record)).toEqual([1, 2]);
      expect((await changesAfter(ns, changes[1]!.sequence)).changed).toEqual(['3 written']);
    });

    it('do not include those of a failed commit or of another namespace', async () => {
      const [ns, other] = [namespace(), namespace()];
      await write(store(), ns, note('a', { key: 'a.md' }));
      await write(store(), other, note('b'));
      await expect(write(store(), ns, note('b'), note('c', { key: 'a.md' }))).rejects.toMatchObject({
        code: 'conflict',
      });
      expect((await changesAfter(ns, null)).changed).toEqual(['1 written']);
    });

    it('must be read from the start if the cursor is higher than every sequence number', async () => {
      const ns = namespace();
      const none = { changes: [], mustRestart: false };
      expect(await store().records.changes(ns, ALL)).toEqual(none);
      await write(store(), ns, note('a'));
      const { cursor } = await changesAfter(ns, null);
      expect(await store().records.changes(ns, { ...ALL, after: cursor })).toEqual(none);
      expect(await store().records.changes(ns, { ...ALL, after: cursor + 1 })).toEqual({
        changes: [],
        mustRestart: true,
      });
    });
  });
}
