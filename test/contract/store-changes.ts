import { describe, expect, it } from 'vitest';
import type { StoreFixture } from './store-contract.ts';
import { CHUNKING, evict, note, NOW, passage, write } from './store-samples.ts';
import { ALL, commit, fact, purgeRequest, deleteRecords } from './written-samples.ts';

export function describeChanges({ store, namespace }: StoreFixture): void {
  /** `record kind` of each change after a sequence number, and where the feed ends. */
  const changesAfter = async (
    ns: string,
    after: number | null,
  ): Promise<{ seen: string[]; last: number }> => {
    const { changes, mustRestart } = await store().records.changes(ns, { ...ALL, after });
    expect(mustRestart).toBe(false);
    expect(changes.map(({ sequence }) => sequence)).toEqual(
      changes.map(({ sequence }) => sequence).toSorted((a, b) => a - b),
    );
    const seen = changes.map(({ record, kind }) => `${String(record)} ${kind}`);
    return { seen, last: changes.at(-1)?.sequence ?? after ?? 0 };
  };

  describe('changes', () => {
    it('list every record without a cursor, and with a cursor only what changed since', async () => {
      const ns = namespace();
      await write(store(), ns, note('a'), note('b'), note('c'));
      const first = await changesAfter(ns, null);
      expect(first.seen).toEqual(['1 written', '2 written', '3 written']);
      await write(store(), ns, { ...note('b again'), id: 2 });
      await write(store(), ns, note('d'));
      expect((await changesAfter(ns, first.last)).seen).toEqual(['2 written', '4 written']);
    });

    it('contain only the last change of a record', async () => {
      const ns = namespace();
      await write(store(), ns, note('a'), note('b'));
      await write(store(), ns, { ...note('a again'), id: 1 });
      await deleteRecords(store(), ns, 2);
      expect((await changesAfter(ns, null)).seen).toEqual(['1 written', '2 deleted']);
    });

    it('distinguish deletion, removal and restoration', async () => {
      const ns = namespace();
      await write(store(), ns, note('a'), note('b'));
      await commit(store(), ns, { writes: [fact('k', 'c', 'text', { expiresAt: NOW + 1 })] });
      const { last } = await changesAfter(ns, null);
      await deleteRecords(store(), ns, 1);
      await evict(store(), ns, 2);
      await store().records.purge(ns, purgeRequest({ expiredBy: NOW + 1, deletedBefore: 0 }));
      const next = await changesAfter(ns, last);
      expect(next.seen).toEqual(['1 deleted', '2 removed', '3 removed']);
      await store().records.commit(ns, {
        restorations: [{ id: 1, passages: [passage('a')] }],
        chunking: CHUNKING,
      });
      expect((await changesAfter(ns, next.last)).seen).toEqual(['1 written']);
    });

    it('are returned in pages', async () => {
      const ns = namespace();
      await write(store(), ns, note('a'), note('b'), note('c'));
      const { changes } = await store().records.changes(ns, { after: null, limit: 2 });
      expect(changes.map(({ record }) => record)).toEqual([1, 2]);
      expect((await changesAfter(ns, changes[1]!.sequence)).seen).toEqual(['3 written']);
    });

    it('do not include a failed commit or another namespace', async () => {
      const [ns, other] = [namespace(), namespace()];
      await write(store(), ns, note('a', { key: 'a.md' }));
      await write(store(), other, note('b'));
      await expect(write(store(), ns, note('b'), note('c', { key: 'a.md' }))).rejects.toMatchObject({
        code: 'conflict',
      });
      expect((await changesAfter(ns, null)).seen).toEqual(['1 written']);
    });

    it('tell a follower with a cursor from the future to start again', async () => {
      const ns = namespace();
      const none = { changes: [], mustRestart: false };
      expect(await store().records.changes(ns, ALL)).toEqual(none);
      await write(store(), ns, note('a'));
      const { last } = await changesAfter(ns, null);
      expect(await store().records.changes(ns, { ...ALL, after: last })).toEqual(none);
      expect(await store().records.changes(ns, { ...ALL, after: last + 1 })).toEqual({
        changes: [],
        mustRestart: true,
      });
    });
  });
}
