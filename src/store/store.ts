import type { LociRecord, Origin, Passage, Timestamp } from '../core/types.ts';
import type { AuditDraft, AuditLog } from './audit.ts';
import type { CutPassages, RecordPage } from './derivation.ts';
import type { Embeddings } from './embeddings.ts';
import type { Facets } from './facets.ts';
import type { History } from './history.ts';
import type { Fence, Leases } from './leases.ts';
import type { Listing } from './listing.ts';
import type { Deletion, RecordLifecycle, IdempotencyKey, Restoration } from './mortality.ts';
import type { Page } from './page.ts';
import type { Portability, RecordImport } from './portability.ts';
import type { SourceState, SourceStates } from './source-states.ts';
import type { StartupEntries } from './startup.ts';
import type { StoreStats } from './stats.ts';
import type { Tokens } from './tokens.ts';

/**
 * Where records live. Asynchronous and batch-shaped: one call a search stage, never one a row.
 * It speaks of records, passages, namespaces, terms and vectors, never of SQL. Every call names its
 * namespace first, and nothing of another namespace can change what it answers, scores included.
 */
export interface Store
  extends
    Canonical,
    SearchStages,
    Embeddings,
    Upkeep,
    Facets<SearchFilter>,
    Listing<SearchFilter>,
    RecordLifecycle,
    AuditLog,
    StartupEntries,
    History,
    Leases,
    Tokens,
    Portability {
  readonly capabilities: StoreCapabilities;
  /** Finishes what was begun and lets go of files, threads and connections. No call may follow. */
  close(): Promise<void>;
}

export interface StoreCapabilities {
  /** The driver's name, for people to read; nothing may branch on it. */
  readonly name: string;
  /** Whether what was written outlives the process. */
  readonly durable: boolean;
  /** Whether several processes may have the store open. */
  readonly shared: boolean;
}

// ── canonical ────────────────────────────────────────────────────────────────────────────────────

/** A record as it is given to the store, which adds namespace and ids. */
export type RecordDraft = Omit<LociRecord, 'namespace' | 'id' | 'deletedAt'>;

export interface RecordWrite {
  /** The record to replace, or `null` for a new one. */
  readonly id: number | null;
  readonly draft: RecordDraft;
  /** Its passages from now on; `'keep'` where the text stays as it was (a new title is indexed with them). */
  readonly passages: readonly Passage[] | 'keep';
  /** The `updatedAt` that the record to replace must still have. */
  readonly expected?: Timestamp;
}

export interface CommitBatch {
  readonly writes: readonly RecordWrite[];
  /** Records whose document is gone from its source; only of the origins `vault` and `source`. */
  readonly evictions: readonly number[];
  readonly deletions?: readonly Deletion[];
  readonly restorations?: readonly Restoration[];
  /** Records of another store; after all of the above. */
  readonly imports?: readonly RecordImport[];
  /** What the audit log says of it. */
  readonly audit?: readonly AuditDraft[];
  readonly once?: IdempotencyKey;
  /** Only while nobody has taken this lease over. */
  readonly fence?: Fence;
  /** How it stands with a source from now on; see `SourceStates.changeSourceState`. */
  readonly sourceState?: { readonly source: string; readonly change: Partial<SourceState> };
  /** Signature of the chunking that made the passages; see `Upkeep.staleRecords`. */
  readonly chunking: string;
}

/** What a source knows of a document it brought earlier. */
export interface SourceEntry {
  readonly id: number;
  readonly key: string;
  readonly identity: string | null;
  readonly revision: string | null;
  readonly contentHash: string;
}

export interface Canonical extends SourceStates {
  /**
   * All of the batch or none of it, durable when the promise resolves. Answers the ids of the writes, then those of the
   * imports, in order.
   * @throws LociError `not_found` for an unknown id, or a deletion or restoration of what is not live or not deleted;
   *   `conflict` for a key or UUID that is taken, a record that was changed meanwhile, a `once` that was or a lease that
   *   another process took over; `invalid_input` for an eviction of what did not come from a source, for a new record that keeps passages and for a time that is
   *   no whole number; `store_full`, `store_busy`.
   */
  commit(namespace: string, batch: CommitBatch): Promise<number[]>;
  /** Live records by id, in the order asked for; what is not there is left out. */
  records(namespace: string, ids: readonly number[], now: Timestamp): Promise<LociRecord[]>;
  /** Live notes with this path, over all vaults: what others call by it shadows none. */
  recordsByKey(namespace: string, key: string, now: Timestamp): Promise<LociRecord[]>;
  /** How many live notes have each of these paths, over all vaults; in the order asked for. */
  countByKey(namespace: string, keys: readonly string[], now: Timestamp): Promise<number[]>;
  /** What a source brought, by key, after a key (exclusive). */
  sourceEntries(namespace: string, source: string, page: Page<string>): Promise<SourceEntry[]>;
  /** Names that have a record. */
  namespaces(): Promise<string[]>;
}

// ── search ───────────────────────────────────────────────────────────────────────────────────────

/** What a search may see. Everything given must hold; of lists one entry, of tags all, in any case or nested in it. */
export interface SearchFilter {
  /** Records that expire at or before this time are gone. */
  readonly now: Timestamp;
  readonly project?: string;
  readonly origins?: readonly Origin[];
  readonly sources?: readonly string[];
  /** What vaults and sources of these names brought is hidden; what agents wrote under the same name is not. */
  readonly exceptSources?: readonly string[];
  readonly categories?: readonly string[];
  readonly recordTypes?: readonly string[];
  readonly tags?: readonly string[];
  /** Whether the metadata says `completed: true`; false lets through all else. */
  readonly completed?: boolean;
  /** The same of `undated: true`: that `createdAt` is no day that the record is of. */
  readonly undated?: boolean;
  /** Bounds of `createdAt`: from inclusive, until exclusive. */
  readonly from?: Timestamp;
  readonly until?: Timestamp;
}

