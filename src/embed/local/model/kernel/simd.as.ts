/** Short names for operations on four float32 lanes, and the few operations that WebAssembly lacks. */

/** 1.5 · 2²³: adding it leaves a float's integer part in the low bits of its mantissa. */
export const ROUND: f32 = 12582912.0;
/** The bits of ROUND. */
export const ROUND_BITS: i32 = 0x4b400000;

@inline
export function splat(x: f32): v128 {
  return f32x4.splat(x);
}

@inline
export function add(a: v128, b: v128): v128 {
  return f32x4.add(a, b);
}

@inline
export function sub(a: v128, b: v128): v128 {
  return f32x4.sub(a, b);
}

@inline
export function mul(a: v128, b: v128): v128 {
  return f32x4.mul(a, b);
}

/** `pmax` is one instruction on x86, where `max` with its NaN rules is seven. */
@inline
export function max(a: v128, b: v128): v128 {
  return f32x4.pmax(a, b);
}

@inline
export function absolute(a: v128): v128 {
  return f32x4.abs(a);
}

/** Sum of the lanes; the order of additions is part of the result. */
@inline
export function sumLanes(a: v128): f32 {
  return (
    f32x4.extract_lane(a, 0) + f32x4.extract_lane(a, 2) + (f32x4.extract_lane(a, 1) + f32x4.extract_lane(a, 3))
  );
}

@inline
export function maxLane(a: v128): f32 {
  let largest = f32x4.extract_lane(a, 0);
  let lane = f32x4.extract_lane(a, 1);
  if (lane > largest) largest = lane;
  lane = f32x4.extract_lane(a, 2);
  if (lane > largest) largest = lane;
  lane = f32x4.extract_lane(a, 3);
  if (lane > largest) largest = lane;
  return largest;
}

/** To the nearest integer, ties to even, as i32 lanes. |x| < 2²². */
@inline
export function round(x: v128): v128 {
  return i32x4.sub(add(x, splat(ROUND)), i32x4.splat(ROUND_BITS));
}

/** 2¹¹², the distance of the two formats' exponents. */
export const HALF_FACTOR: f32 = 5.192296858534828e33;

/**
 * Four float16 at `p` as float32: sign, exponent and mantissa are shifted into place, and a multiplication corrects
 * the exponent, exactly, for subnormal numbers too. Infinities and NaN do not occur in the weights.
 */
@inline
export function loadHalf(p: usize): v128 {
  const bits = i32x4.shl(v128.load16x4_s(p), 13);
  return mul(v128.and(bits, i32x4.splat(0x8fffe000)), splat(HALF_FACTOR));
}

/** Eight float32, times a factor for each four, rounded to eight i16 (saturated). */
@inline
export function toInt16(low: v128, lowFactor: v128, high: v128, highFactor: v128): v128 {
  return i16x8.narrow_i32x4_s(round(mul(low, lowFactor)), round(mul(high, highFactor)));
}

/** Writes the four pairs of k of one column into its panel, where pairs of one column are 64 bytes apart. */
@inline
export function storePairs(p: usize, pairs: v128): void {
  v128.store32_lane(p, pairs, 0);
  v128.store32_lane(p, pairs, 1, 64);
  v128.store32_lane(p, pairs, 2, 128);
  v128.store32_lane(p, pairs, 3, 192);
}
