/** The types of searches: filters, queries, scores, passages, vectors and their generations. */

import type { StoredLanguage } from '../core/text/language/language.ts';
import type { LociRecord, Metadata, Origin, Passage, Timestamp, Trust } from '../core/types.ts';

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
  readonly trust?: readonly Trust[];
  /** Hides records of vaults and sources with these names, but not records that agents wrote under the same name. */
  readonly excludedSources?: readonly string[];
  readonly categories?: readonly string[];
  readonly recordTypes?: readonly string[];
  readonly tags?: readonly string[];
  /** Hides records with one of these tags, or with a tag nested in it. */
  readonly excludedTags?: readonly string[];
  /** Only notes whose path in their vault matches all of these globs; see `PathGlob`. Case does not matter. */
  readonly paths?: readonly string[];
  /** Hides notes whose path matches one of these. */
  readonly excludedPaths?: readonly string[];
  /** Hides the records with these ids. */
  readonly excludedRecords?: readonly number[];
  /** Whether the metadata has `completed: true`. */
  readonly completed?: boolean;
  /** Whether the metadata has `undated: true`: the source gave no date, so `createdAt` says nothing. */
  readonly undated?: boolean;
  /** Bounds of `createdAt`: `from` is inclusive, `until` exclusive. A note without a date is in none (`isUndatedNote`). */
  readonly from?: Timestamp;
  readonly until?: Timestamp;
}

