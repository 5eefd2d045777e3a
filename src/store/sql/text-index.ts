import type { Deadline } from '../../core/time/deadline.ts';
import type { StoredLanguage } from '../../core/text/language/language.ts';
import type { PassageScore, TextQuery, Vocabulary } from '../search-model.ts';
import type { PassageFilter } from './filter.ts';

/** Ranks passages by their words, and knows the words of a namespace. Each database has its own. */
export interface TextIndex {
  /**
   * The best passages that pass the filter: best first, ties by id. Past the deadline, the best of those that were ranked until
   * then.
   */
  search(
    ns: number,
    query: TextQuery,
    filter: PassageFilter,
    limit: number,
    deadline: Deadline,
  ): Promise<PassageScore[]>;
  /** See `StoreSearch.terms`. Past the deadline, words get no corrections, or only those that were found until then. */
  terms(
    ns: number,
    words: readonly string[],
    languages: readonly StoredLanguage[],
    deadline: Deadline,
  ): Promise<Vocabulary>;
}
