/** The types of receipts and labels. The store does not look into a receipt: `pack/receipt.ts` says what it has. */

import type { Json, Timestamp } from '../core/types.ts';

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

/** Receipts to add, and which earlier ones are removed with it. */
export interface ReceiptBatch {
  readonly receipts: readonly StoredReceipt[];
  /** Receipts made before this time are removed. */
  readonly forgetBefore: Timestamp;
  /** The newest receipts that remain, at most. */
  readonly keep: number;
}

export interface ReceiptFilter {
  /** Only receipts made at this time or later. */
  readonly since: Timestamp;
  readonly kind?: string;
  readonly hash?: string;
}

export type ReceiptCursor = Pick<StoredReceipt, 'at' | 'id'>;

export const VERDICTS = ['useful', 'not-useful'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** What the operator says about an item of a receipt. Canonical: it outlives the receipt. */
export interface Label {
  /** The UUIDs of the receipt and of the record. Together they identify the label. */
  readonly receipt: string;
  readonly record: string;
  readonly verdict: Verdict;
  /** The query as the operator gave it; `null` if it is known only by its hash. */
  readonly query: string | null;
  readonly queryHash: string | null;
  /** The project to which the request was limited. */
  readonly project: string | null;
  readonly at: Timestamp;
  readonly actor: string;
}

export interface StoredLabel extends Label {
  /** Grows with every new label of the namespace; a label that changes keeps it. */
  readonly sequence: number;
}
