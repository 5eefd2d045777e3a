/** The types of a store's administration: audit log, history, source states, startup entries, leases, tokens, statistics. */

import type { Json, Origin, Timestamp } from '../core/types.ts';

/** For each field that changed, the values before and after, or a patch for a long text. */
export type AuditDiff = Readonly<Record<string, Json>>;

/** A change, as its author reports it. */
export interface AuditDraft {
  readonly at: Timestamp;
  readonly actor: string;
  readonly surface: string;
  /** `write`, `update`, `delete`, `purge` … */
  readonly action: string;
  /** UUID of the record, or `startup:KEY`, `token:ID`; `null` for a change without a single subject. */
  readonly subject: string | null;
  readonly diff: AuditDiff | null;
  /** The session of the agent that made the change, or `undo:ID` for a change that undoes others. */
  readonly session?: string;
  /** Whether the operator has not seen the change yet. The store then adds an item `unseen`, which the chain does not cover. */
  readonly isUnseen?: boolean;
}

/** An entry of the log. Its hash covers the hashes of the entry before it and of its diff. */
export interface AuditEntry extends Omit<AuditDraft, 'isUnseen'> {
  /** UUID of the chain: the namespace's own, or one that it imported. */
  readonly chain: string;
  /** From 1, without gaps. */
  readonly seq: number;
  /** SHA-256 of the diff as JSON; `null` if there never was one. It remains when the diff is erased. */
  readonly diffHash: string | null;
  /** Hash of the entry before; 64 zeros for the first. */
  readonly previous: string;
  readonly hash: string;
}

/** What is read of the audit logs of a namespace. */
export interface AuditRequest {
  /** Entries of the own log, newest first. */
  readonly log?: AuditFilter & { readonly after: AuditCursor | null; readonly limit: number };
  /** Entries of a chain in order, after a sequence number. */
  readonly chain?: { readonly name: string; readonly after: number | null; readonly limit: number };
  readonly chains?: true;
  readonly faults?: true;
}

/** What was requested; else the lists are empty. */
export interface AuditReport {
  readonly entries: readonly AuditEntry[];
  /** The own chain, then the attached ones. */
  readonly chains: readonly AuditChain[];
  /** Messages about entries of the own log that are missing or changed, and attached ones that are missing. */
  readonly faults: readonly string[];
}

export interface AuditFilter {
  readonly subject?: string;
  readonly subjects?: readonly string[];
  /** Sequence numbers of entries. */
  readonly entries?: readonly number[];
  readonly session?: string;
  readonly action?: string;
  readonly actor?: string;
  readonly surface?: string;
  /** `from` is inclusive, `until` exclusive. */
  readonly from?: Timestamp;
  readonly until?: Timestamp;
}

/** Position in the log, newest first. */
export interface AuditCursor {
  readonly at: Timestamp;
  readonly seq: number;
}

export interface AuditChain {
  readonly chain: string;
  /** Whether this namespace writes it; else it was imported, and is only kept. */
  readonly own: boolean;
  readonly length: number;
}

export const HISTORY_CATEGORIES = ['pack_history', 'pipeline_history'] as const;
export type HistoryCategory = (typeof HISTORY_CATEGORIES)[number];

/** A run of a tool (`pack_history`) or of several steps (`pipeline_history`). */
export interface HistoryDraft {
  readonly category: HistoryCategory;
  /** Name of the tool or of the run. */
  readonly name: string;
  readonly surface: string;
  readonly actor: string;
  /** The input, without texts and secrets. */
  readonly inputs: Readonly<Record<string, Json>>;
  /** The result in a few words, or the code of the error. */
  readonly outcome: string;
  readonly at: Timestamp;
  readonly tookMs: number;
  readonly expiresAt: Timestamp;
}

export interface HistoryRow extends HistoryDraft {
  /** Unique within the namespace and category. */
  readonly id: number;
}

/** Which rows of the history a page has; `order` is `'newest'` unless given. */
export interface HistorySelector {
  readonly category: HistoryCategory;
  /** Rows that expire at or before this time are hidden. */
  readonly now: Timestamp;
  readonly order?: 'newest' | 'oldest';
}

/** An attempt to refresh a source. */
export interface SourceRun {
  readonly at: Timestamp;
  readonly tookMs: number;
  readonly failed: boolean;
}

/** The state of a source: a vault, a command, or an imported folder. */
export interface SourceState {
  /** The folder that was read; `null` for a source that has none. */
  readonly root: string | null;
  /** Whether it has conversations, which are private unless the settings say otherwise. */
  readonly hasConversations: boolean;
  /** When it was last read completely. */
  readonly readAt: Timestamp | null;
  /** Where the settings are that it was last read with: `plugins.entries.memory-loci.config`. `null` for loci.yaml. */
  readonly settings: string | null;
  /** When a refresh was last attempted, and how long that took. */
  readonly triedAt: Timestamp | null;
  readonly tookMs: number | null;
  /** When the next refresh is due. */
  readonly nextAt: Timestamp | null;
  /** Successful refreshes in all. */
  readonly refreshes: number;
  /** Failed refreshes since the last success. */
  readonly consecutiveFailures: number;
  /** Failed refreshes in all. */
  readonly totalFailures: number;
  /** The last attempts, oldest first: at most 30. */
  readonly recentRuns: readonly SourceRun[];
  /** Why the last refresh failed; `null` if it did not. */
  readonly error: string | null;
  /** Problems with single documents at the last success: at most 20, each of at most 300 characters. */
  readonly problems: readonly string[];
  /** Empty answers in a row. */
  readonly consecutiveEmpty: number;
  /** Whether the operator has paused it. */
  readonly paused: boolean;
  /** Fingerprint and details of the approved command. */
  readonly approval: string | null;
  readonly approvedAt: Timestamp | null;
  readonly approvedBy: string | null;
  /** Searches with a result of this source, and the time of the last one. */
  readonly hits: number;
  readonly hitAt: Timestamp | null;
}

