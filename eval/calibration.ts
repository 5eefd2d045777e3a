import { mean } from './metrics.ts';

/**
 * The area under the ROC curve (Mann & Whitney 1947): the share of pairs in which the first is larger; a pair of equal numbers
 * counts ½. 0 without pairs.
 */
export function rocArea(positive: readonly number[], negative: readonly number[]): number {
  const sorted = negative.toSorted((a, b) => a - b);
  const won = positive.reduce((sum, high) => {
    const below = lowerBound(sorted, (low) => low < high);
    const upTo = lowerBound(sorted, (low) => low <= high);
    return sum + (below + upTo) / 2;
  }, 0);
  return positive.length * negative.length === 0 ? 0 : won / (positive.length * negative.length);
}

/** The number of elements at the beginning of the sorted list that have the property. */
function lowerBound(sorted: readonly number[], isBefore: (value: number) => boolean): number {
  let [from, until] = [0, sorted.length];
  while (from < until) {
    const middle = (from + until) >> 1;
    if (isBefore(sorted[middle]!)) from = middle + 1;
    else until = middle;
  }
  return from;
}

/** How well the score of the first result predicts whether a right one is within the first five. */
export interface Calibration {
  /** The area under the ROC curve; `null` if all queries have a right result, or none. */
  readonly auroc: number | null;
  /** The expected calibration error: the mean difference of score and share of right answers over the bins. 0 to 1. */
  readonly error: number;
  /** The bins with queries, lowest first. */
  readonly bins: readonly ReliabilityBin[];
  /** The area under the ROC curve of the same queries and of those whose relevant documents are hidden. */
  readonly hiddenAuroc: number;
}

interface ReliabilityBin {
  readonly queries: number;
  /** The mean score of its queries. */
  readonly score: number;
  /** The share of its queries with a right result within the first five. */
  readonly right: number;
}

/** A query with its score. */
export interface Judged {
  /** 0 to 1. */
  readonly score: number;
  readonly isRight: boolean;
}

const BINS = 10;

/** @param hidden the scores of the same queries while their relevant documents are hidden */
export function calibrationOf(judged: readonly Judged[], hidden: readonly number[]): Calibration {
  const scores = judged.map(({ score }) => score);
  const right = judged.flatMap(({ score, isRight }) => (isRight ? [score] : []));
  const wrong = judged.flatMap(({ score, isRight }) => (isRight ? [] : [score]));
  const bins = reliabilityBins(judged);
  const errors = bins.map(({ queries, score, right: share }) => queries * Math.abs(score - share));
  return {
    auroc: right.length === 0 || wrong.length === 0 ? null : rocArea(right, wrong),
    error: errors.reduce((sum, error) => sum + error, 0) / Math.max(1, judged.length),
    bins,
    hiddenAuroc: rocArea(scores, hidden),
  };
}

/** Bins of equal width (Naeini, Cooper & Hauskrecht 2015). */
function reliabilityBins(judged: readonly Judged[]): ReliabilityBin[] {
  const groups = Map.groupBy(judged, ({ score }) => Math.min(BINS - 1, Math.floor(score * BINS)));
  return [...groups]
    .toSorted(([a], [b]) => a - b)
    .map(([, group]) => ({
      queries: group.length,
      score: mean(group.map(({ score }) => score)),
      right: mean(group.map(({ isRight }) => (isRight ? 1 : 0))),
    }));
}
