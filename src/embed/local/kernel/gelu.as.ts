import { add, mul, splat } from './simd.as.ts';

/**
 * The exact GELU, x/2 · (1 + erf(x/√2)), with erf as a rational function on [-4, 4] (the coefficients of Eigen's
 * float erf, |error| about 1e-7).
 */
@inline
export function gelu(x: v128): v128 {
  const scaled = mul(x, splat(0.70710678118654752));
  const z = f32x4.pmax(f32x4.pmin(scaled, splat(4)), splat(-4));
  const t = mul(z, z);
  let p = splat(-2.72614225801306e-10);
  p = add(mul(p, t), splat(2.77068142495902e-8));
  p = add(mul(p, t), splat(-2.10102402082508e-6));
  p = add(mul(p, t), splat(-5.69250639462346e-5));
  p = add(mul(p, t), splat(-7.34990630326855e-4));
  p = add(mul(p, t), splat(-2.95459980854025e-3));
  p = add(mul(p, t), splat(-1.60960333262415e-2));
  p = mul(p, z);
  let q = splat(-1.45660718464996e-5);
  q = add(mul(q, t), splat(-2.13374055278905e-4));
  q = add(mul(q, t), splat(-1.68282697438203e-3));
  q = add(mul(q, t), splat(-7.37332916720468e-3));
  q = add(mul(q, t), splat(-1.42647390514189e-2));
  const half = mul(x, splat(0.5));
  return add(half, mul(half, f32x4.div(p, q)));
}
