/** Numbers from 0 to 1 (exclusive), the same for the same seed: mulberry32. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A seed of 32 bits from a text: FNV-1a. */
export function seedOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

export interface Interval {
  readonly mean: number;
  /** Bounds of the 95% interval. */
  readonly low: number;
  readonly high: number;
}

const RESAMPLES = 10_000;
const SEED = 20_261_121;

/**
 * Mean of paired differences, one for each query, with its percentile bootstrap interval over queries (Efron & Tibshirani
 * 1993, chapter 13). The same numbers give the same interval.
 */
export function bootstrap(differences: readonly number[], resamples: number = RESAMPLES): Interval {
  const count = differences.length;
  if (count === 0) return { mean: 0, low: 0, high: 0 };
  const values = Float64Array.from(differences);
  const mean = values.reduce((a, b) => a + b, 0) / count;
  if (values.every((value) => value === values[0])) return { mean, low: mean, high: mean };
  const random = seededRandom(SEED);
  const means = new Float64Array(resamples);
  for (let i = 0; i < resamples; i++) {
    let sum = 0;
    for (let j = 0; j < count; j++) sum += values[Math.floor(random() * count)]!;
    means[i] = sum / count;
  }
  means.sort();
  const at = (share: number): number => means[Math.round(share * (resamples - 1))]!;
  return { mean, low: at(0.025), high: at(0.975) };
}

/** The first system's scores minus the second's, over the same queries in the same order. */
export function pairedDifference(first: readonly number[], second: readonly number[]): Interval {
  if (first.length !== second.length) throw new RangeError('paired scores must be of the same queries');
  return bootstrap(first.map((value, i) => value - second[i]!));
}
