import type { Json, Timestamp } from '../core/types.ts';
import type { Page } from './page.ts';

export const HISTORY_CATEGORIES = ['pack_history', 'pipeline_history'] as const;
export type HistoryCategory = (typeof HISTORY_CATEGORIES)[number];

/** A run of a tool (`pack_history`) or of several steps (`pipeline_history`), as the engine notes it by itself. */
export interface HistoryDraft {
  readonly category: HistoryCategory;
  /** The tool's or the run's. */
  readonly name: string;
  readonly surface: string;
  readonly actor: string;
  /** What was given, without texts and without secrets. */
  readonly inputs: Readonly<Record<string, Json>>;
  /** What came of it, in a few words; of a failure its code. */
  readonly outcome: string;
  readonly at: Timestamp;
  /** Milliseconds. */
  readonly tookMs: number;
  readonly expiresAt: Timestamp;
}

export interface HistoryRow extends HistoryDraft {
  /** Unique within the namespace and category. */
  readonly id: number;
}

export interface History {
  /** Of each namespace and category the newest `keep` stay, and none that has expired. */
  noteHistory(
    rows: readonly { readonly namespace: string; readonly row: HistoryDraft }[],
    keep: number,
  ): Promise<void>;
  /** Newest first, before an id; rows that expire at or before `now` are gone. */
  history(
    namespace: string,
    category: HistoryCategory,
    now: Timestamp,
    page: Page<number>,
  ): Promise<HistoryRow[]>;
}