/** A text that agents receive at the start of a session. */
export interface StartupEntry {
  /** The agent that receives it; empty for all. */
  readonly agent: string;
  /** Unique for its agent. */
  readonly key: string;
  readonly content: string;
  /** Entries with lower numbers come first. */
  readonly priority: number;
  /** Its order among entries of its priority; those without one come first, in the order of their keys. */
  readonly place?: number;
  /** Whether a session receives it again when nothing has changed. */
  readonly reinforce: boolean;
  readonly createdAt: Timestamp;
  readonly updatedAt: Timestamp;
  readonly deletedAt: Timestamp | null;
}

/** Takes or renews a lease, releases it if this holder has it, or reads who has it at a time. */
export type LeaseOperation =
  | LeaseRequest
  | { readonly name: string; readonly releasedBy: string }
  | { readonly name: string; readonly at: Timestamp };

export interface Lease {
  readonly holder: string;
  /** A fencing token, which grows with each new holder. */
  readonly token: number;
}

export interface LeaseRequest {
  /** The name of the work that only one process may do at a time. */
  readonly name: string;
  /** Unique to the process. */
  readonly holder: string;
  readonly now: Timestamp;
  readonly until: Timestamp;
  /** Takes the lease from its holder, whose fenced commits the store refuses from then on. */
  readonly takesOver?: boolean;
}

/** A bearer token, the code of a link that opens the web page once, or the session of the page that the code made. */
export type TokenKind = 'token' | 'page_code' | 'page_session';

/** What gives access to one subject's memory. The store knows only the hash of its text. */
export interface StoredToken {
  readonly kind: TokenKind;
  readonly id: string;
  /** SHA-256 of the token's text, hexadecimal. */
  readonly hash: string;
  /** The namespace that it opens. */
  readonly subject: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly createdAt: Timestamp;
  /** `null` for a token that does not expire. */
  readonly expiresAt: Timestamp | null;
  readonly revokedAt: Timestamp | null;
  /** SHA-256 of the second secret of a session, which its requests name in a header; `null` for other kinds. */
  readonly csrfHash: string | null;
  /** About when a session was last used; `null` for other kinds. */
  readonly usedAt: Timestamp | null;
}

export interface NamespaceStats {
  readonly records: number;
  readonly deleted: number;
  readonly passages: number;
  /** Distinct words. */
  readonly terms: number;
  readonly vectors: number;
  /** Distinct texts of passages of records that are not deleted. */
  readonly texts: number;
  /** How many of these texts have a vector, by the id of the generation. Generations without any are left out. */
  readonly embedded: ReadonlyMap<number, number>;
  readonly byOrigin: Readonly<Partial<Record<Origin, number>>>;
  readonly bySource: Readonly<Record<string, number>>;
}

/** The size of a store, all namespaces together. */
export interface StoreTotals extends StoreSize {
  /** Without deleted ones. */
  readonly records: number;
  readonly passages: number;
  readonly vectors: number;
  /** Texts without a vector of the active generation. */
  readonly pending: number;
}

export interface StoreSize {
  /** Bytes on disk, journals included. */
  readonly bytes: number;
  readonly schemaVersion: number;
  /** What the operator should know of the database although nothing is damaged; `null` if there is nothing. */
  readonly warning: string | null;
}

/** What a purge removes: records deleted before a time, and records and items that expire at a time or before; or old receipts. */
export type PurgeTimes =
  | { readonly deletedBefore: Timestamp; readonly expiredBy: Timestamp }
  | { readonly receiptsBefore: Timestamp };

/** How many records of a namespace are found. */
export interface NamespaceRecords {
  readonly namespace: string;
  readonly records: number;
}

/** What the removal of a namespace removes. */
export interface NamespaceRows {
  /** Whether the removal has begun before. */
  readonly hasBegun: boolean;
  /** Tokens and sessions that open the namespace. */
  readonly tokens: number;
  /** The number of rows by table; tables without any are left out. */
  readonly rows: Readonly<Record<string, number>>;
}

export interface RemovalRequest {
  readonly by: Pick<AuditDraft, 'at' | 'actor' | 'surface' | 'session'>;
  /** The number of rows to remove. */
  readonly limit: number;
  /** The `next` of the step before; `null` for the first. */
  readonly after: RemovalPlace | null;
}

/** How far the removal of a namespace is. */
export interface RemovalPlace {
  /** The number of the namespace: another one of the same name may be made when it is gone. */
  readonly ns: number;
  /** The table of which rows may be left. */
  readonly table: number;
}

export interface RemovalStep {
  /** The number of removed rows. */
  readonly rows: number;
  /** Where the next step goes on; `null` after the last one. */
  readonly next: RemovalPlace | null;
}

/** How much a namespace may keep, and how many requests its tokens may send a minute; `null` for no limit. */
export interface QuotaLimits {
  /** Records that are not deleted. */
  readonly maxRecords: number | null;
  /** Bytes of UTF-8 in the contents of all records; deleted ones count until they are purged. */
  readonly maxBytes: number | null;
  readonly maxRequests: number | null;
}

/** What a namespace keeps now, with its limits. */
export interface Quota extends QuotaLimits {
  readonly records: number;
  readonly bytes: number;
}

/** Whether a request may be answered. */
export interface RequestAdmission {
  /** Requests a minute; `null` for no limit. */
  readonly limit: number | null;
  /** How long to wait before the next one; 0 if the request is admitted. */
  readonly waitMs: number;
}
