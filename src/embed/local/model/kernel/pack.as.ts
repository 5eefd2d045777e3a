/** Converts the float16 rows of the model file to the format that the kernel reads. Runs once, when the weights are loaded. */

import { HIDDEN_SIZE } from './shape.as.ts';
import { HALF_FACTOR, add, loadHalf, mul, round, splat, storePairs, sumLanes } from './simd.as.ts';

/**
 * The largest quantised weight. It is about half of the i16 maximum, because a sum of products must fit in an i32:
 * larger weights would leave fewer bits for the activations.
 */
const WEIGHT_MAX: f32 = 16000;

/**
 * Quantises a float16 matrix [columns][depth] in place, a scale for each output column, into panels of 16
 * columns: i16 [columns / 16][depth / 2][16][2], so that one 16-byte load is a pair of k for four columns.
 * `staging` has room for 16 rows. Writes one scale a column, and returns the largest L2 norm of a packed column.
 */
export function packWeights(matrix: usize, columns: i32, depth: i32, staging: usize, scales: usize): f32 {
  const panelBytes = (<usize>depth) << 5;
  let maxSquares: f32 = 0;
  for (let n = 0; n < columns; n += 16) {
    memory.copy(staging, matrix, panelBytes);
    for (let c: usize = 0; c < 16; c++) {
      const row = staging + c * ((<usize>depth) << 1);
      let largest = largestHalf(row, depth);
      if (largest == 0) largest = 1;
      store<f32>(scales, largest / WEIGHT_MAX);
      const squares = packColumn(row, depth, WEIGHT_MAX / largest, matrix + (c << 2));
      if (squares > maxSquares) maxSquares = squares;
      scales += 4;
    }
    matrix += panelBytes;
  }
  return sqrt<f32>(maxSquares);
}

/** The largest magnitude of a float16 row: without their signs, float16 values are ordered like their bits. */
function largestHalf(row: usize, depth: i32): f32 {
  let maxima = i16x8.splat(0);
  for (let k = 0; k < depth; k += 8) {
    const magnitudes = v128.and(v128.load(row + ((<usize>k) << 1)), i16x8.splat(0x7fff));
    maxima = i16x8.max_u(maxima, magnitudes);
  }
  maxima = i16x8.max_u(maxima, v128.shuffle<i64>(maxima, maxima, 1, 0));
  maxima = i16x8.max_u(maxima, v128.shuffle<i32>(maxima, maxima, 1, 0, 3, 2));
  maxima = i16x8.max_u(maxima, v128.shuffle<i16>(maxima, maxima, 1, 0, 3, 2, 5, 4, 7, 6));
  return reinterpret<f32>((<u32>i16x8.extract_lane_u(maxima, 0)) << 13) * HALF_FACTOR;
}

/** Returns the sum of squares of the integers written. */
function packColumn(row: usize, depth: i32, factor: f32, panel: usize): f32 {
  const factors = splat(factor);
  let squares = splat(0);
  for (let k = 0; k < depth; k += 8) {
    const from = row + ((<usize>k) << 1);
    const a = round(mul(loadHalf(from), factors));
    const b = round(mul(loadHalf(from + 8), factors));
    const x = f32x4.convert_i32x4_s(a);
    const y = f32x4.convert_i32x4_s(b);
    squares = add(squares, add(mul(x, x), mul(y, y)));
    storePairs(panel, i16x8.narrow_i32x4_s(a, b));
    panel += 256;
  }
  return sumLanes(squares);
}

/** Converts float16 to float32. `count` is a multiple of four. */
export function widenHalf(source: usize, target: usize, count: i32): void {
  for (let i = 0; i < count; i += 4) {
    v128.store(target + ((<usize>i) << 2), loadHalf(source + ((<usize>i) << 1)));
  }
}

/** Adds one float32 row to each of `rows` rows: token type 0 is folded into the positions. */
export function addToRows(target: usize, row: usize, rows: i32): void {
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < HIDDEN_SIZE; j += 4) {
      const p = target + ((<usize>(i * HIDDEN_SIZE + j)) << 2);
      v128.store(p, add(v128.load(p), v128.load(row + ((<usize>j) << 2))));
    }
  }
}
