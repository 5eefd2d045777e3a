// Written by `npm run fit-confidence`.

import type { Evidence } from './ranking.ts';

/** A logistic regression: the log odds are `typical` + the sum of `weights` × (evidence − typical evidence). */
export interface ConfidenceModel {
  /** The log odds of a result whose evidence is typical of a first result. */
  readonly typical: number;
  readonly weights: Readonly<Record<keyof Evidence, number>>;
}

/** The mean evidence of the first results on the dev sets. */
export const TYPICAL_EVIDENCE: Evidence = {
  match: 0.89,
  lead: 0.36,
  agreement: 0.94,
  neighbours: 0.01,
  known: 0.96,
};

/** For passages with a vector. */
export const WITH_VECTORS: ConfidenceModel = {
  typical: 1.49,
  weights: {
    match: 2.15,
    lead: 7.31,
    agreement: 1.75,
    neighbours: 0,
    known: 0.83,
  },
};

/** For passages without a vector, and for queries in a language that the embedding model does not know. */
export const WORDS_ALONE: ConfidenceModel = {
  typical: 1.17,
  weights: {
    match: 0,
    lead: 6.21,
    agreement: 0,
    neighbours: 2.2,
    known: 1.43,
  },
};
