import type { Deadline } from '../../core/time/deadline.ts';
import type { PassageScore, QueryVector, SentenceVectors, VectorWrite } from '../search-model.ts';
import type { PassageFilter } from './filter.ts';

/**
 * The vectors of contents, which the table `embedding` lists by namespace, generation and hash. Each database stores and compares
 * them in its own way. Writes are a part of the caller's transaction.
 */
export interface VectorIndex {
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
  /** The cosines of vectors with the query, by their ids; those that are gone are left out. */
  cosines(ns: number, ids: readonly number[], query: Float32Array): Promise<Map<number, number>>;
  /** Vectors by their ids; those that are gone are left out. */
  vectors(ns: number, ids: readonly number[]): Promise<Map<number, Float32Array>>;
  /** Adds vectors. A content that has one keeps it. */
  put(ns: number, generation: number, vectors: readonly VectorWrite[]): Promise<void>;
  /** Adds the vectors of sentences of contents that have a vector. A content that has them keeps them. */
  putSentences(ns: number, generation: number, sentences: SentenceVectors): Promise<void>;
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
  /** Prepares what searches of a generation need, unless it is there. Not within a transaction. */
  addGeneration(generation: number, dimensions: number): Promise<void>;
  /** Removes the vectors of a generation in all namespaces, and returns their number. */
  removeGeneration(generation: number): Promise<number>;
}
