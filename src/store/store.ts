import type { StoredLanguage } from '../core/text/language/language.ts';
import type { LociRecord, Passage, Timestamp } from '../core/types.ts';
import type { AuditReport, AuditRequest, Lease, LeaseOperation, StoreStats } from './admin-model.ts';
import type {
  NameSelector,
  NamingRequest,
  NamingsOfKey,
  RecordConcepts,
  StoredName,
} from './concept-model.ts';
import type {
  Contribution,
  EdgeCursor,
  GraphCounts,
  GraphEdge,
  GraphFilter,
  GraphLane,
  GraphNode,
  GraphOutline,
  GraphProvenance,
  GraphState,
  NeighbourRequest,
  Neighbours,
  NodeSelector,
  BelongsTo,
  BelongsToSelector,
} from './graph-model.ts';
import type {
  ChangePage,
  CommitBatch,
  ExistingRecords,
  FacetField,
  FacetValue,
  HistogramBar,
  LinkCursor,
  LinkSelector,
  Page,
  Purge,
  RecordBounds,
  RecordFilter,
  RecordIdentity,
  RecordLink,
  RecordSelector,
  RecordState,
  SourceEntry,
  TablePlace,
  TableRequest,
  TableRow,
  TimelineRecords,
  TimelineRequest,
} from './model.ts';
import type { ItemCursor, ItemSelector, StoredItem } from './item-model.ts';
import type { AdminNamespace } from './rules/admin-namespace.ts';
import type {
  ChangedGeneration,
  Generation,
  GenerationChange,
  LoadedPassages,
  NamedRecord,
  NeighbourReach,
  PendingEmbeddings,
  PendingRequest,
  QueryVector,
  RetrievalRequest,
  Retrieved,
  SearchFilter,
  SentenceVectors,
  SimilarRecord,
  VectorWrite,
  Vocabulary,
} from './search-model.ts';

/**
 * Where records are kept. The interface is asynchronous and takes batches: a search stage makes one call, not one for
 * each row. It knows records, passages, namespaces, terms and vectors, but no SQL. Every call takes a namespace first, and
 * nothing in another namespace can change its answer, scores included.
 */
export interface Store {
  readonly capabilities: StoreCapabilities;
  readonly records: StoreRecords;
  readonly search: StoreSearch;
  readonly vectors: StoreVectors;
  readonly graph: StoreGraph;
  readonly admin: StoreAdmin;
  /** Finishes the running calls and releases files, threads and connections. Later calls fail with `store_failed`. */
  close(): Promise<void>;
}

export interface StoreCapabilities {
  /** The driver's name, for people to read; no code may depend on it. */
  readonly name: string;
  /** See `StoreLocation.name`. */
  readonly location: string;
  /** Whether data outlives the process. */
  readonly durable: boolean;
  /** Whether several processes may open the store at once. */
  readonly shared: boolean;
  /** Whether text scores are BM25; else they only order the results of one query. */
  readonly bm25: boolean;
  /** Whether a vector search compares every vector, or may miss some of the nearest. */
  readonly vectors: 'exact' | 'approximate';
  /** Whether it can only be read here; calls that write fail with `unreadable`. */
  readonly readOnly: boolean;
}

export interface OpenStoreOptions {
  /** Whether to create a store that does not exist; else `store_not_found`. */
  readonly create: boolean;
  /** Whether calls may block the caller, so that the store opens faster. Default false. */
  readonly inline?: boolean;
}

/** Where the settings keep a store. */
export interface StoreLocation {
  /** For people to read. It never has a password. */
  readonly name: string;
  /** The file of this machine that has the store; `null` for a store elsewhere. Further files have a name that begins so, then a hyphen. */
  readonly file: string | null;
  /** The folder of this machine for what Loci keeps beside the store. */
  readonly stateFolder: string;
  /** Equal for settings that name the same store. A store that was removed and made again is another; `null` if there is none. */
  identity(): Promise<string | null>;
}

