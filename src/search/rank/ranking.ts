import type { FieldWeights } from '../../store/store.ts';

/** Every number that ranking depends on. Defaults were tuned on the dev sets of `eval/`, one setting for all of them. */
export interface Ranking {
  readonly fusion: 'minmax' | 'rrf';
  readonly weights: SignalWeights;
  /** Share of text's weight that goes to the corrected query where words were corrected. */
  readonly correctionShare: number;
  /** RRF's constant (Cormack, Clarke & Büttcher 2009). */
  readonly rrfK: number;
  readonly fields: FieldWeights;
  /** Passages each signal brings. */
  readonly depth: number;
  /** Passages that go through the later stages. */
  readonly pool: number;
  /** Passages that query terms may have in all before the commonest are left out. */
  readonly frequencyBudget: number;
  readonly smoothing: Smoothing | null;
  /** Share added for a record of a date that the query names. */
  readonly dateBoost: number;
  /** The same, where the query counts from today: "yesterday", "last week". */
  readonly relativeDateBoost: number;
  /** Share added for a turn of a speaker that the query names. */
  readonly speakerBoost: number;
  /** Share added for turns of the best session, falling with the session's rank. */
  readonly sessionPrior: number;
  /** Share added for what a user (not an assistant) said. */
  readonly userPrior: number;
  /** Share added for a title or alias that the query names whole. */
  readonly titleBoost: number;
  /** Share added for a document of the kind that the query asks for. */
  readonly kindBoost: number;
  /** What is left of the score of a source's record that is done with. */
  readonly completedFactor: number;
  readonly recency: Recency;
}

/**
 * `tie-break`: the score of a passage of now grows by the share `weights.recency` × `reach`, another's by half of
 * that for every half-life that it lies behind or ahead. `rank`: one more list in Reciprocal Rank Fusion.
 */
export type Recency =
  | { readonly kind: 'tie-break'; readonly reach: number; readonly halfLifeDays: number }
  | { readonly kind: 'rank' };

export interface SignalWeights {
  readonly vector: number;
  readonly text: number;
  readonly trigram: number;
  readonly recency: number;
}

/** Shares of a neighbour's score that a passage is lent; between the turns of a session only. */
export interface Smoothing {
  readonly previous: number;
  readonly beforePrevious: number;
  readonly next: number;
}

/** What a passage and its neighbours' shares add up to: smoothed scores are divided by it, so that they stay within 1. */
export function smoothingNorm({ previous, beforePrevious, next }: Smoothing): number {
  return 1 + previous + beforePrevious + next;
}

export const DEFAULT_RANKING: Ranking = {
  fusion: 'minmax',
  weights: { vector: 0.55, text: 0.45, trigram: 0.2, recency: 0.15 },
  correctionShare: 1,
  rrfK: 10,
  fields: { title: 6, headings: 1.5, body: 1, tags: 1 },
  depth: 150,
  pool: 100,
  frequencyBudget: 60_000,
  smoothing: { previous: 0.3, beforePrevious: 0.1, next: 0.4 },
  dateBoost: 0.2,
  relativeDateBoost: 0.5,
  speakerBoost: 0.1,
  sessionPrior: 0.2,
  userPrior: 0.4,
  titleBoost: 0.1,
  kindBoost: 0.3,
  completedFactor: 0.5,
  recency: { kind: 'tie-break', reach: 0.15, halfLifeDays: 90 },
};

/** Seed R's Reciprocal Rank Fusion of four signals, with nothing after it. */
export const CLASSIC_RANKING: Ranking = {
  ...DEFAULT_RANKING,
  fusion: 'rrf',
  weights: { vector: 0.7, text: 0.3, trigram: 0.2, recency: 0.15 },
  correctionShare: 0,
  rrfK: 60,
  fields: { title: 1, headings: 1, body: 1, tags: 1 },
  smoothing: null,
  dateBoost: 0,
  relativeDateBoost: 0,
  speakerBoost: 0,
  sessionPrior: 0,
  userPrior: 0,
  titleBoost: 0,
  kindBoost: 0,
  recency: { kind: 'rank' },
};
