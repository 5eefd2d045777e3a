/**
 * all-MiniLM-L6-v2 (BERT, six layers of 384) for WebAssembly SIMD128: no relaxed SIMD, no library, no allocation,
 * no state. Matrix products are i16 × i16 → i32 with scales that exclude overflow, everything else is float32, so
 * the result is the same bits on every engine and processor, whatever else is in the batch.
 */

import { attention } from './attention.as.ts';
import { GELU, PLAIN, RESIDUAL, multiply, quantiseInput } from './gemm.as.ts';
import { layerNorm } from './layernorm.as.ts';
import { addToRows, packWeights, widenHalf } from './pack.as.ts';
import { INTERMEDIATE_ROW_BYTES, Layer, Model, QKV_ROW_BYTES, ROW_BYTES, ROW_BLOCK, Scratch } from './shape.as.ts';
import { add, loadHalf, mul, splat, sumLanes } from './simd.as.ts';

export { addToRows, packWeights, widenHalf };

/** Writes the sum of token and position embedding for each token of each sequence, and returns the number of tokens. */
function embedTokens(model: Model, ids: usize, lengths: usize, sequences: i32, target: usize): i32 {
  let tokens = 0;
  for (let s = 0; s < sequences; s++) {
    const length = load<i32>(lengths + ((<usize>s) << 2));
    for (let i = 0; i < length; i++) {
      const id = <usize>load<i32>(ids + ((<usize>(tokens + i)) << 2));
      const word = model.words + id * (ROW_BYTES >> 1);
      const position = model.positions + <usize>i * ROW_BYTES;
      for (let k: usize = 0; k < ROW_BYTES; k += 16) {
        v128.store(target + k, add(loadHalf(word + (k >> 1)), v128.load(position + k)));
      }
      target += ROW_BYTES;
    }
    tokens += length;
  }
  return tokens;
}

function attendAll(lengths: usize, sequences: i32, scratch: Scratch): void {
  let token: usize = 0;
  for (let s = 0; s < sequences; s++) {
    const length = load<i32>(lengths + ((<usize>s) << 2));
    attention(scratch.qkv + token * QKV_ROW_BYTES, length, scratch.attended + token * ROW_BYTES, scratch);
    token += length;
  }
}

/** Query, key and value of a block of rows, side by side. */
function project(layer: Layer, source: usize, rows: i32, target: usize, scratch: Scratch): void {
  quantiseInput(scratch, layer.query, source, rows);
  multiply(PLAIN, scratch, layer.query, rows, target, QKV_ROW_BYTES);
  multiply(PLAIN, scratch, layer.key, rows, target + ROW_BYTES, QKV_ROW_BYTES);
  multiply(PLAIN, scratch, layer.value, rows, target + 2 * ROW_BYTES, QKV_ROW_BYTES);
}

/** The part of a layer after attention, for a block of rows: the output projection, the feed-forward pair and both residuals. */
function feedForward(layer: Layer, attended: usize, rows: i32, x: usize, scratch: Scratch): void {
  quantiseInput(scratch, layer.attentionOut, attended, rows);
  multiply(RESIDUAL, scratch, layer.attentionOut, rows, x, ROW_BYTES);
  layerNorm(x, rows, layer.attentionGain, layer.attentionShift);
  quantiseInput(scratch, layer.feedForwardIn, x, rows);
  multiply(GELU, scratch, layer.feedForwardIn, rows, scratch.intermediate, INTERMEDIATE_ROW_BYTES);
  quantiseInput(scratch, layer.feedForwardOut, scratch.intermediate, rows);
  multiply(RESIDUAL, scratch, layer.feedForwardOut, rows, x, ROW_BYTES);
  layerNorm(x, rows, layer.outputGain, layer.outputShift);
}

function runLayer(layer: Layer, tokens: i32, lengths: usize, sequences: i32, scratch: Scratch): void {
  for (let m = 0; m < tokens; m += ROW_BLOCK) {
    const rows = min(ROW_BLOCK, tokens - m);
    project(layer, scratch.hidden + <usize>m * ROW_BYTES, rows, scratch.qkv + <usize>m * QKV_ROW_BYTES, scratch);
  }
  attendAll(lengths, sequences, scratch);
  for (let m = 0; m < tokens; m += ROW_BLOCK) {
    const rows = min(ROW_BLOCK, tokens - m);
    feedForward(layer, scratch.attended + <usize>m * ROW_BYTES, rows, scratch.hidden + <usize>m * ROW_BYTES, scratch);
  }
}

/** The mean of each sequence's rows, at unit length. */
function pool(rows: usize, lengths: usize, sequences: i32, target: usize): void {
  for (let s = 0; s < sequences; s++) {
    const length = load<i32>(lengths + ((<usize>s) << 2));
    const share = splat(<f32>1 / <f32>length);
    let squares = splat(0);
    for (let k: usize = 0; k < ROW_BYTES; k += 16) {
      let sum = splat(0);
      let row = rows + k;
      for (let i = 0; i < length; i++) {
        sum = add(sum, v128.load(row));
        row += ROW_BYTES;
      }
      sum = mul(sum, share);
      squares = add(squares, mul(sum, sum));
      v128.store(target + k, sum);
    }
    const norm = sqrt<f32>(sumLanes(squares));
    const inverse = splat(norm > <f32>1e-12 ? <f32>1 / norm : 0);
    for (let k: usize = 0; k < ROW_BYTES; k += 16) v128.store(target + k, mul(v128.load(target + k), inverse));
    target += ROW_BYTES;
    rows += <usize>length * ROW_BYTES;
  }
}

/**
 * Embeds `sequences` token sequences that are stored back to back in `ids` (i32), with their lengths (i32) in `lengths`;
 * writes f32 [sequences][384] unit vectors to `target`. The sum of the lengths must not exceed T, the number of tokens
 * for which `scratch` has room (see shape.as.ts).
 */
export function forward(
  model: Model,
  scratch: Scratch,
  ids: usize,
  lengths: usize,
  sequences: i32,
  target: usize,
): void {
  const tokens = embedTokens(model, ids, lengths, sequences, scratch.hidden);
  layerNorm(scratch.hidden, tokens, model.gain, model.shift);
  for (let l = 0; l < model.layerCount; l++) {
    const layer = changetype<Layer>(model.layers + <usize>l * offsetof<Layer>());
    runLayer(layer, tokens, lengths, sequences, scratch);
  }
  pool(scratch.hidden, lengths, sequences, target);
}