/** A database of another program, of which all reads see one state. Nothing can be written to it. */
export interface ForeignDatabase {
  /** For people to read. It never has a password. */
  readonly name: string;
  /** The values of columns are texts, as the database writes them. @throws LociError */
  query(statement: string, values?: readonly unknown[]): Promise<ForeignRow[]>;
}

export type ForeignRow = Readonly<Record<string, string | null>>;

/** The canonical data of a namespace, and what is derived from it record by record. */
export interface StoreRecords {
  /**
   * Writes all of the batch or nothing. It is durable when the promise resolves. Returns the ids of the writes, then those
   * of the imports, in order; or those of the purged records.
   * @throws LociError `not_found` for an unknown id, for a deletion of a record that is not live and for a restoration of
   *   one that is not deleted; `conflict` for a taken key or UUID, a record that has changed since it was read, a used
   *   idempotency key, a lease that another holder took over, an item that must not exist or has changed, and an entry of an attached
   *   audit log that differs from the one here or belongs to the namespace's own chain, which never wrote it; `invalid_input` for an eviction of a record that came from
   *   no source, for a new record that keeps passages, for an attached audit log that is broken and for a time or count that is not a whole number; `store_full`,
   *   `store_busy`
   */
  commit(namespace: string, batch: CommitBatch | Purge): Promise<number[]>;
  /** Records in the order of the ids; ids without a record in this state are skipped. */
  get(namespace: string, ids: readonly number[], state: RecordState): Promise<LociRecord[]>;
  /** A page may be shorter than its limit, because long contents limit it too. Only an empty page is the last. */
  list(namespace: string, selector: RecordSelector, page: Page<number>): Promise<LociRecord[]>;
  /** How many records pass the filter. */
  count(namespace: string, filter: RecordFilter): Promise<number>;
  /** The documents of a source, by key. */
  sourceEntries(namespace: string, source: string, page: Page<string>): Promise<SourceEntry[]>;
  /** For each identity, the records that it would collide with. */
  findExisting(namespace: string, identities: readonly RecordIdentity[]): Promise<ExistingRecords[]>;
  bounds(namespace: string): Promise<RecordBounds>;
  /**
   * The values of a field among the records that pass a filter: the most frequent first, ties by code point. Reads every
   * record that passes, so it may take a while. With `newestKeys`, they are in the order of the values, each with the keys of so many
   * records that were updated last.
   */
  facet(
    namespace: string,
    field: FacetField,
    filter: RecordFilter,
    newestKeys?: number,
  ): Promise<FacetValue[]>;
  /** Several facets of fields that each record has once, in the order of the fields. Reads the records once. */
  facets(
    namespace: string,
    fields: readonly Exclude<FacetField, 'tag' | 'key'>[],
    filter: RecordFilter,
  ): Promise<FacetValue[][]>;
  /** The records nearest in time to a record or a moment, in the order of their time. */
  timeline(namespace: string, request: TimelineRequest): Promise<TimelineRecords>;
  /** Records that pass the filter, sorted by a key. It reads every one of them unless the key is the time of live records. */
  table(namespace: string, request: TableRequest, page: Page<TablePlace>): Promise<TableRow[]>;
  /**
   * How many records each source has in each span of the timeline; spans without any are left out.
   * @param spans in order, each from its start to the next; the last ends the spans
   */
  histogram(namespace: string, filter: SearchFilter, spans: readonly Timestamp[]): Promise<HistogramBar[]>;
  /** The passages of each record by ordinal; an empty list for an unknown record. */
  passagesOf(namespace: string, records: readonly number[]): Promise<Map<number, Passage[]>>;
  /**
   * Links between the documents of a source, by record and position. They are current when `commit` resolves: a document
   * that is added, moved or removed also changes what the links of other documents mean.
   */
  links(namespace: string, selector: LinkSelector, page: Page<LinkCursor>): Promise<RecordLink[]>;
  /**
   * To which notes documents of sources belong, by document and position. The caller derives these edges and commits them;
   * the store removes those of records that are deleted or removed.
   */
  belongsTo(namespace: string, selector: BelongsToSelector): Promise<BelongsTo[]>;
  /**
   * The changes of records after a sequence number, oldest first, so that derived state can follow. Each is durable in the
   * transaction that makes it. Each record has only its last change; without a cursor, the changes name every
   * record. The newest 10,000 removals remain.
   */
  changes(namespace: string, page: Page<number>): Promise<ChangePage>;
  /** Items of one kind. `items/kinds.ts` reads what each kind has. */
  items(namespace: string, selector: ItemSelector, page: Page<ItemCursor>): Promise<StoredItem[]>;
}