/** One thing to look for: a word, or several in a row. */
export interface TextTerm {
  /** Analyzer terms; more than one is a phrase. */
  readonly terms: readonly string[];
  /** The last term matches every word that begins with it. */
  readonly prefix: boolean;
}

/** Relative weights of the text fields in BM25. */
export interface FieldWeights {
  readonly title: number;
  readonly headings: number;
  readonly body: number;
  readonly tags: number;
}

export interface TextQuery {
  /** Any of these. */
  readonly any: readonly TextTerm[];
  /** All of these (quoted phrases); may be empty. Beside terms of `any`, each counts twice in the score. */
  readonly all: readonly TextTerm[];
  readonly weights: FieldWeights;
}

export interface PassageScore {
  readonly passage: number;
  readonly record: number;
  /** Higher is better. BM25 for text; cosine, −1 to 1, for vectors. */
  readonly score: number;
}

/** What the vocabulary of a namespace knows of a word. */
export interface TermInfo {
  readonly word: string;
  /** Passages that hold it in any form with the same stem, counted once for each form that they hold. */
  readonly passages: number;
  /** For an unknown word: the nearest known ones, best first. */
  readonly near: readonly NearTerm[];
}

export interface NearTerm {
  readonly word: string;
  readonly passages: number;
  /** 0 to 1; see `store/spelling.ts`. */
  readonly similarity: number;
}

/** A record without its content: what ranking and results need. */
export type RecordHeader = Omit<LociRecord, 'content' | 'contentHash' | 'revision' | 'identity'>;

export interface StoredPassage extends Passage {
  readonly id: number;
  readonly record: RecordHeader;
}

/**
 * A passage of a turn of a session and what stands beside it: in the same record, then in the same session (the first
 * passages of the records of the same `metadata.session`, a text or a whole number, by record id); nearest first.
 */
export interface Neighbourhood {
  readonly passage: number;
  readonly before: readonly number[];
  readonly after: readonly number[];
}

export interface SearchStages {
  /** Folded words, looked up in the namespace's vocabulary. */
  lookUpTerms(namespace: string, words: readonly string[]): Promise<TermInfo[]>;
  /** BM25 over title, headings, body and tags; best first, ties by passage id. */
  searchText(
    namespace: string,
    query: TextQuery,
    filter: SearchFilter,
    limit: number,
  ): Promise<PassageScore[]>;
  /**
   * The nearest passages of the generation by cosine; best first, ties by passage id.
   * @throws LociError `embedding_mismatch` for a vector of other dimensions, `not_found` for an unknown generation
   */
  searchVectors(
    namespace: string,
    generation: number,
    vector: Float32Array,
    filter: SearchFilter,
    limit: number,
  ): Promise<PassageScore[]>;
  /** Cosine of the query with each of these passages that has a vector. */
  scoreVectors(
    namespace: string,
    generation: number,
    vector: Float32Array,
    passages: readonly number[],
  ): Promise<PassageScore[]>;
  /** The vector of a passage; `null` while it has none. */
  vectorOf(namespace: string, generation: number, passage: number): Promise<Float32Array | null>;
  /**
   * First passages of the records whose `createdAt`, which is the score, is nearest to `filter.now`: a day ahead counts
   * as a day behind. Nearest first, ties by passage id.
   */
  newest(namespace: string, filter: SearchFilter, limit: number): Promise<PassageScore[]>;
  /** Up to `before` and `after` neighbours of each passage that is of a turn of a session; the others are left out. */
  neighbours(
    namespace: string,
    passages: readonly number[],
    reach: { readonly before: number; readonly after: number },
  ): Promise<Neighbourhood[]>;
  /** Live passages with their records' headers, in the order asked for; what the filter hides is left out. */
  passages(namespace: string, ids: readonly number[], filter: SearchFilter): Promise<StoredPassage[]>;
}

// ── upkeep ───────────────────────────────────────────────────────────────────────────────────────

/** One way in which derived state differs from the canonical rows, or the file from a sound one. */
export interface StoreFinding {
  readonly namespace: string | null;
  readonly what: string;
}

export interface Upkeep {
  stats(): Promise<StoreStats>;
  /** Live records whose passages were made by another chunking, or not at all; by id, after an id. */
  staleRecords(namespace: string, chunking: string, page: RecordPage): Promise<LociRecord[]>;
  /** All live records, by id, after an id. */
  scanRecords(namespace: string, page: RecordPage): Promise<LociRecord[]>;
  /** The passages of each of these records, by ordinal; none for a record that is not there. */
  passagesOf(namespace: string, records: readonly number[]): Promise<Map<number, Passage[]>>;
  /**
   * Replaces the passages of records and marks them as made by this chunking; passages that are the same keep their
   * ids. Records that are gone, no longer stale, or no longer what they were cut from stay as they are.
   */
  putPassages(namespace: string, chunking: string, passages: ReadonlyMap<number, CutPassages>): Promise<void>;
  /**
   * Marks the passages of every record as stale and leaves them to be found until `putPassages` replaces them; with
   * `vectors`, drops these.
   */
  markStale(namespace: string, options: { readonly vectors: boolean }): Promise<void>;
  /** Drops every passage, term and index entry of a namespace, however broken they are; with `vectors`, these too. */
  dropDerived(namespace: string, options: { readonly vectors: boolean }): Promise<void>;
  /** Frees what nothing refers to any more, where it is more than a tenth; cheap when there is nothing to do. */
  sweep(): Promise<void>;
  /** Compares derived state with canonical rows and the file with itself. Empty when sound. */
  verify(): Promise<StoreFinding[]>;
}
