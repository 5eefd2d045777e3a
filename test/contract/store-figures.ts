import { describe, expect, it } from 'vitest';
import { receiptPut } from '../../src/store/items/kinds.ts';
import { ADMIN_NAMESPACE } from '../../src/store/rules/admin-namespace.ts';
import type { StoreFixture } from './store-contract.ts';
import { embed, note, NOW, unit, write } from './store-samples.ts';
import { deleteRecords } from './written-samples.ts';

export function describeFigures({ store, namespace, generation }: StoreFixture): void {
  describe('figures of all namespaces', () => {
    it('are sums, and change with what any of them has', async () => {
      const before = await store.admin.totals(ADMIN_NAMESPACE);
      const [first, second] = [namespace(), namespace()];
      await write(store, first, note(['one', 'two']), note('three'));
      await write(store, second, note('four'));
      await deleteRecords(store, first, 2);
      await embed(store, await generation(3), first, () => unit(1, 0, 0));
      const after = await store.admin.totals(ADMIN_NAMESPACE);
      expect({ records: after.records, passages: after.passages, vectors: after.vectors }).toEqual({
        records: before.records + 2,
        passages: before.passages + 3,
        vectors: before.vectors + 2,
      });
      const { otherNamespaces } = await store.admin.size(ADMIN_NAMESPACE, first);
      await write(store, namespace(), note('five'));
      expect((await store.admin.size(ADMIN_NAMESPACE, first)).otherNamespaces).toBe(otherNamespaces + 1);
      expect((await store.admin.size(ADMIN_NAMESPACE, 'no such namespace')).otherNamespaces).toBe(
        otherNamespaces + 2,
      );
    });

    it('count the records that are found at a time', async () => {
      const [ns, empty] = [namespace(), namespace()];
      await write(store, ns, note('stays'), note('ends', { expiresAt: NOW + 5 }), note('deleted'));
      await write(store, empty, note('deleted'));
      await deleteRecords(store, ns, 3);
      await deleteRecords(store, empty, 1);
      const countsAt = async (now: number): Promise<unknown> =>
        (await store.admin.recordCounts(ADMIN_NAMESPACE, now)).filter((each) =>
          [ns, empty].includes(each.namespace),
        );
      const others = { namespace: empty, records: 0 };
      expect(await countsAt(NOW)).toEqual([{ namespace: ns, records: 2 }, others]);
      expect(await countsAt(NOW + 5)).toEqual([{ namespace: ns, records: 1 }, others]);
      expect(await store.admin.namespaces(ADMIN_NAMESPACE, ns)).toEqual([ns]);
      expect(await store.admin.namespaces(ADMIN_NAMESPACE, namespace())).toEqual([]);
    });

    it('name the namespaces with something to purge, and no others', async () => {
      const [deleted, expiring, receipts, neither] = [namespace(), namespace(), namespace(), namespace()];
      await write(store, deleted, note('a'));
      await deleteRecords(store, deleted, 1);
      await write(store, expiring, note('b', { expiresAt: NOW + 5 }));
      await write(store, neither, note('c'));
      const body = { at: NOW, kind: 'search' };
      await store.records.commit(receipts, {
        items: [receiptPut({ id: 'r', kind: 'search', at: NOW, hash: 'h', body })],
      });
      const all = [deleted, expiring, receipts, neither];
      const due = async (times: Parameters<typeof store.admin.dueNamespaces>[1]): Promise<string[]> =>
        (await store.admin.dueNamespaces(ADMIN_NAMESPACE, times)).filter((each) => all.includes(each));
      expect(await due({ deletedBefore: NOW, expiredBy: NOW })).toEqual([]);
      expect(await due({ deletedBefore: NOW + 1, expiredBy: NOW })).toEqual([deleted]);
      expect(await due({ deletedBefore: NOW, expiredBy: NOW + 5 })).toEqual([expiring]);
      expect(await due({ receiptsBefore: NOW })).toEqual([]);
      expect(await due({ receiptsBefore: NOW + 1 })).toEqual([receipts]);
    });

    it('name the namespaces with texts that have no vector', async () => {
      const [whole, part] = [namespace(), namespace()];
      const id = await generation(3);
      await write(store, whole, note('same'), note('same'));
      await embed(store, id, whole, () => unit(1, 0, 0));
      await write(store, part, note(['ä', 'ä', 'b']), note('gone'));
      await deleteRecords(store, part, 2);
      const pending = async (of: number): Promise<unknown> =>
        (await store.vectors.allPending(ADMIN_NAMESPACE, of)).filter((each) =>
          [whole, part].includes(each.namespace),
        );
      const ofPart = { namespace: part, texts: 2, bytes: 3 };
      expect(await pending(id)).toEqual([ofPart]);
      expect(await pending(0)).toEqual([{ namespace: whole, texts: 1, bytes: 4 }, ofPart]);
    });

    it('compare every namespace once', async () => {
      const names: string[] = [];
      for (let i = 0; i < 9; i++) await write(store, namespace(), note('a'));
      for (let after: string | undefined = ''; after !== undefined;) {
        const page = await store.admin.verifyNamespaces(ADMIN_NAMESPACE, after);
        names.push(...page.map((each) => each.namespace));
        after = page.at(-1)?.namespace;
      }
      expect(new Set(names).size).toBe(names.length);
      const { otherNamespaces } = await store.admin.size(ADMIN_NAMESPACE, '');
      expect(names).toHaveLength(otherNamespaces);
    });
  });
}
