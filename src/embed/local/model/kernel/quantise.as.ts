/**
 * Quantises activations to i16, with a scale for each row. Rows are stored in pairs, interleaved as [k / 2][2 rows][2], so that the
 * inner loop reads a pair of k of both rows from eight consecutive bytes.
 */

import { absolute, add, max, maxLane, mul, splat, sumLanes, toInt16 } from './simd.as.ts';

/** Below 2³¹, with a margin for rounding. */
const SUM_LIMIT: f32 = 2.1e9;
const INT16_LIMIT: f32 = 32700;

/** Multiplies two float32 rows of `depth` (a multiple of eight) by a factor each, and writes them interleaved to `target`. */
@inline
export function quantisePair(first: usize, second: usize, depth: i32, f0: f32, f1: f32, target: usize): void {
  const a = splat(f0);
  const b = splat(f1);
  const end = first + ((<usize>depth) << 2);
  while (first < end) {
    const p = toInt16(v128.load(first), a, v128.load(first, 16), a);
    const q = toInt16(v128.load(second), b, v128.load(second, 16), b);
    v128.store(target, v128.shuffle<i32>(p, q, 0, 4, 1, 5));
    v128.store(target, v128.shuffle<i32>(p, q, 2, 6, 3, 7), 16);
    target += 32;
    first += 32;
    second += 32;
  }
}

/**
 * The largest factor for a row such that no i16 overflows and no i32 sum of products with a weight column can:
 * |a · w| ≤ ‖a‖ · ‖w‖ (Cauchy–Schwarz), and ‖w‖ ≤ maxColumnNorm.
 */
@inline
function rowFactor(row: usize, depth: i32, maxColumnNorm: f32): f32 {
  let maxima = splat(0);
  let even = splat(0);
  let odd = splat(0);
  const end = row + ((<usize>depth) << 2);
  for (; row < end; row += 32) {
    const a = v128.load(row);
    const b = v128.load(row, 16);
    maxima = max(maxima, max(absolute(a), absolute(b)));
    even = add(even, mul(a, a));
    odd = add(odd, mul(b, b));
  }
  const largest = maxLane(maxima);
  if (!(largest > <f32>1e-30)) return 1;
  const byValue: f32 = INT16_LIMIT / largest;
  const bySum: f32 = SUM_LIMIT / (maxColumnNorm * sqrt<f32>(sumLanes(add(even, odd))));
  return byValue < bySum ? byValue : bySum;
}

/** Quantises `rows` float32 rows; writes the inverse factor of each to `rowScales` (0 for the padding of an odd end). */
export function quantiseRows(
  rows: usize,
  count: i32,
  depth: i32,
  maxColumnNorm: f32,
  target: usize,
  rowScales: usize,
): void {
  const bytes = (<usize>depth) << 2;
  for (let m = 0; m < count; m += 2) {
    const paired = m + 1 < count;
    const second = paired ? rows + bytes : rows;
    const f0 = rowFactor(rows, depth, maxColumnNorm);
    const f1: f32 = paired ? rowFactor(second, depth, maxColumnNorm) : 0;
    quantisePair(rows, second, depth, f0, f1, target);
    store<f32>(rowScales, <f32>1 / f0);
    store<f32>(rowScales, paired ? <f32>1 / f1 : <f32>0, 4);
    rowScales += 8;
    target += bytes;
    rows += bytes << 1;
  }
}
