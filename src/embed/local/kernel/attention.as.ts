/** Multi-head attention over one sequence. Queries, keys, values and probabilities are i16, products i32. */

import { HEAD, HEADS, HEAD_ROW, QKV_ROW, ROW, Scratch } from './shape.as.ts';
import { absolute, max, maxLane, splat, storePairs, toInt16 } from './simd.as.ts';
import { quantisePair } from './quantise.as.ts';
import { softmaxPair } from './softmax.as.ts';
import { scaled, setTile } from './tile.as.ts';

/** Largest integer of a query or key: 32 · 8191² < 2³¹. */
const HEAD_MAX: f32 = 8190;
const VALUE_MAX: f32 = 32700;
/** log₂e / √32: the attention's scale, for a softmax in powers of two. */
const SCORE_SCALE: f32 = <f32>1.44269504 * <f32>0.17677669529;
/** Keeps a division by the largest magnitude defined when all are 0. */
const TINY: f32 = 1e-30;

@inline
function largestOfHead(row: usize): f32 {
  let most = splat(0);
  for (let k: usize = 0; k < HEAD_ROW; k += 16) most = max(most, absolute(v128.load(row + k)));
  return maxLane(most) + TINY;
}

/** Queries as interleaved row pairs; an odd last row is paired with itself. */
@inline
function packQueries(queries: usize, length: i32, scratch: Scratch): void {
  for (let i = 0; i < length; i += 2) {
    const first = queries + <usize>i * QKV_ROW;
    const second = i + 1 < length ? first + QKV_ROW : first;
    const a = largestOfHead(first);
    const b = largestOfHead(second);
    quantisePair(first, second, HEAD, HEAD_MAX / a, HEAD_MAX / b, scratch.queries + ((<usize>i) << 6));
    const scales = scratch.queryScales + ((<usize>i) << 2);
    store<f32>(scales, (a / HEAD_MAX) * SCORE_SCALE);
    store<f32>(scales, (b / HEAD_MAX) * SCORE_SCALE, 4);
  }
}

/** Keys as panels of 16 columns, [padded / 16][16][16][2]; the padding is zero. */
@inline
function packKeys(keys: usize, length: i32, padded: i32, scratch: Scratch): void {
  for (let j = 0; j < padded; j++) {
    let panel = scratch.keys + ((<usize>((j >> 4) * 16 * HEAD)) << 1) + ((<usize>(j & 15)) << 2);
    const scale = scratch.keyScales + ((<usize>j) << 2);
    if (j >= length) {
      for (let k = 0; k < HEAD; k += 8) {
        storePairs(panel, i32x4.splat(0));
        panel += 256;
      }
      store<f32>(scale, 0);
      continue;
    }
    const row = keys + <usize>j * QKV_ROW;
    const largest = largestOfHead(row);
    const factor = splat(HEAD_MAX / largest);
    store<f32>(scale, largest / HEAD_MAX);
    for (let k: usize = 0; k < HEAD_ROW; k += 32) {
      storePairs(panel, toInt16(v128.load(row + k), factor, v128.load(row + k, 16), factor));
      panel += 256;
    }
  }
}

/** One scale for each of the 32 dimensions of the values, over the whole sequence. */
@inline
function scaleValues(values: usize, length: i32, scratch: Scratch): void {
  for (let k: usize = 0; k < HEAD_ROW; k += 16) {
    let most = splat(TINY);
    let row = values + k;
    for (let j = 0; j < length; j++) {
      most = max(most, absolute(v128.load(row)));
      row += QKV_ROW;
    }
    v128.store(scratch.valueScales + k, f32x4.div(most, splat(VALUE_MAX)));
  }
}

/** One row's 16 dimensions as i16, stored as the first or second of each pair by the caller. */
@inline
function storeRowPair(target: usize, first: v128, second: v128): void {
  v128.store(target, v128.shuffle<i16>(first, second, 0, 8, 1, 9, 2, 10, 3, 11));
  v128.store(target, v128.shuffle<i16>(first, second, 4, 12, 5, 13, 6, 14, 7, 15), 16);
}

/** Values as two panels of 16 dimensions, [2][padded / 2][16][2]; the padding is zero. */
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
      const row = values + <usize>j * QKV_ROW + (half << 6);
      const next = row + QKV_ROW;
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
      storeRowPair(panel, p0, q0);
      storeRowPair(panel + 32, p1, q1);
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

/** Scores of the query rows i and i + 1 against all keys. */
function scorePair(i: i32, padded: i32, scratch: Scratch, first: usize, second: usize): void {
  const queries = scratch.queries + ((<usize>i) << 6);
  const scales = scratch.queryScales + ((<usize>i) << 2);
  const r0 = v128.load32_splat(scales);
  const r1 = v128.load32_splat(scales, 4);
  let keyScales = scratch.keyScales;
  let keys = scratch.keys;
  const sums = scratch.sums;
  for (let j = 0; j < padded; j += 16) {
    setTile(queries, keys, HEAD / 2, sums);
    writeScaled(first, sums, r0, keyScales);
    writeScaled(second, sums + 64, r1, keyScales);
    keys += <usize>HEAD << 5;
    keyScales += 64;
    first += 64;
    second += 64;
  }
}

/** Probabilities times values for two rows, to one head's slice of the result; the second row only if it exists. */
function mixPair(padded: i32, scratch: Scratch, factors: usize, target: usize, both: bool): void {
  const r0 = v128.load32_splat(factors);
  const r1 = v128.load32_splat(factors, 4);
  const sums = scratch.sums;
  let values = scratch.values;
  let scales = scratch.valueScales;
  for (let half = 0; half < 2; half++) {
    setTile(scratch.probabilities, values, padded / 2, sums);
    writeScaled(target, sums, r0, scales);
    if (both) writeScaled(target + ROW, sums + 64, r1, scales);
    values += (<usize>padded) << 5;
    scales += 64;
    target += 64;
  }
}

/** One sequence: `qkv` f32 [length][1152] to `target` f32 [length][384]. */
export function attention(qkv: usize, length: i32, target: usize, scratch: Scratch): void {
  const padded = (length + 15) & ~15;
  const first = scratch.scores;
  const second = first + ((<usize>padded) << 2);
  const factors = second + ((<usize>padded) << 2);
  for (let head = 0; head < HEADS; head++) {
    const at = <usize>head * HEAD_ROW;
    packQueries(qkv + at, length, scratch);
    packKeys(qkv + ROW + at, length, padded, scratch);
    scaleValues(qkv + 2 * ROW + at, length, scratch);
    packValues(qkv + 2 * ROW + at, length, padded, scratch);
    for (let i = 0; i < length; i += 2) {
      scorePair(i, padded, scratch, first, second);
      for (let j = length; j < padded; j++) {
        store<f32>(first + ((<usize>j) << 2), -1e30);
        store<f32>(second + ((<usize>j) << 2), -1e30);
      }
      softmaxPair(first, second, padded, scratch.probabilities, factors);
      mixPair(padded, scratch, factors, target + <usize>i * ROW + at, i + 1 < length);
    }
  }
}
