/** Multiplies quantised rows by a dense layer, panel by panel, then adds the bias and applies the activation or the residual. */

import { gelu } from './gelu.as.ts';
import { quantiseRows } from './quantise.as.ts';
import { Linear, Scratch } from './shape.as.ts';
import { add } from './simd.as.ts';
import { addTile, scaled, setTile } from './tile.as.ts';

/** How many k one block covers: its 384 × 16 i16 weights (12 KB) stay in the first-level cache for all rows. */
const DEPTH_BLOCK: i32 = 384;

/** What is computed after the bias is added: nothing, GELU, or the sum with the residual. */
export const PLAIN: i32 = 0;
export const GELU: i32 = 1;
export const RESIDUAL: i32 = 2;

/** sums, i32 [rows][16] = quantised rows × one panel. */
@inline
function multiplyPanel(quantised: usize, panel: usize, rows: i32, depth: i32, sums: usize): void {
  const rowPairBytes = (<usize>depth) << 2;
  for (let block = 0; block < depth; block += DEPTH_BLOCK) {
    let a = quantised + ((<usize>block) << 2);
    const b = panel + ((<usize>block) << 5);
    let c = sums;
    for (let m = 0; m < rows; m += 2) {
      if (block == 0) setTile(a, b, DEPTH_BLOCK / 2, c);
      else addTile(a, b, DEPTH_BLOCK / 2, c);
      a += rowPairBytes;
      c += 128;
    }
  }
}

/** Converts the sums of four columns of one row to float32, adds the bias, then applies the activation or the residual. */
@inline
function finish(kind: i32, sums: v128, rowScale: v128, scales: v128, bias: v128, target: usize): void {
  let x = add(scaled(sums, rowScale, scales), bias);
  if (kind == GELU) x = gelu(x);
  if (kind == RESIDUAL) x = add(x, v128.load(target));
  v128.store(target, x);
}

@inline
function finishPanel(
  kind: i32,
  scratch: Scratch,
  scales: usize,
  bias: usize,
  rows: i32,
  target: usize,
  stride: usize,
): void {
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

// Each function inlines `finishPanel` with a constant kind, so that the loop over the rows does not test it.

function finishPlain(scratch: Scratch, scales: usize, bias: usize, rows: i32, target: usize, stride: usize): void {
  finishPanel(PLAIN, scratch, scales, bias, rows, target, stride);
}

function finishGelu(scratch: Scratch, scales: usize, bias: usize, rows: i32, target: usize, stride: usize): void {
  finishPanel(GELU, scratch, scales, bias, rows, target, stride);
}

function finishResidual(scratch: Scratch, scales: usize, bias: usize, rows: i32, target: usize, stride: usize): void {
  finishPanel(RESIDUAL, scratch, scales, bias, rows, target, stride);
}

/** Quantises the input rows of `multiply` for one layer, or for several with the same `maxColumnNorm`. `rows` ≤ ROW_BLOCK. */
export function quantiseInput(scratch: Scratch, linear: Linear, source: usize, rows: i32): void {
  quantiseRows(source, rows, linear.depth, linear.maxColumnNorm, scratch.quantised, scratch.rowScales);
}

/**
 * target, f32 rows `stride` bytes apart = quantised rows · weights + bias, then GELU or, for RESIDUAL, plus the
 * previous contents of target.
 */
export function multiply(kind: i32, scratch: Scratch, linear: Linear, rows: i32, target: usize, stride: usize): void {
  const depth = linear.depth;
  const panelBytes = (<usize>depth) << 5;
  let panel = linear.weights;
  let scales = linear.scales;
  let bias = linear.bias;
  for (let n = 0; n < linear.columns; n += 16) {
    multiplyPanel(scratch.quantised, panel, rows, depth, scratch.sums);
    if (kind == PLAIN) finishPlain(scratch, scales, bias, rows, target, stride);
    else if (kind == GELU) finishGelu(scratch, scales, bias, rows, target, stride);
    else finishResidual(scratch, scales, bias, rows, target, stride);
    panel += panelBytes;
    scales += 64;
    bias += 64;
    target += 64;
  }
}
