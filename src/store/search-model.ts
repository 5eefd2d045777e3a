/** The nouns of searches: filters, queries, scores, passages, vectors and their generations. */

import type { LociRecord, Metadata, Origin, Passage, Timestamp } from '../core/types.ts';

/**
 * Which records a search may see. Every condition must hold: one entry of each list, all of the tags. Tags match in any
 * case, and a tag includes the tags nested in it.
 */
export interface SearchFilter {
  /** Records that expire at or before this time are hidden. */
  readonly now: Timestamp;
  readonly project?: string;
  readonly origins?: readonly Origin[];
  readonly sources?: readonly string[];
  /** Hides what vaults and sources of these names delivered, but not what agents wrote under the same name. */
  readonly exceptSources?: readonly string[];
  readonly categories?: readonly string[];
  readonly recordTypes?: readonly string[];
  readonly tags?: readonly string[];
  /** Whether the metadata has `completed: true`. */
  readonly completed?: boolean;
  /** Whether the metadata has `undated: true`: the source gave no date, so `createdAt` says nothing. */
  readonly undated?: boolean;
  /** Bounds of `createdAt`: `from` is inclusive, `until` exclusive. */
  readonly from?: Timestamp;
  readonly until?: Timestamp;
}

/** A word or a phrase to search for. */
export interface TextTerm {
  /** Terms of the analyzer; several form a phrase. */
  readonly terms: readonly string[];
  /** Whether the last term matches every word that begins with it. */
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
  /** At least one of these must match. */
  readonly any: readonly TextTerm[];
  /** All of these must match; may be empty. Together with terms of `any`, each counts twice in the score. */
  readonly all: readonly TextTerm[];
  readonly weights: FieldWeights;
}

export interface PassageScore {
  readonly passage: number;
  readonly record: number;
  /** Higher is better: BM25 for text; the cosine, from −1 to 1, for vectors. */
  readonly score: number;
}

/** What the vocabulary of a namespace has on a word. */
export interface TermInfo {
  readonly word: string;
  /** Passages with any word of the same stem, counted once for each such word. */
  readonly passages: number;
  /** For an unknown word: the most similar known words, best first. */
  readonly near: readonly NearTerm[];
}

export interface NearTerm {
  readonly word: string;
  readonly passages: number;
  /** 0 to 1; see `spellingSimilarity`. */
  readonly similarity: number;
}

/** A record without its content: what ranking and results need. */
export type RecordHeader = Omit<LociRecord, 'content' | 'contentHash' | 'revision' | 'identity'>;

export interface StoredPassage extends Passage {
  readonly id: number;
  readonly record: RecordHeader;
}

/**
 * The passages before and after a passage of a session's turn, nearest first: those of the same record, then the first
 * passages of the session's other records by id. Records with the same `metadata.session` form a session.
 */
export interface Neighbourhood {
  readonly passage: number;
  readonly before: readonly number[];
  readonly after: readonly number[];
}

/** The embedding model that made a set of vectors. Vectors of two generations are never compared. */
export interface GenerationSpec {
  readonly provider: string;
  readonly model: string;
  readonly dimensions: number;
}

export interface Generation extends GenerationSpec {
  readonly id: number;
  /** Whether searches use it; at most one generation is active. */
  readonly active: boolean;
}

/** The position of a passage in a namespace. */
export interface PassagePosition {
  readonly record: number;
  readonly ordinal: number;
}

/** A passage whose content has no vector yet. */
export interface PendingEmbedding extends PassagePosition {
  readonly passage: number;
  readonly hash: string;
  readonly headings: readonly string[];
  readonly text: string;
  readonly title: string;
  readonly metadata: Metadata;
}

export interface VectorWrite {
  /** Hash of the passage's content. */
  readonly hash: string;
  /** A unit vector with the generation's dimensions. */
  readonly vector: Float32Array;
}
