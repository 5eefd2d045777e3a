import type { Language, StoredLanguage } from '../../core/text/language/language.ts';
import type { KnownWord } from './spelling.ts';

/** Words of the vocabulary that may be inflections of a word. */
export interface Candidates {
  readonly language: Language;
  /** The stem that they must have. */
  readonly stemmed: string;
  readonly prefix: string;
  readonly maxLength: number;
}

/** The words of a namespace, and the passages that have them. Past the deadline of the look-up, the lists may be incomplete. */
export interface KnownWords {
  /** The languages in which a considerable part of the passages is written. */
  languages(): Promise<readonly StoredLanguage[]>;
  /** The numbers of passages that have a word with each of these stems, counted once for each such word. */
  stemCounts(stems: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** The words with each of these beginnings and at most this length; at most `MAX_COMPARED` of each. */
  beginningWith(candidates: readonly Candidates[]): Promise<string[][]>;
  /** The words with this part after their first `MIN_PREFIX` letters; about `MAX_COMPARED` at most. */
  containing(part: string): Promise<string[]>;
  /** The words that are similar to this one (see `spellingSimilarity`); `null` if the database had no time to look. */
  near(word: string): Promise<KnownWord[] | null>;
}
