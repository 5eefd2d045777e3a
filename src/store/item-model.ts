/**
 * The types of items: what a namespace keeps beside its records, such as receipts, runs and states of sources. The store does
 * not look into their bodies; `items/kinds.ts` says what each kind has.
 */

import type { Json, Timestamp } from '../core/types.ts';

export const ITEM_KINDS = [
  'startup',
  'startup_digest',
  'pack_history',
  'pipeline_history',
  'receipt',
  'source_state',
  'source_file',
  'graph_layout',
  'token',
  'idempotency',
  'unseen',
] as const;
export type ItemKind = (typeof ITEM_KINDS)[number];

export interface ItemId {
  readonly kind: ItemKind;
  /** Unique in the namespace and kind. */
  readonly key: string;
}

export interface StoredItem extends ItemId {
  /** Grows with every new item of the namespace and kind, from 1; an item that changes keeps it. */
  readonly position: number;
  readonly at: Timestamp;
  /** When a purge removes it; `null` for never. */
  readonly expiresAt: Timestamp | null;
  /** Divides a kind further; `null` for most. */
  readonly type: string | null;
  /** What it is looked up by besides its key, such as a hash. */
  readonly ref: string | null;
  /** JSON, unless the store is damaged. */
  readonly body: string;
}

/** An item to write. Without a key, its position becomes its key. */
export interface ItemDraft {
  readonly kind: ItemKind;
  readonly key: string | null;
  readonly at: Timestamp;
  readonly expiresAt?: Timestamp | null;
  readonly type?: string | null;
  readonly ref?: string | null;
  readonly body: Json;
}

type JsonObject = Readonly<Record<string, Json>>;

/** What items are ordered by. Times that are equal are ordered by key. */
export type ItemOrder = 'position' | 'at' | 'key';

/** A change of items. Items are put and changed first, in order; then the others are removed. */
export type ItemChange =
  /** `fail` also counts another item of the kind with the same `ref`. Default: `replace`. */
  | { readonly put: ItemDraft; readonly ifExists?: 'replace' | 'skip' | 'fail' }
  /**
   * Sets fields of the body, and adds to numbers in it. An item that does not exist begins with the `initial` fields, or is skipped
   * without them. A body that has not the `expected` fields is a `conflict`.
   */
  | {
      readonly change: ItemId;
      readonly set: JsonObject;
      readonly add?: Readonly<Record<string, number>>;
      readonly initial?: JsonObject;
      readonly expected?: JsonObject;
    }
  | { readonly remove: ItemId }
  /** Removes all but the last items of the kind, at least one, and those whose body has the text `except`. */
  | {
      readonly keepNewest: number;
      readonly of: ItemKind;
      readonly by: 'position' | 'at';
      readonly except?: string;
    }
  /** Removes the items of the kind with an earlier time, but for those whose body has the text `except`. */
  | { readonly forgetBefore: Timestamp; readonly of: ItemKind; readonly except?: string }
  /** Removes the items of every kind that expire at this time or earlier. */
  | { readonly forgetExpired: Timestamp };

/** Which items of a kind are read, and in which order. */
export interface ItemSelector {
  readonly kind: ItemKind;
  readonly key?: string;
  readonly type?: string;
  readonly ref?: string;
  /** Only items whose body has this text. Reads all of them. */
  readonly mentions?: string;
  /** Only items whose body does not have this text. */
  readonly except?: string;
  /** Only items of this time or later. */
  readonly since?: Timestamp;
  /** Only items that do not expire at this time or earlier. */
  readonly liveAt?: Timestamp;
  readonly by: ItemOrder;
  /** The last item first. */
  readonly newest?: boolean;
}

/** The place of an item in the order of its kind. */
export type ItemCursor = Partial<Pick<StoredItem, 'position' | 'at' | 'key'>>;

/** Reads items: the part of a store that their readers need. */
export interface Items {
  items(
    namespace: string,
    selector: ItemSelector,
    page: { readonly after: ItemCursor | null; readonly limit: number },
  ): Promise<StoredItem[]>;
}

/** A receipt as the store keeps it. */
export interface StoredReceipt {
  /** A UUID. */
  readonly id: string;
  readonly kind: string;
  readonly at: Timestamp;
  /** SHA-256 of the text that the receipt is about. */
  readonly hash: string;
  /** `null` in place of what is no JSON, because the file was changed. */
  readonly body: Json;
}

export interface ReceiptFilter {
  /** Only receipts made at this time or later. */
  readonly since: Timestamp;
  readonly kind?: string;
  readonly hash?: string;
  /** The UUID of a record that was considered. */
  readonly record?: string;
}

export type ReceiptCursor = Pick<StoredReceipt, 'at' | 'id'>;
