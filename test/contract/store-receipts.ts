import { describe, expect, it } from 'vitest';
import type { ReceiptFilter, StoredReceipt } from '../../src/store/item-model.ts';
import {
  receiptPut,
  removeReceiptsBefore,
  storedReceipt,
  storedReceipts,
} from '../../src/store/items/kinds.ts';
import type { StoreFixture } from './store-contract.ts';
import { NOW } from './store-samples.ts';
import { ALL, UNUSUAL_TEXTS, purgeRequest, purge } from './written-samples.ts';

/** A stored receipt whose id ends with the number. */
export function receipt(number: number, fields: Partial<StoredReceipt> = {}): StoredReceipt {
  const id = `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`;
  return { id, kind: 'pack', at: NOW + number, hash: `hash ${String(number)}`, body: { id }, ...fields };
}

export function describeReceipts({ store, namespace }: StoreFixture): void {
  const of = 'receipt';
  const add = (ns: string, receipts: readonly StoredReceipt[], { forgetBefore = 0, keep = 100 } = {}) =>
    store().records.commit(ns, {
      items: [...receipts.map(receiptPut), { of, forgetBefore }, { of, keepNewest: keep, by: 'at' }],
    });
  const list = async (
    ns: string,
    filter: Partial<ReceiptFilter> = {},
    page: Parameters<typeof storedReceipts>[3] = ALL,
  ): Promise<number[]> => {
    const found = await storedReceipts(store().records, ns, { since: 0, ...filter }, page);
    return found.map(({ id }) => Number(id.slice(-12)));
  };

  describe('receipts', () => {
    it('are returned as they were added, newest first, ties by id', async () => {
      const ns = namespace();
      const body = { a: [1, null, true, { b: UNUSUAL_TEXTS[1]! }], n: 0.25 };
      const receipts = [receipt(1, { body }), receipt(3, { at: NOW }), receipt(2, { at: NOW })];
      await add(ns, receipts);
      expect(await list(ns)).toEqual([1, 3, 2]);
      expect(await storedReceipt(store().records, ns, receipts[0]!.id)).toEqual(receipts[0]);
      expect(await storedReceipt(store().records, ns, receipt(9).id)).toBeNull();
      expect(await list(ns, {}, { after: { at: NOW, id: receipt(3).id }, limit: 5 })).toEqual([2]);
      expect(await list(ns, {}, { after: null, limit: 1 })).toEqual([1]);
    });

    it('are filtered by time, kind, hash and record', async () => {
      const ns = namespace();
      const record = receipt(100).id;
      await add(ns, [receipt(1), receipt(2, { kind: 'recall' }), receipt(3, { hash: 'hash 1' })]);
      await add(ns, [receipt(1, { body: { candidates: [{ record }] } })]);
      expect(await list(ns, { record })).toEqual([1]);
      expect(await list(ns, { record, since: NOW + 2 })).toEqual([]);
      expect(await list(ns, { since: NOW + 2 })).toEqual([3, 2]);
      expect(await list(ns, { kind: 'recall' })).toEqual([2]);
      expect(await list(ns, { hash: 'hash 1' })).toEqual([3, 1]);
      expect(await list(ns, { hash: 'hash 1', kind: 'pack', since: NOW + 2 })).toEqual([3]);
      expect(
        await list(ns, { hash: 'hash 1' }, { after: { at: NOW + 3, id: receipt(3).id }, limit: 5 }),
      ).toEqual([1]);
    });

    it('replace one of the same id, and remove those that are too old or too many', async () => {
      const ns = namespace();
      await add(ns, [receipt(1), receipt(2), receipt(3)]);
      await add(ns, [receipt(2, { body: 'new', at: NOW + 9 })]);
      expect(await list(ns)).toEqual([2, 3, 1]);
      await add(ns, [receipt(4)], { forgetBefore: NOW + 3 });
      expect(await list(ns)).toEqual([2, 4, 3]);
      await add(ns, [receipt(5, { at: NOW + 4 })], { keep: 3 });
      expect(await list(ns)).toEqual([2, 5, 4]);
    });

    it('are removed by their time alone, and not by a purge', async () => {
      const ns = namespace();
      await add(ns, [receipt(1), receipt(2)]);
      await purge(store().records, ns, purgeRequest());
      expect(await list(ns)).toEqual([2, 1]);
      await removeReceiptsBefore(store().records, ns, NOW + 2);
      expect(await list(ns)).toEqual([2]);
      await removeReceiptsBefore(store().records, ns, NOW + 3);
      expect(await list(ns)).toEqual([]);
      await removeReceiptsBefore(store().records, namespace(), NOW + 3);
    });

    it('are refused with a time that is not whole', async () => {
      await expect(add(namespace(), [receipt(1, { at: 0.5 })])).rejects.toMatchObject({
        code: 'invalid_input',
      });
    });

    it('are of one namespace', async () => {
      const [ours, theirs] = [namespace(), namespace()];
      await add(ours, [receipt(1)]);
      await add(theirs, [receipt(1, { body: 'theirs' }), receipt(2)], { keep: 1, forgetBefore: NOW + 2 });
      expect(await list(ours)).toEqual([1]);
      expect(await storedReceipt(store().records, ours, receipt(1).id)).toEqual(receipt(1));
      expect(await storedReceipt(store().records, ours, receipt(2).id)).toBeNull();
      await removeReceiptsBefore(store().records, theirs, NOW + 100);
      expect(await list(ours)).toEqual([1]);
      expect(await list(namespace())).toEqual([]);
    });
  });
}
