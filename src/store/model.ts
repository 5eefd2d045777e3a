/** The types of a store: records, batches of writes, and the filters and results of lists and counts. */

import type { LociRecord, Origin, Passage, Timestamp } from '../core/types.ts';
import type { AuditDraft, AuditEntry, QuotaLimits } from './admin-model.ts';
import type { ConceptUpdate } from './concept-model.ts';
import type { GraphUpdate, BelongsToProgress, BelongsToUpdate } from './graph-model.ts';
import type { ItemChange } from './item-model.ts';
import type { WrittenLink } from './rules/link-index.ts';
import type { RecordHeader, SearchFilter } from './search-model.ts';

/** One page of a long result: at most `limit` rows after the cursor. */
export interface Page<Cursor> {
  /** Exclusive; `null` for the first page. */
  readonly after: Cursor | null;
  readonly limit: number;
}

// ── Writing ──────────────────────────────────────────────────────────────────────────────────────

/** A record to write. The store adds the namespace and the id. */
export type RecordDraft = Omit<LociRecord, 'namespace' | 'id' | 'deletedAt'>;

export interface RecordWrite {
  /** The record to replace, or `null` for a new one. */
  readonly id: number | null;
  readonly draft: RecordDraft;
  /** The new passages, or `'keep'` if the text has not changed (the store still indexes a new title with them). */
  readonly passages: readonly Passage[] | 'keep';
  /** The `updatedAt` that the record must still have. */
  readonly expected?: Timestamp;
}

/** Removes a record from every index. It can be restored until it is purged. */
export interface Deletion {
  readonly id: number;
  readonly at: Timestamp;
}

/** Makes a deleted record live again, with these passages. It counts as an update at this time. */
export interface Restoration {
  readonly id: number;
  readonly at: Timestamp;
  readonly passages: readonly Passage[];
}

/** A record of another store, imported with its state. */
export interface RecordImport {
  /** The record that it replaces, live or deleted; `null` if there is none. */
  readonly replaces: number | null;
  /** The state that the replaced record must still have. */
  readonly expected?: Pick<LociRecord, 'updatedAt' | 'deletedAt'>;
  /** The id in the other store. It is used unless this store has already assigned the same or a higher id. */
  readonly preferredId: number | null;
  readonly draft: RecordDraft;
  readonly deletedAt: Timestamp | null;
  /** Ignored for a deleted record. */
  readonly passages: readonly Passage[];
}

/** A caller's key for a request. The store applies a batch with the same key only once. */
export interface IdempotencyKey {
  readonly key: string;
  /** Identifies the request: the same key with another fingerprint is the caller's mistake. */
  readonly fingerprint: string;
  readonly at: Timestamp;
  readonly expiresAt: Timestamp;
}

/** The result of the batch that was applied with an idempotency key. */
export interface IdempotentResult {
  readonly fingerprint: string;
  /** The ids that `commit` returned. */
  readonly records: readonly number[];
}

/** A lease and its fencing token, which proves that no other process has taken over the lease. */
export interface Fence {
  readonly lease: string;
  readonly token: number;
}

/** Everything that one transaction writes. Every part is optional. */
export interface CommitBatch {
  readonly writes?: readonly RecordWrite[];
  /** Records to remove permanently because their source no longer has the document; only of origin `vault` or `source`. */
  readonly evictions?: readonly number[];
  readonly deletions?: readonly Deletion[];
  readonly restorations?: readonly Restoration[];
  /** Applied after all of the above. */
  readonly imports?: readonly RecordImport[];
  /**
   * Replaces the passages of records, and marks them as made by this chunking, without which they are skipped. Unchanged passages
   * keep their ids. A record that is gone, no longer stale, or changed since its passages were cut is skipped.
   */
  readonly chunked?: ReadonlyMap<number, ChunkedRecord>;
  /** Signature of the chunking that made the passages. Without it, the records count as stale. */
  readonly chunking?: string;
  /** Entries for the audit log. */
  readonly audit?: readonly AuditDraft[];
  /**
   * Entries of another store's audit log, which are attached unchanged. They are kept for export and are not part of the log. Those that
   * are attached already change nothing.
   */
  readonly attachedAudit?: readonly AuditEntry[];
  readonly idempotencyKey?: IdempotencyKey;
  /** The store refuses the batch if another holder has taken over this lease of the namespace. */
  readonly fence?: Fence;
  /** Receipts, runs, states of sources and other items of the namespace. */
  readonly items?: readonly ItemChange[];
  /** Items of the administrative namespace, such as tokens. */
  readonly adminItems?: readonly ItemChange[];
  /** The limits that the namespace has from then on. */
  readonly quota?: QuotaLimits;
  /** Edges of documents; those from or to records that are gone are left out. */
  readonly belongsTo?: BelongsToUpdate;
  /** Nodes and edges of the graph, applied after everything else. */
  readonly graph?: GraphUpdate;
  /** Names and mentions of concepts, applied after everything else. */
  readonly concepts?: ConceptUpdate;
}

