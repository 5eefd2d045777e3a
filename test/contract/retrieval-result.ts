import { parseQuery } from '../../src/search/query/parse.ts';
import type { RetrievalResult } from '../../src/search/retrieve/retrieve.ts';
import { type Correction, weightedTerm, type WeightedTerm } from '../../src/search/retrieve/text.ts';

/** The terms of the query, each found in this number of passages. */
export function weightedTerms(
  query: string,
  passages = 1,
  corrections: readonly Correction[] = [],
): WeightedTerm[] {
  return parseQuery(query).terms.map((term) =>
    weightedTerm(
      term,
      passages,
      corrections.find(({ word }) => word === term.surface),
    ),
  );
}

/** What retrieval returns for a query whose terms one passage each has, without signals, except for `overrides`. */
export function retrievalResult(query: string, overrides: Partial<RetrievalResult> = {}): RetrievalResult {
  return {
    query: parseQuery(query),
    intent: null,
    lists: [],
    corrections: [],
    missing: [],
    vectors: null,
    vector: null,
    modelCoverage: 1,
    hasSessions: false,
    constrainedMatches: new Set(),
    notEmbedded: new Set(),
    terms: weightedTerms(query),
    ...overrides,
  };
}
