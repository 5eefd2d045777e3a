/** Softmax with powers of two: the attention scores are already multiplied by log₂e. */

import { quantisePair } from './quantise.as.ts';
import { add, max, maxLane, mul, splat, sub, sumLanes } from './simd.as.ts';

/** Upper bound of the sum of a row's quantised probabilities. Times a value of at most 32700 it is below 2³¹. */
const SUM_MAX: f32 = 65000;
const INT16_LIMIT: f32 = 32700;

/** The least exponent, the rounding constant (1.5 · 2²³), the polynomial's coefficients; in memory as in gelu.as.ts. */
const CONSTANTS = memory.data<f32>([-126, 12582912, 9.6181291e-3, 5.5504109e-2, 2.4022651e-1, 6.9314718e-1, 1]);

@inline
function constant(index: usize): v128 {
  return v128.load32_splat(CONSTANTS + (index << 2));
}

/** 2^x for x ≤ 0: the integer part becomes the exponent, and a polynomial of degree four computes the rest in [-½, ½]. */
@inline
function powerOfTwo(x: v128): v128 {
  const roundingConstant = constant(1);
  const t = max(x, constant(0));
  const z = add(t, roundingConstant);
  // The lowest bits of z are the integer. The shift discards all bits of the rounding constant.
  const exponent = i32x4.shl(z, 23);
  const f = sub(t, sub(z, roundingConstant));
  let p = constant(2);
  p = add(mul(p, f), constant(3));
  p = add(mul(p, f), constant(4));
  p = add(mul(p, f), constant(5));
  p = add(mul(p, f), constant(6));
  return i32x4.add(p, exponent);
}

/** Replaces `count` scores (a multiple of eight) by 2^(score − greatest), and returns their sum. */
function exponentiate(scores: usize, count: i32): f32 {
  const end = scores + ((<usize>count) << 2);
  let even = v128.load(scores);
  let odd = v128.load(scores, 16);
  for (let p = scores + 32; p < end; p += 32) {
    even = max(even, v128.load(p));
    odd = max(odd, v128.load(p, 16));
  }
  const greatest = splat(maxLane(max(even, odd)));
  let evenSum = splat(0);
  let oddSum = splat(0);
  for (; scores < end; scores += 32) {
    const a = powerOfTwo(sub(v128.load(scores), greatest));
    const b = powerOfTwo(sub(v128.load(scores, 16), greatest));
    evenSum = add(evenSum, a);
    oddSum = add(oddSum, b);
    v128.store(scores, a);
    v128.store(scores, b, 16);
  }
  return sumLanes(add(evenSum, oddSum));
}

/** Converts two rows of `count` scores to interleaved i16 probabilities, and writes the scale of each row to `rowScales`. */
export function softmaxPair(first: usize, second: usize, count: i32, probabilities: usize, rowScales: usize): void {
  const sum0 = exponentiate(first, count);
  const sum1 = exponentiate(second, count);
  let f0: f32 = SUM_MAX / sum0;
  if (f0 > INT16_LIMIT) f0 = INT16_LIMIT;
  let f1: f32 = SUM_MAX / sum1;
  if (f1 > INT16_LIMIT) f1 = INT16_LIMIT;
  quantisePair(first, second, count, f0, f1, probabilities);
  store<f32>(rowScales, <f32>1 / (f0 * sum0));
  store<f32>(rowScales, <f32>1 / (f1 * sum1), 4);
}
