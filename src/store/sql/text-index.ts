import type { Deadline } from '../../core/time/deadline.ts';
import type { StoredLanguage } from '../../core/text/language/language.ts';
import type { PassageScore, QueryVector, TextQuery, Vocabulary } from '../search-model.ts';
import type { PassageFilter } from './filter.ts';
import type { IndexedFields } from '../lexical/text-fields.ts';
import type { Passage } from '../../core/types.ts';

/** A passage with the fields of its record that are indexed with it. */
export interface TextEntry {
  readonly passage: number;
  readonly fields: IndexedFields;
  readonly text: Passage;
}

/** Changes of the passages of a namespace. The removed ones have the fields with which they were indexed. */
export interface TextChange {
  readonly added: readonly TextEntry[];
  readonly removed: readonly TextEntry[];
  /** Removed passages of which no byte may remain. */
  readonly erased: readonly TextEntry[];
  /** Whether no word of passages that were removed before may remain either. */
  readonly isPurge: boolean;
}

/** The cosine is `null` for a passage without a vector. */
export interface TextScore extends PassageScore {
  readonly cosine?: number | null;
}

/** Ranks passages by their words, and knows the words of a namespace. Each database has its own. */
export interface TextIndex {
  /** Prepares a new namespace. Within the transaction that creates it. */
  create(ns: number): Promise<void>;
  /** Within the transaction that changes the passages. */
  change(ns: number, change: TextChange): Promise<void>;
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
  /** Removes all passages and words, however damaged they are. Within a transaction. */
  reset(ns: number): Promise<void>;
  /** Compares what is indexed with the passages. Returns messages for at most `limit` differences of a kind. */
  verify(ns: number, limit: number): Promise<string[]>;
  /** Reads again what the connection remembers of the index, before `Storage.verify`. */
  refresh(ns: number): Promise<void>;
  /** See `StoreSearch.terms`. Past the deadline, words get no corrections, or only those that were found until then. */
  terms(
    ns: number,
    words: readonly string[],
    languages: readonly StoredLanguage[],
    deadline: Deadline,
  ): Promise<Vocabulary>;
}
