export const METRICS = ['R@1', 'R@2', 'R@5', 'R@10', 'nDCG@10', 'MRR'] as const;
export type Metric = (typeof METRICS)[number];
export type Scores = Readonly<Record<Metric, number>>;

/** Scores of one ranking against its relevant documents, each 0 to 1, with binary gains. */
export function score(ranked: readonly string[], gold: readonly string[]): Scores {
  const relevant = new Set(gold);
  const recall = (k: number): number => {
    const found = ranked.slice(0, k).filter((id) => relevant.has(id)).length;
    return relevant.size === 0 ? 0 : found / relevant.size;
  };
  const first = ranked.findIndex((id) => relevant.has(id));
  return {
    'R@1': recall(1),
    'R@2': recall(2),
    'R@5': recall(5),
    'R@10': recall(10),
    'nDCG@10': ndcg(ranked.slice(0, 10), relevant),
    MRR: first === -1 ? 0 : 1 / (first + 1),
  };
}

/** Järvelin & Kekäläinen 2002, binary gains. */
function ndcg(top: readonly string[], relevant: ReadonlySet<string>): number {
  let gain = 0;
  for (const [i, id] of top.entries()) if (relevant.has(id)) gain += 1 / Math.log2(i + 2);
  let ideal = 0;
  for (let i = 0; i < Math.min(10, relevant.size); i++) ideal += 1 / Math.log2(i + 2);
  return ideal === 0 ? 0 : gain / ideal;
}

export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((a, b) => a + b, 0) / values.length;
}

export function meanScores(all: readonly Scores[]): Scores {
  return Object.fromEntries(
    METRICS.map((metric) => [metric, mean(all.map((scores) => scores[metric]))]),
  ) as Record<Metric, number>;
}

/** The percentile of the values by nearest rank; `NaN` without values. @param share 0 to 1 */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** The main metric of each kind of set. */
const MAIN_METRICS: readonly (readonly [RegExp, Metric])[] = [
  [/^(locomo|beam|ambient)/i, 'R@10'],
  [/^(cranfield|scifact)/i, 'nDCG@10'],
  [/^(newest|factcon)/i, 'R@1'],
];

export function mainMetric(set: string): Metric {
  return MAIN_METRICS.find(([name]) => name.test(set))?.[1] ?? 'R@5';
}
