import type { SeparateLookUp } from '../lexical/look-up.ts';
import type { StoredLanguage } from '../../core/text/language/language.ts';
import type { Deadline } from '../../core/time/deadline.ts';
import type { Passage } from '../../core/types.ts';
import type { StoreSize } from '../admin-model.ts';
import type { IndexedFields } from '../lexical/text-fields.ts';
import type {
  Generation,
  PassageScore,
  QueryVector,
  SentenceVectors,
  TextQuery,
  VectorWrite,
  Vocabulary,
} from '../search-model.ts';
import type { PassageFilter } from './filter.ts';
import type { Sql } from './sql.ts';

/** What a database brings: a connection, its indexes, and the care of its files. */
export interface Driver {
  readonly sql: Sql;
  readonly text: TextIndex;
  readonly vectors: VectorIndex;
  readonly storage: Storage;
}

/** A namespace of a database, and its id. */
export interface Scope extends Driver {
  readonly namespace: string;
  readonly ns: number;
}

/** A driver whose connections this process has to close. */
export interface ConnectedDriver {
  readonly driver: Driver;
  close(): Promise<void>;
}

export interface NamespaceTable {
  readonly name: string;
  /** The columns of its primary key, with commas between them. */
  readonly key: string;
}

/** What the statements of both databases cannot say about where a database keeps its tables. */
export interface Storage {
  size(): Promise<StoreSize>;
  /** Checks what is stored below the rows. Returns the faults in words. */
  verify(): Promise<string[]>;
  /** Makes indexes of tables that are missing or damaged again. Not within a transaction. */
  repairIndexes(): Promise<void>;
  /** Makes derived tables that are missing because damaged files were salvaged. Returns whether any was. Within a transaction. */
  createMissingTables(): Promise<boolean>;
  /** The tables with a column `ns` for the namespace. */
  namespaceTables(): Promise<NamespaceTable[]>;
  /** Makes new rows get ids after those of rows that were copied with theirs. */
  afterCopy(): Promise<void>;
  /** Erases what was removed, as far as others that read or write at the time allow it. Not within a transaction. */
  reclaim(): Promise<void>;
}

/** A passage with the fields of its record that are indexed with it. */
export interface TextEntry {
  readonly passage: number;
  readonly fields: IndexedFields;
  readonly text: Passage;
}

/** A passage that this transaction has written, whose id only the database knows. */
export interface NewTextEntry extends Omit<TextEntry, 'passage'> {
  readonly record: number;
}

/** Changes of the passages of a namespace. The removed ones have the fields with which they were indexed. */
export interface TextChange {
  readonly created?: readonly NewTextEntry[];
  readonly added: readonly TextEntry[];
  readonly removed: readonly TextEntry[];
  /** Removed passages of which no byte may remain. */
  readonly erased: readonly TextEntry[];
  /** Whether no word of passages that were removed before may remain either. */
  readonly isPurge: boolean;
}

/** Columns of the state of a namespace, and by how much they change. */
export type StateCounts = Readonly<Record<string, number>>;

/** The cosine is `null` for a passage without a vector. */
export interface TextScore extends PassageScore {
  readonly cosine?: number | null;
}