/** The stages of a search, one call each. */
export interface StoreSearch {
  /**
   * Looks folded words up in the namespace's vocabulary.
   * @param budgetMs how long the corrections of unknown words may take, in milliseconds; unlimited unless given
   * @param languages those that the words may have: words are known by their inflections in those that the namespace has
   */
  terms(
    namespace: string,
    words: readonly string[],
    budgetMs?: number,
    languages?: readonly StoredLanguage[],
  ): Promise<Vocabulary>;
  /**
   * Answers all queries from one state of the namespace.
   * @throws LociError `embedding_mismatch` for a vector of other dimensions, `not_found` for an unknown generation
   */
  retrieve(namespace: string, request: RetrievalRequest): Promise<Retrieved>;
  /**
   * For each record, the other live records with the passages nearest to its first passage: the nearest first, ties by id. A
   * record without a vector is not in the map.
   * @throws LociError `not_found` for an unknown generation
   */
  similar(
    namespace: string,
    generation: number,
    records: readonly number[],
    options: { readonly now: Timestamp; readonly limit: number },
  ): Promise<Map<number, SimilarRecord[]>>;
  /**
   * The records that a text may mean by one of these names (`mentionNames`), of all that are not deleted. A name that more
   * than `MAX_BEARERS` records have is left out.
   */
  named(namespace: string, names: readonly string[]): Promise<NamedRecord[]>;
  /** Loads passages with the headers of their records, and the neighbours of each within reach, if any is given. */
  passages(
    namespace: string,
    ids: readonly number[],
    filter: SearchFilter,
    reach?: NeighbourReach,
  ): Promise<LoadedPassages>;
}

/** Embeddings. Generations belong to the whole store, vectors to a namespace and generation. */
export interface StoreVectors {
  generations(namespace: AdminNamespace): Promise<Generation[]>;
  /**
   * @throws LociError `conflict` for the removal of the active generation, `not_found` for an unknown one
   */
  setGeneration(namespace: AdminNamespace, change: GenerationChange): Promise<ChangedGeneration>;
  /** Passages without a vector. */
  pending(namespace: string, generation: number, request: PendingRequest): Promise<PendingEmbeddings>;
  /**
   * Stores vectors by content. A content that has a vector keeps it. The vectors of sentences are removed together with the vector
   * of their passage. A content that has them keeps them, and a content without a vector gets none.
   * @throws LociError `embedding_mismatch` for a vector of other dimensions, `invalid_input` for a component that is not
   *   finite, `not_found` for a generation that is unknown or was removed
   */
  put(
    namespace: string,
    generation: number,
    vectors: readonly VectorWrite[],
    sentences?: SentenceVectors,
  ): Promise<void>;
  /** The vectors of those passages that have one in the generation, by passage. */
  ofPassages(
    namespace: string,
    generation: number,
    passages: readonly number[],
  ): Promise<ReadonlyMap<number, Float32Array>>;
  /**
   * The vectors of the sentences of passages, by which no search retrieves them. Contents without any stored are left out.
   * @throws LociError `not_found` for an unknown generation
   */
  sentences(namespace: string, generation: number, hashes: readonly string[]): Promise<SentenceVectors>;
  /**
   * For those of the passages that have vectors of sentences: the highest cosine of one of them with the query. Empty where the
   * comparison takes longer than `budgetMs`.
   */
  sentenceCosines(
    namespace: string,
    query: QueryVector,
    passages: readonly number[],
    budgetMs?: number,
  ): Promise<ReadonlyMap<number, number>>;
}