// ── Reading ──────────────────────────────────────────────────────────────────────────────────────

/**
 * Which records a lookup returns: records that are live at a time, or records in any state, including deleted and expired ones.
 * `damaged` is for records that are about to be replaced: tags and metadata that cannot be read are empty then.
 */
export type RecordState = { readonly liveAt: Timestamp; readonly damaged?: 'is empty' } | 'any';

/** A search filter with further conditions for lists. */
export interface RecordFilter extends SearchFilter {
  readonly key?: string;
  readonly keys?: readonly string[];
  readonly keyPrefix?: string;
  readonly contentHash?: string;
  /** A name of a note, in any case: its title, an alias, or the name of its file without `.md`. */
  readonly noteName?: string;
  /** Selects deleted records instead of live ones. */
  readonly deleted?: boolean;
  /** Bounds of the time in the timeline (`rules/record-time.ts`): `timedFrom` is inclusive, `timedUntil` exclusive. */
  readonly timedFrom?: Timestamp;
  readonly timedUntil?: Timestamp;
}

/** Which records `list` pages through, and in which order. */
export type RecordSelector =
  /** Records that pass the filter; those with the highest ids come first unless `order` is `'oldest'`. */
  | { readonly filter: RecordFilter; readonly order?: 'newest' | 'oldest'; readonly damaged?: 'is empty' }
  /** All records that are not deleted, expired ones included, by ascending id. */
  | { readonly scan: 'undeleted' }
  /** Undeleted records whose passages were made by another chunking, or that have no passages yet. */
  | { readonly scan: 'stale'; readonly chunking: string }
  /** Live and deleted records that have not expired, by ascending id. */
  | { readonly scan: 'exportable'; readonly now: Timestamp };

/** A document as its source last delivered it. */
export interface SourceEntry {
  readonly id: number;
  readonly key: string;
  readonly identity: string | null;
  /** `null` also for a record whose tags or metadata are damaged, so that its document is read again. */
  readonly revision: string | null;
  readonly contentHash: string;
}

/** Identifies a record across stores: by its UUID, and also by its key if all optional fields are present. */
export type RecordIdentity = Pick<LociRecord, 'uuid'> &
  Partial<Pick<LociRecord, 'origin' | 'source' | 'category' | 'key'>>;

/** Ids of records in any state. */
export interface ExistingRecords {
  /** The record with the same UUID. */
  readonly sameUuid: number | null;
  /** Another record with the same key: the live fact of the category, or the document of the source. */
  readonly sameKey: number | null;
}

/** The bounds of a namespace's records. */
export interface RecordBounds {
  /** The highest id ever given; 0 before the first record. */
  readonly highestId: number;
  /** The earliest `expiresAt`, which may be past; `null` if nothing expires. */
  readonly nextExpiry: Timestamp | null;
  /** The earliest `deletedAt`; `null` if nothing is deleted. */
  readonly oldestDeletion: Timestamp | null;
  /** The earliest `expiresAt` of the history. */
  readonly nextHistoryExpiry: Timestamp | null;
  /** Sequence number of the last change; 0 before the first. */
  readonly lastChange: number;
  readonly belongsTo: BelongsToProgress;
}

/** A field of a record by which lists and searches filter. */
export type FacetField =
  'project' | 'origin' | 'source' | 'category' | 'recordType' | 'trust' | 'tag' | 'key';

export interface FacetValue {
  readonly value: string;
  /** Records with this value. */
  readonly records: number;
  /** The keys of those that were updated last, newest first, if they are requested. */
  readonly newestKeys?: readonly string[];
}

// ── Links and changes ────────────────────────────────────────────────────────────────────────────

