/** Multi-head attention over one sequence. Queries, keys, values and probabilities are i16, products i32. */

import { HEAD_SIZE, HEADS, HEAD_BYTES, QKV_ROW_BYTES, ROW_BYTES, Scratch } from './shape.as.ts';
import { absolute, max, maxLane, splat, storePairs, toInt16 } from './simd.as.ts';
import { quantisePair } from './quantise.as.ts';
import { softmaxPair } from './softmax.as.ts';
import { scaled, setTile } from './tile.as.ts';

/** Quantised queries and keys are at most this plus rounding, so that the sum of 32 products, 32 · 8191², is below 2³¹. */
const QUERY_KEY_MAX: f32 = 8190;
/** Quantised values are at most this; see `SUM_MAX` in softmax.as.ts. */
const VALUE_MAX: f32 = 32700;
/** log₂e / √32: the scale of the attention scores times log₂e, because the softmax uses powers of two. */
const SCORE_SCALE: f32 = <f32>1.44269504 * <f32>0.17677669529;
/** Avoids a division by zero when all values of a row are 0. */
const TINY: f32 = 1e-30;

@inline
function largestOfHead(row: usize): f32 {
  let maxima = splat(0);
  for (let k: usize = 0; k < HEAD_BYTES; k += 16) maxima = max(maxima, absolute(v128.load(row + k)));
  return maxLane(maxima) + TINY;
}

/** Quantises the queries and stores them as interleaved row pairs. An odd last row is paired with itself. */
@inline
function packQueries(queries: usize, length: i32, scratch: Scratch): void {
  for (let i = 0; i < length; i += 2) {
    const first = queries + <usize>i * QKV_ROW_BYTES;
    const second = i + 1 < length ? first + QKV_ROW_BYTES : first;
    const a = largestOfHead(first);
    const b = largestOfHead(second);
    quantisePair(first, second, HEAD_SIZE, QUERY_KEY_MAX / a, QUERY_KEY_MAX / b, scratch.queries + ((<usize>i) << 6));
    const scales = scratch.queryScales + ((<usize>i) << 2);
    store<f32>(scales, (a / QUERY_KEY_MAX) * SCORE_SCALE);
    store<f32>(scales, (b / QUERY_KEY_MAX) * SCORE_SCALE, 4);
  }
}

/** Quantises the keys and stores them as panels of 16 columns, [padded / 16][16][16][2]. The padding is zero. */
@inline
function packKeys(keys: usize, length: i32, padded: i32, scratch: Scratch): void {
  for (let j = 0; j < padded; j++) {
    let panel = scratch.keys + ((<usize>((j >> 4) * 16 * HEAD_SIZE)) << 1) + ((<usize>(j & 15)) << 2);
    const scale = scratch.keyScales + ((<usize>j) << 2);
    if (j >= length) {
      for (let k = 0; k < HEAD_SIZE; k += 8) {
        storePairs(panel, i32x4.splat(0));
        panel += 256;
      }
      store<f32>(scale, 0);
      continue;
    }
    const row = keys + <usize>j * QKV_ROW_BYTES;
    const largest = largestOfHead(row);
    const factor = splat(QUERY_KEY_MAX / largest);
    store<f32>(scale, largest / QUERY_KEY_MAX);
    for (let k: usize = 0; k < HEAD_BYTES; k += 32) {
      storePairs(panel, toInt16(v128.load(row + k), factor, v128.load(row + k, 16), factor));
      panel += 256;
    }
  }
}

/** Computes one scale for each of the 32 dimensions of the values, over the whole sequence. */
@inline
function computeValueScales(values: usize, length: i32, scratch: Scratch): void {
  for (let k: usize = 0; k < HEAD_BYTES; k += 16) {
    let maxima = splat(TINY);
    let row = values + k;
    for (let j = 0; j < length; j++) {
      maxima = max(maxima, absolute(v128.load(row)));
      row += QKV_ROW_BYTES;
    }
    v128.store(scratch.valueScales + k, f32x4.div(maxima, splat(VALUE_MAX)));
  }
}

/** Stores eight i16 of two rows as pairs, [8][2]. */
@inline
function interleaveRows(target: usize, first: v128, second: v128): void {
  v128.store(target, v128.shuffle<i16>(first, second, 0, 8, 1, 9, 2, 10, 3, 11));
  v128.store(target, v128.shuffle<i16>(first, second, 4, 12, 5, 13, 6, 14, 7, 15), 16);
}

