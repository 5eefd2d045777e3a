import type { LociRecord, Passage, Timestamp } from '../core/types.ts';
import type { RecordPage } from './derivation.ts';
import type { HistoryCategory, HistoryRow } from './history.ts';
import type { Page } from './page.ts';

/** The store's `RecordDraft`, which knows of this interface and so cannot be named here. */
type Draft = Omit<LociRecord, 'namespace' | 'id' | 'deletedAt'>;

/** A record as another store held it, put here in the state that it was in there. */
export interface RecordImport {
  /** The held record that it takes the place of, live or deleted; `null` for one that is not here. */
  readonly replaces: number | null;
  /** What the replaced record must still be. */
  readonly expected?: Pick<LociRecord, 'updatedAt' | 'deletedAt'>;
  /** The number that it had: kept where neither it nor a higher one was ever given here. */
  readonly wanted: number | null;
  readonly draft: Draft;
  readonly deletedAt: Timestamp | null;
  /** Of a deleted one none are indexed. */
  readonly passages: readonly Passage[];
}

/** What of a record says whether it is here already. */
export type RecordIdentity = Pick<LociRecord, 'uuid' | 'origin' | 'source' | 'category' | 'key'>;

/** Ids of held records, in any state. */
export interface ExistingRecords {
  /** The record of the same UUID. */
  readonly same: number | null;
  /** Another one of the same key: of a fact the live one of its category, of the rest the one of its source. */
  readonly inPlace: number | null;
}

/** What goes from one store to another. `CommitBatch.imports` is the way in. */
export interface Portability {
  /** Records in any state but those that expire at or before `now`; by id, after an id. */
  heldPage(namespace: string, now: Timestamp, page: RecordPage): Promise<LociRecord[]>;
  /** What is held in the place of each of these, in the order asked for. */
  standIns(namespace: string, records: readonly RecordIdentity[]): Promise<ExistingRecords[]>;
  /** Runs that have not expired, oldest first, after an id. */
  historyFrom(
    namespace: string,
    category: HistoryCategory,
    now: Timestamp,
    page: Page<number>,
  ): Promise<HistoryRow[]>;
}