/** A word or a phrase to search for. */
export interface TextTerm {
  /** Terms of the analyzer; several form a phrase. */
  readonly terms: readonly string[];
  /** Terms that count as if they were the term: its other inflections. A phrase and a prefix have none. */
  readonly variants?: readonly string[];
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

/** A query's vector, to be compared with those of a generation. */
export interface QueryVector {
  readonly generation: number;
  readonly vector: Float32Array;
}

/** What a query ranks passages by. */
export type PassageRanking =
  /** BM25 of title, headings, body and tags. */
  | { readonly by: 'text'; readonly text: TextQuery }
  /** The cosine. */
  | { readonly by: 'vector'; readonly vector: QueryVector }
  /**
   * The distance of `createdAt` from `filter.now`, in the past or the future: first passages of records, nearest first,
   * with `createdAt` as the score.
   */
  | {
      readonly by: 'time';
      /** Also notes without a date, by the time of their files. Default false. */
      readonly undated?: boolean;
    };

/** Ranks the passages that the filter admits: best first, ties by passage id. */
export type PassageQuery = PassageRanking & {
  readonly filter: SearchFilter;
  readonly limit: number;
  readonly spread?: RecordSpread;
};

/** Keeps one long record from filling a list. */
export interface RecordSpread {
  /** While the best passages are of fewer records, the limit grows, within bounds. */
  readonly minRecords: number;
  /** Passages of one record that the list has at most. */
  readonly maxPerRecord: number;
}

export interface RetrievalRequest {
  readonly queries: readonly PassageQuery[];
  /** Compares this vector with every passage that a text query found and no vector query did. */
  readonly cosines?: QueryVector;
  /** Passages that are compared with it as well, unless a vector query found them. */
  readonly compared?: readonly number[];
  /** Records of which all passages are wanted, compared with it: in this order, as many passages as the limit allows. */
  readonly records?: { readonly ids: readonly number[]; readonly limit: number };
  /** Whether to load the best passage of each record in the lists. */
  readonly load?: boolean;
  /**
   * How long it may take, in milliseconds; unlimited unless given. Past it, the lists have what was found, and `records` are not
   * compared.
   */
  readonly budgetMs?: number | undefined;
}

/** The answer to one query. */
export interface RankedList {
  readonly scores: readonly PassageScore[];
  /** How long the query took. */
  readonly milliseconds: number;
  /** Whether the time ran out before all passages were ranked. */
  readonly isPartial: boolean;
}

export interface Retrieved {
  /** One for each query. */
  readonly lists: readonly RankedList[];
  /** In no particular order; passages without a vector are left out. */
  readonly cosines: readonly PassageScore[];
  /** Whether the time was enough to compare all of them. */
  readonly hasAllCosines: boolean;
  /** The passages of `records`, by ordinal. Records without any are left out. */
  readonly compared: ReadonlyMap<number, readonly ComparedPassage[]>;
  readonly passages: readonly StoredPassage[];
}

export interface PassageScore {
  readonly passage: number;
  readonly record: number;
  /** Higher is better: BM25 for text; the cosine, from −1 to 1, for vectors. */
  readonly score: number;
}

/** Where a passage is in its record, and how near it is to a vector. */
export interface ComparedPassage extends Pick<Passage, 'ordinal' | 'startLine' | 'endLine'> {
  readonly passage: number;
  /** Of its text, in code points. */
  readonly length: number;
  /** −1 to 1; `null` if it has no vector. */
  readonly cosine: number | null;
}

export interface SimilarRecord {
  readonly record: number;
  /** The cosine of its most similar passage with the first passage of the other record. */
  readonly cosine: number;
}

/** What the vocabulary of a namespace has on a word. */
export interface TermInfo {
  readonly word: string;
  /** Passages with any word of the same stem or with a variant, counted once for each such word. */
  readonly passages: number;
  /**
   * The stems of known words that are inflections of the word in a language of the namespace, without its own stem; of a word that no
   * passage has, those of its compounds.
   */
  readonly variants?: readonly string[];
  /** For an unknown word: the most similar known words, best first. */
  readonly near: readonly NearTerm[];
  /** The time ran out before the word was compared with all known words. */
  readonly isPartial?: true;
  /** Two words that texts have in place of an unknown one, separated by a space: "wi fi". If it was asked for. */
  readonly separate?: readonly SeparateWords[];
}

/** Two words that stand together in passages. */
export interface SeparateWords {
  readonly text: string;
  /** The passages that have them, up to 20. */
  readonly passages: number;
}

/** What the vocabulary of a namespace has on words. */
export interface Vocabulary {
  /** One for each word. */
  readonly terms: TermInfo[];
  /** The languages in which a considerable part of the namespace's passages is written. */
  readonly languages: StoredLanguage[];
}

/** What a search has to know of a namespace before it begins. */
export interface NamespaceVocabulary extends Vocabulary {
  /** Whether it has turns of conversations. */
  readonly hasSessions: boolean;
}

export interface NearTerm {
  readonly word: string;
  readonly passages: number;
  /** 0 to 1; see `spellingSimilarity`. */
  readonly similarity: number;
}

/** A record that has a name, with its first passage. */
export interface NamedRecord {
  readonly name: string;
  readonly record: number;
  readonly passage: number;
}

/** A record without its content: what ranking and results need. */
export type RecordHeader = Omit<LociRecord, 'content' | 'contentHash' | 'revision' | 'identity'>;

export interface StoredPassage extends Passage {
  readonly id: number;
  readonly record: RecordHeader;
}

/** How many neighbours of a passage to look up. */
export interface NeighbourReach {
  readonly before: number;
  readonly after: number;
}

/** Passages, and their neighbours in sessions. */
export interface LoadedPassages {
  /** In the order of the ids, then the neighbours; those that the filter hides are left out. */
  readonly passages: readonly StoredPassage[];
  /** Those of the passages of sessions, in the order of the ids, whatever the filter hides. */
  readonly neighbourhoods: readonly Neighbourhood[];
  /** Passages that are left out because what is stored of them, or of their record, cannot be read. */
  readonly damaged: readonly Pick<PassageScore, 'passage' | 'record'>[];
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

/** A passage whose content has no vector yet. */
export interface PendingEmbedding {
  readonly passage: number;
  readonly record: number;
  readonly ordinal: number;
  readonly hash: string;
  readonly headings: readonly string[];
  readonly text: string;
  readonly context: string | null;
  readonly title: string;
  readonly metadata: Metadata;
}

/** What to read of the passages without a vector. */
export interface PendingRequest {
  /** Passages at most; 0 unless given. */
  readonly limit?: number;
  readonly totals?: boolean;
}

export interface PendingEmbeddings {
  /**
   * Those first whose vectors improve searches most: the first passage of every record, then the others. The last updated records
   * come first, ties in the order of ids. Passages with the same content share a hash.
   */
  readonly passages: readonly PendingEmbedding[];
  /** The number of contents without a vector; 0 unless totals were requested. */
  readonly texts: number;
  /** Their size in bytes of UTF-8. The time to embed a text grows with it. */
  readonly bytes: number;
}

/** The texts of a namespace without a vector, and their size in bytes of UTF-8. */
export interface PendingOfNamespace extends Pick<PendingEmbeddings, 'texts' | 'bytes'> {
  readonly namespace: string;
}

/** The vectors of the sentences of passages, by the hash of the passage's content. A passage may have none. */
export type SentenceVectors = ReadonlyMap<string, readonly Float32Array[]>;

/** The change of a generation. */
export type GenerationChange =
  /** Adds the generation of a model, which is not active, unless there is one. Its id is never that of a removed one. */
  | { readonly add: GenerationSpec }
  /** Makes the index of its vectors unless it is there. Writes and searches go on meanwhile; see `needsIndex`. */
  | { readonly index: number }
  /** Makes searches use the generation with this id. */
  | { readonly activate: number }
  /** Removes the generation and its vectors, in all namespaces. */
  | { readonly remove: number };

export interface ChangedGeneration extends Generation {
  /** How many vectors were removed with it. */
  readonly removedVectors: number;
}

export interface VectorWrite {
  /** Hash of the passage's content. */
  readonly hash: string;
  /** A unit vector with the generation's dimensions. */
  readonly vector: Float32Array;
}