/** Quantises the values and stores them as two panels of 16 dimensions, [2][padded / 2][16][2]. The padding is zero. */
@inline
function packValues(values: usize, length: i32, padded: i32, scratch: Scratch): void {
  const one = splat(1);
  for (let half: usize = 0; half < 2; half++) {
    let panel = scratch.values + half * ((<usize>padded) << 5);
    const scales = scratch.valueScales + (half << 6);
    const f0 = f32x4.div(one, v128.load(scales));
    const f1 = f32x4.div(one, v128.load(scales, 16));
    const f2 = f32x4.div(one, v128.load(scales, 32));
    const f3 = f32x4.div(one, v128.load(scales, 48));
    for (let j = 0; j < padded; j += 2) {
      const row = values + <usize>j * QKV_ROW_BYTES + (half << 6);
      const next = row + QKV_ROW_BYTES;
      let p0 = splat(0);
      let p1 = p0;
      let q0 = p0;
      let q1 = p0;
      if (j < length) {
        p0 = toInt16(v128.load(row), f0, v128.load(row, 16), f1);
        p1 = toInt16(v128.load(row, 32), f2, v128.load(row, 48), f3);
      }
      if (j + 1 < length) {
        q0 = toInt16(v128.load(next), f0, v128.load(next, 16), f1);
        q1 = toInt16(v128.load(next, 32), f2, v128.load(next, 48), f3);
      }
      interleaveRows(panel, p0, q0);
      interleaveRows(panel + 32, p1, q1);
      panel += 64;
    }
  }
}

/** Writes 16 columns of one row: sums times the row's and the columns' scales. */
@inline
function writeScaled(target: usize, sums: usize, rowScale: v128, columnScales: usize): void {
  v128.store(target, scaled(v128.load(sums), rowScale, v128.load(columnScales)));
  v128.store(target, scaled(v128.load(sums, 16), rowScale, v128.load(columnScales, 16)), 16);
  v128.store(target, scaled(v128.load(sums, 32), rowScale, v128.load(columnScales, 32)), 32);
  v128.store(target, scaled(v128.load(sums, 48), rowScale, v128.load(columnScales, 48)), 48);
}

/** Writes the scores of the query rows i and i + 1 against all keys to `first` and `second`. */
function scorePair(i: i32, padded: i32, scratch: Scratch, first: usize, second: usize): void {
  const queries = scratch.queries + ((<usize>i) << 6);
  const scales = scratch.queryScales + ((<usize>i) << 2);
  const r0 = v128.load32_splat(scales);
  const r1 = v128.load32_splat(scales, 4);
  let keyScales = scratch.keyScales;
  let keys = scratch.keys;
  const sums = scratch.sums;
  for (let j = 0; j < padded; j += 16) {
    setTile(queries, keys, HEAD_SIZE / 2, sums);
    writeScaled(first, sums, r0, keyScales);
    writeScaled(second, sums + 64, r1, keyScales);
    keys += <usize>HEAD_SIZE << 5;
    keyScales += 64;
    first += 64;
    second += 64;
  }
}

/** Writes probabilities times values to one head's slice of one row of the result, or of two rows if `both` is true. */
function sumWeightedValues(padded: i32, scratch: Scratch, rowScales: usize, target: usize, both: bool): void {
  const r0 = v128.load32_splat(rowScales);
  const r1 = v128.load32_splat(rowScales, 4);
  const sums = scratch.sums;
  let values = scratch.values;
  let scales = scratch.valueScales;
  for (let half = 0; half < 2; half++) {
    setTile(scratch.probabilities, values, padded / 2, sums);
    writeScaled(target, sums, r0, scales);
    if (both) writeScaled(target + ROW_BYTES, sums + 64, r1, scales);
    values += (<usize>padded) << 5;
    scales += 64;
    target += 64;
  }
}

/** Computes the attention of one sequence from `qkv`, f32 [length][1152], and writes it to `target`, f32 [length][384]. */
export function attention(qkv: usize, length: i32, target: usize, scratch: Scratch): void {
  const padded = (length + 15) & ~15;
  const first = scratch.scores;
  const second = first + ((<usize>padded) << 2);
  const rowScales = second + ((<usize>padded) << 2);
  for (let head = 0; head < HEADS; head++) {
    const headOffset = <usize>head * HEAD_BYTES;
    packQueries(qkv + headOffset, length, scratch);
    packKeys(qkv + ROW_BYTES + headOffset, length, padded, scratch);
    computeValueScales(qkv + 2 * ROW_BYTES + headOffset, length, scratch);
    packValues(qkv + 2 * ROW_BYTES + headOffset, length, padded, scratch);
    for (let i = 0; i < length; i += 2) {
      scorePair(i, padded, scratch, first, second);
      for (let j = length; j < padded; j++) {
        store<f32>(first + ((<usize>j) << 2), -1e30);
        store<f32>(second + ((<usize>j) << 2), -1e30);
      }
      softmaxPair(first, second, padded, scratch.probabilities, rowScales);
      sumWeightedValues(padded, scratch, rowScales, target + <usize>i * ROW_BYTES + headOffset, i + 1 < length);
    }
  }
}