/** A link of a record to a key of its source. */
export interface RecordLink extends WrittenLink {
  /** The record that has the link, and its key. */
  readonly record: number;
  readonly key: string;
  /** Position among the links of the record, from 1. */
  readonly position: number;
  readonly source: string;
  /** The document that the link points to, and its key; `null` if there is none. */
  readonly targetRecord: number | null;
  readonly targetKey: string | null;
  /** The first passage of the target; `null` if there is none, as while it is derived again. */
  readonly targetPassage: number | null;
}

export type LinkCursor = Pick<RecordLink, 'record' | 'position'>;

export type LinkSelector =
  /** Links of these records; with `targets`, those that are written with one of these targets. */
  | { readonly from: readonly number[]; readonly targets?: readonly string[] }
  /** Links to these records. */
  | { readonly to: readonly number[] }
  /** Links to no existing document. */
  | { readonly unresolved: true };

/** A `deleted` record can be restored; a `removed` record cannot. */
export type ChangeKind = 'written' | 'deleted' | 'removed';

/** The last change of a record. */
export interface RecordChange {
  /** Grows with every change of the namespace. */
  readonly sequence: number;
  readonly record: number;
  readonly kind: ChangeKind;
}

export interface ChangePage {
  readonly changes: readonly RecordChange[];
  /**
   * Whether the cursor is older than the oldest known removal, or newer than the newest change because an older copy of the
   * store was restored. Then `changes` is empty: the reader must discard its derived state and begin without a cursor.
   */
  readonly mustRestart: boolean;
}

// ── Derived state and removal ────────────────────────────────────────────────────────────────────

/** Passages, with the state of the record from which they were made. */
export interface ChunkedRecord {
  readonly state: Pick<LociRecord, 'origin' | 'project' | 'title' | 'tags' | 'metadata' | 'contentHash'>;
  readonly passages: readonly Passage[];
}

/** Removes records permanently, erases the diffs that show their content, and removes expired items. */
export interface Purge {
  readonly purge: PurgeRequest;
}

export interface PurgeRequest {
  /** Purges records that expire at or before this time. */
  readonly expiredBy: Timestamp;
  /** Purges records that were deleted before this time. */
  readonly deletedBefore: Timestamp;
  readonly limit: number;
  /** Fields of the audit entries. Each purged record gets one entry. */
  readonly by: Pick<AuditDraft, 'at' | 'actor' | 'surface'>;
}

// ── Timeline ───────────────────────────────────────────────────────────────────────────────────────

/** Which records of the timeline to read: those nearest to a record, or to a moment. */
export interface TimelineRequest {
  readonly filter: SearchFilter;
  /** Records at the moment itself count as after it. */
  readonly around: { readonly record: number } | { readonly time: Timestamp };
  /** Maximum numbers of records. */
  readonly before: number;
  readonly after: number;
}

/** A record and its time in the timeline (`rules/record-time.ts`). */
export interface TimedRecord {
  readonly at: Timestamp;
  readonly record: RecordHeader;
}

/** Records in the order of time, ties by id. */
export interface TimelineRecords {
  /** The record around which the others are, if it is live, whatever the filter hides; `null` for a moment. */
  readonly anchor: TimedRecord | null;
  /** Nearest first; both lists are empty if the record is not live. */
  readonly before: readonly TimedRecord[];
  readonly after: readonly TimedRecord[];
}

// ── Tables ─────────────────────────────────────────────────────────────────────────────────────────

/** What a table of records is sorted by. Titles are compared in the form of `foldTag`, and those that are empty sort first. */
export const SORT_KEYS = ['time', 'updated', 'title'] as const;
export type SortKey = (typeof SORT_KEYS)[number];

export interface TableRequest {
  readonly filter: RecordFilter;
  /** `expires` leaves out what never expires. */
  readonly sort: SortKey | 'expires';
  readonly descending: boolean;
}

/** A record, its time in the timeline, and its place in a table. */
export interface TableRow extends TimedRecord {
  readonly place: TablePlace;
}

/** Ties are sorted by id, in the same direction. */
export interface TablePlace {
  readonly value: number | string;
  readonly id: number;
}

/** A span of time and the records of each source in it. */
export interface HistogramBar {
  /** The position of the span in the request. */
  readonly span: number;
  readonly origin: Origin;
  readonly source: string;
  readonly records: number;
}
