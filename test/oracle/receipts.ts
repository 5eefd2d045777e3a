import type { GoldenQuery } from '../../src/store/golden-model.ts';
import type { Label, ReceiptBatch, ReceiptCursor, StoredReceipt } from '../../src/store/receipt-model.ts';
import { wellFormed } from '../../src/store/rules/well-formed.ts';
import type { StoreReceipts } from '../../src/store/store.ts';
import { byCodePoint, type Namespace, type OracleState } from './state.ts';

export function receiptCalls(state: OracleState): StoreReceipts {
  return {
    add: async (name, batch) => {
      state.change(name, (namespace) => {
        add(namespace, structuredClone(batch));
      });
    },
    removeBefore: async (name, time) => {
      removeReceiptsBefore(state.read(name), time);
    },
    get: async (name, id) => structuredClone(state.read(name).receipts.get(id) ?? null),
    list: async (name, { since, kind, hash }, { after, limit }) =>
      structuredClone(
        newestFirst(state.read(name))
          .filter(
            (receipt) =>
              receipt.at >= since &&
              (kind === undefined || receipt.kind === kind) &&
              (hash === undefined || receipt.hash === hash) &&
              (after === null || byTime(receipt, after) > 0),
          )
          .slice(0, limit),
      ),
    labels: async (name, receipt, { after, limit }) =>
      structuredClone(
        [...state.read(name).labels.values()]
          .filter((label) => label.sequence > (after ?? 0) && (receipt === null || label.receipt === receipt))
          .sort((a, b) => a.sequence - b.sequence)
          .slice(0, limit),
      ),
    goldenQueries: async (name, { after, limit }) =>
      structuredClone(
        [...state.read(name).goldenQueries.values()]
          .filter(({ sequence }) => sequence > (after ?? 0))
          .sort((a, b) => a.sequence - b.sequence)
          .slice(0, limit),
      ),
  };
}

function add(namespace: Namespace, { receipts, forgetBefore, keep }: ReceiptBatch): void {
  for (const receipt of receipts) namespace.receipts.set(receipt.id, receipt);
  removeReceiptsBefore(namespace, forgetBefore);
  for (const { id } of newestFirst(namespace).slice(keep)) namespace.receipts.delete(id);
}

function removeReceiptsBefore({ receipts }: Namespace, time: number): void {
  for (const { id, at } of [...receipts.values()]) if (at < time) receipts.delete(id);
}

function newestFirst({ receipts }: Namespace): StoredReceipt[] {
  return [...receipts.values()].sort(byTime);
}

function byTime(a: ReceiptCursor, b: ReceiptCursor): number {
  return b.at - a.at || byCodePoint(b.id, a.id);
}

export function putLabels({ labels }: Namespace, added: readonly Label[]): void {
  for (const label of added.map(wellFormed)) {
    const key = JSON.stringify([label.receipt, label.record]);
    const sequence = labels.get(key)?.sequence ?? labels.size + 1;
    labels.set(key, { ...label, sequence });
  }
}

export function putGoldenQueries({ goldenQueries }: Namespace, added: readonly GoldenQuery[]): void {
  for (const golden of added.map(wellFormed)) {
    const sequence = goldenQueries.get(golden.id)?.sequence ?? goldenQueries.size + 1;
    goldenQueries.set(golden.id, { ...golden, sequence });
  }
}
