/** Quantised rows times a dense layer, panel by panel, with the layer's bias and what follows it. */

import { gelu } from './gelu.ts';
import { quantiseRows } from './quantise.ts';
import { Linear, Scratch } from './shape.ts';
import { add } from './simd.ts';
import { addTile, scaled, setTile } from './tile.ts';

/** Depth of a block of k: 384 × 16 i16 weights (12 KB) stay in the first-level cache while all rows pass. */
const DEPTH_BLOCK: i32 = 384;

/** What follows the bias. */
export const PLAIN: i32 = 0;
export const GELU: i32 = 1;
export const RESIDUAL: i32 = 2;

/** sums, i32 [rows][16] = quantised rows × one panel. */
@inline
function multiplyPanel(quantised: usize, panel: usize, rows: i32, depth: i32, sums: usize): void {
  const rowPair = (<usize>depth) << 2;
  for (let block = 0; block < depth; block += DEPTH_BLOCK) {
    let a = quantised + ((<usize>block) << 2);
    const b = panel + ((<usize>block) << 5);
    let c = sums;
    for (let m = 0; m < rows; m += 2) {
      if (block == 0) setTile(a, b, DEPTH_BLOCK / 2, c);
      else addTile(a, b, DEPTH_BLOCK / 2, c);
      a += rowPair;
      c += 128;
    }
  }
}

/** Four columns of one row: sums to float32, bias, and what follows. */
@inline
function finish(kind: i32, sums: v128, rowScale: v128, scales: v128, bias: v128, target: usize): void {
  let x = add(scaled(sums, rowScale, scales), bias);
  if (kind == GELU) x = gelu(x);
  if (kind == RESIDUAL) x = add(x, v128.load(target));
  v128.store(target, x);
}

@inline
function finishPanel(kind: i32, scratch: Scratch, linear: Linear, column: usize, rows: i32, target: usize): void {
  const scales = linear.scales + (column << 2);
  const bias = linear.bias + (column << 2);
  const stride = (<usize>linear.columns) << 2;
  const s0 = v128.load(scales);
  const s1 = v128.load(scales, 16);
  const s2 = v128.load(scales, 32);
  const s3 = v128.load(scales, 48);
  const b0 = v128.load(bias);
  const b1 = v128.load(bias, 16);
  const b2 = v128.load(bias, 32);
  const b3 = v128.load(bias, 48);
  let sums = scratch.sums;
  let rowScales = scratch.rowScales;
  for (let m = 0; m < rows; m++) {
    const rowScale = v128.load32_splat(rowScales);
    finish(kind, v128.load(sums), rowScale, s0, b0, target);
    finish(kind, v128.load(sums, 16), rowScale, s1, b1, target + 16);
    finish(kind, v128.load(sums, 32), rowScale, s2, b2, target + 32);
    finish(kind, v128.load(sums, 48), rowScale, s3, b3, target + 48);
    sums += 64;
    rowScales += 4;
    target += stride;
  }
}

// Functions of their own, so that each is compiled with registers to itself.
function finishPlain(scratch: Scratch, linear: Linear, column: usize, rows: i32, target: usize): void {
  finishPanel(PLAIN, scratch, linear, column, rows, target);
}

function finishGelu(scratch: Scratch, linear: Linear, column: usize, rows: i32, target: usize): void {
  finishPanel(GELU, scratch, linear, column, rows, target);
}

function finishResidual(scratch: Scratch, linear: Linear, column: usize, rows: i32, target: usize): void {
  finishPanel(RESIDUAL, scratch, linear, column, rows, target);
}

/**
 * target, f32 [rows][columns] = source · weights + bias, then GELU or, for RESIDUAL, plus what target held.
 * `rows` ≤ ROW_BLOCK.
 */
export function dense(kind: i32, scratch: Scratch, linear: Linear, source: usize, rows: i32, target: usize): void {
  const depth = linear.depth;
  quantiseRows(source, rows, depth, linear.maxColumnNorm, scratch.quantised, scratch.rowScales);
  for (let n = 0; n < linear.columns; n += 16) {
    const at = target + ((<usize>n) << 2);
    multiplyPanel(scratch.quantised, linear.weights + ((<usize>(n * depth)) << 1), rows, depth, scratch.sums);
    if (kind == PLAIN) finishPlain(scratch, linear, <usize>n, rows, at);
    else if (kind == GELU) finishGelu(scratch, linear, <usize>n, rows, at);
    else finishResidual(scratch, linear, <usize>n, rows, at);
  }
}