/** Ranks passages by their words, and knows the words of a namespace. Each database has its own. */
export interface TextIndex {
  /** Prepares a new namespace. Within the transaction that creates it. */
  create(ns: number): Promise<void>;
  /** Within the transaction that changes the passages. Returns what the caller counts in the state of the namespace. */
  change(ns: number, change: TextChange): Promise<StateCounts>;
  /**
   * The best passages that pass the filter: best first, ties by id. Past the deadline, the best of those that were ranked until
   * then.
   * @param compared an index that can gives each result its cosine with this vector as well, which saves a round trip
   */
  search(
    ns: number,
    query: TextQuery,
    filter: PassageFilter,
    limit: number,
    deadline: Deadline,
    compared?: QueryVector,
  ): Promise<TextScore[]>;
  /** The number of distinct words in the passages. */
  countWords(ns: number): Promise<number>;
  /** Does work that writes have put off. Cheap if there is none. Not within a transaction. */
  merge(ns: number): Promise<void>;
  /** Empties the index, however damaged it is. Within a transaction. */
  reset(ns: number): Promise<void>;
  /** Removes what `create` has made. Within the transaction that removes the namespace. */
  drop(ns: number): Promise<void>;
  /** Compares what is indexed with the passages. Returns messages for at most `limit` differences of a kind. */
  verify(ns: number, limit: number): Promise<string[]>;
  /** Reads again what the connection remembers of the index, before `Storage.verify`. */
  refresh(ns: number): Promise<void>;
  /** See `Store['search'].terms`. Past the deadline, words get no corrections, or only those that were found until then. */
  terms(
    ns: number,
    words: readonly string[],
    languages: readonly StoredLanguage[],
    deadline: Deadline,
    separate?: SeparateLookUp,
  ): Promise<Vocabulary>;
  /** The numbers of passages that pass the filter and have these terms one after the other, each up to `MAX_COUNTED`. */
  countPhrases(
    ns: number,
    phrases: readonly (readonly string[])[],
    filter: PassageFilter,
    deadline: Deadline,
  ): Promise<number[]>;
}

/** Expressions of SQL for a row `v` of `embedding`, which save a round trip. */
export interface VectorColumns {
  readonly vector: string;
  /** The cosine with the parameter `query`. */
  readonly cosine: string;
  /** The value of that parameter. */
  parameter(vector: Float32Array): string;
  /** The vector of a value of the first expression. */
  read(value: unknown): Float32Array;
}

/** The vectors of a generation. */
export type VectorSet = Pick<Generation, 'id' | 'dimensions'>;

/**
 * The vectors of contents, which the table `embedding` lists by namespace, generation and hash. Each database stores and compares
 * them in its own way.
 */
export interface VectorIndex {
  /** What statements compute of a row `v` of `embedding`; `null` where they cannot, and `cosines` is called. */
  readonly columns: VectorColumns | null;
  /** The cosines of vectors with the query, by their ids; those that are gone are left out. */
  cosines?(ns: number, ids: readonly number[], query: Float32Array): Promise<Map<number, number>>;
  /**
   * The passages with the vectors nearest to the query that pass the filter: best first, ties by passage. Past the deadline, a
   * scan is not repeated if the filter leaves too few.
   */
  search(
    ns: number,
    query: QueryVector,
    filter: PassageFilter,
    limit: number,
    deadline: Deadline,
  ): Promise<PassageScore[]>;
  /** Vectors by their ids; those that are gone are left out. */
  vectors(ns: number, ids: readonly number[]): Promise<Map<number, Float32Array>>;
  /**
   * Adds vectors, then those of sentences of contents that have a vector: all or nothing. A content keeps what it has.
   * @throws LociError `embedding_mismatch`, `invalid_input`, `not_found` for the generation
   */
  put(
    ns: number,
    generation: number,
    vectors: readonly VectorWrite[],
    sentences: SentenceVectors,
  ): Promise<void>;
  sentences(
    ns: number,
    generation: number,
    dimensions: number,
    hashes: readonly string[],
  ): Promise<Map<string, Float32Array[]>>;
  /** For those of the passages that have vectors of sentences: the highest cosine of one with the query. */
  sentenceCosines(ns: number, query: QueryVector, passages: readonly number[]): Promise<Map<number, number>>;
  /** Derives again what searches scan, within a transaction: rows of `vector` were removed, or what was derived is damaged. */
  rebuild(ns: number): Promise<void>;
  /** Compares what searches scan with the vectors. Returns messages for at most `limit` differences. */
  verify(ns: number, limit: number): Promise<string[]>;
  /** Whether searches of the generation would be faster with an index that it has not. */
  needsIndex(generation: VectorSet): Promise<boolean>;
  /** Makes the index of a generation unless it is there. Not within a transaction. */
  createIndex(generation: VectorSet): Promise<void>;
  /** Removes the vectors of a generation in all namespaces, and returns their number. */
  removeGeneration(generation: number): Promise<number>;
}