/**
 * The graph of a namespace, and the names of its concepts. The caller derives them from the change feed and commits them in batches
 * (`CommitBatch.graph`, `CommitBatch.concepts`); the store removes what belongs to a record in the transaction that deletes or
 * removes the record. The edges of concepts are not stored: see `graph/concepts/concept-graph.ts`.
 */
export interface StoreGraph {
  /** @param waiting how much of what must be derived again to read, of each kind. Default none. */
  state(namespace: string, waiting?: number): Promise<GraphState>;
  /** Nodes that pass the filter. Unknown ids and records are skipped. */
  nodes(namespace: string, selector: NodeSelector, filter?: GraphFilter): Promise<GraphNode[]>;
  /** Edges whose two nodes pass the filter, by the id of the source, the type and the id of the target. */
  edges(namespace: string, filter: GraphFilter, page: Page<EdgeCursor>): Promise<GraphEdge[]>;
  /** What the store has of the graph, read in the shortest time: without the concepts and edges that follow from names. */
  outline(namespace: string, filter: GraphFilter, page: Page<string>): Promise<GraphOutline>;
  /** One step of a walk from several nodes, both ways along their edges. */
  neighbours(namespace: string, request: NeighbourRequest): Promise<Neighbours>;
  /** Counts all nodes and edges that pass the filter, so it may take a while. */
  counts(namespace: string, filter: GraphFilter): Promise<GraphCounts>;
  /** What each record contributes to a lane. */
  contributions(
    namespace: string,
    lane: GraphLane,
    records: readonly number[],
  ): Promise<Map<number, Contribution>>;
  /** Names of records, by record, key, kind and text. */
  conceptNames(namespace: string, selector: NameSelector): Promise<StoredName[]>;
  /** What was derived from each of these records; records without it are left out. */
  recordConcepts(namespace: string, records: readonly number[]): Promise<Map<number, RecordConcepts>>;
  /** How many records of a project name each of these keys, and where they do. */
  namings(namespace: string, request: NamingRequest): Promise<Map<string, NamingsOfKey>>;
  /** The places of these lines, in this order; of the whole record for the line `null`. Records that are gone are left out. */
  linePlaces(
    namespace: string,
    lines: readonly { readonly record: number; readonly line: number | null }[],
  ): Promise<GraphProvenance[]>;
}

/** Audit log, leases, and the maintenance of the store. */
export interface StoreAdmin {
  /** The namespaces that have a record. */
  namespaces(namespace: AdminNamespace): Promise<string[]>;
  stats(namespace: AdminNamespace): Promise<StoreStats>;
  /**
   * Compares derived state with the canonical rows. For the administrative namespace, checks the file itself. Returns the
   * differences in words; nothing if there are none.
   */
  verify(namespace: string): Promise<string[]>;
  /** Removes vectors that no passage uses if they are more than a tenth of all, and frees space. Cheap if there is nothing to do. */
  compact(namespace: string): Promise<void>;
  /**
   * Marks the passages of every record as stale; searches still find them until `replacePassages` replaces them. With
   * `drop`, removes every passage, term and index entry instead, however damaged they are. `vectors` removes these too.
   */
  resetDerived(
    namespace: string,
    options: { readonly drop: boolean; readonly vectors: boolean },
  ): Promise<void>;
  audit(namespace: string, request: AuditRequest): Promise<AuditReport>;
  /**
   * Returns who has a lease after the operation; `null` if it is free. While another holder has a lease, it cannot be taken. One that
   * has more than twice the requested time left was taken under another clock and counts as expired.
   */
  lease(namespace: string, operation: LeaseOperation): Promise<Lease | null>;
}
