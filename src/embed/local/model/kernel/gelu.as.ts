import { add, mul } from './simd.as.ts';

/**
 * 1/√2, the clamp ±4, the seven coefficients of the numerator, the five of the denominator, ½. They are in memory because in
 * a loop a broadcast load is cheaper than the code that V8 generates for a vector constant.
 */
const CONSTANTS = memory.data<f32>([
  0.70710678118654752, 4, -4,
  -2.72614225801306e-10, 2.77068142495902e-8, -2.10102402082508e-6, -5.69250639462346e-5, -7.34990630326855e-4,
  -2.95459980854025e-3, -1.60960333262415e-2,
  -1.45660718464996e-5, -2.13374055278905e-4, -1.68282697438203e-3, -7.37332916720468e-3, -1.42647390514189e-2,
  0.5,
]);

@inline
function constant(index: usize): v128 {
  return v128.load32_splat(CONSTANTS + (index << 2));
}

/**
 * The exact GELU, x/2 · (1 + erf(x/√2)), with erf as a rational function on [-4, 4] (the coefficients of Eigen's
 * float erf, |error| about 1e-7).
 */
@inline
export function gelu(x: v128): v128 {
  const z = f32x4.pmax(f32x4.pmin(mul(x, constant(0)), constant(1)), constant(2));
  const t = mul(z, z);
  let p = constant(3);
  p = add(mul(p, t), constant(4));
  p = add(mul(p, t), constant(5));
  p = add(mul(p, t), constant(6));
  p = add(mul(p, t), constant(7));
  p = add(mul(p, t), constant(8));
  p = add(mul(p, t), constant(9));
  p = mul(p, z);
  let q = constant(10);
  q = add(mul(q, t), constant(11));
  q = add(mul(q, t), constant(12));
  q = add(mul(q, t), constant(13));
  q = add(mul(q, t), constant(14));
  const half = mul(x, constant(15));
  return add(half, mul(half, f32x4.div(p, q)));
}
