// AssemblyScript: dot products of int8 vectors with a float32 query (WebAssembly SIMD128, no runtime).
// The caller lays out the memory; every pointer is a byte offset.

// @ts-ignore: decorator
@inline
function sumOf(lanes: v128): f32 {
  const two = f32x4.add(lanes, v128.shuffle<i32>(lanes, lanes, 2, 3, 0, 1));
  return f32x4.extract_lane(two, 0) + f32x4.extract_lane(two, 1);
}

/**
 * Writes the dot product of the query and of each of `n` vectors as f32. The vectors are at `slots` (i32) of `vectors`,
 * each `length` bytes long. `length` is a multiple of 16, and the query has as many f32.
 */
export function dots(vectors: usize, length: i32, slots: usize, n: i32, query: usize, products: usize): void {
  for (let i = 0; i < n; i++) {
    const vector = vectors + <usize>load<i32>(slots + (<usize>i << 2)) * <usize>length;
    let a = f32x4.splat(0);
    let b = f32x4.splat(0);
    let c = f32x4.splat(0);
    let d = f32x4.splat(0);
    for (let at = 0; at < length; at += 16) {
      const bytes = v128.load(vector + <usize>at);
      const low = i16x8.extend_low_i8x16_s(bytes);
      const high = i16x8.extend_high_i8x16_s(bytes);
      const q = query + (<usize>at << 2);
      a = f32x4.add(a, f32x4.mul(f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_s(low)), v128.load(q)));
      b = f32x4.add(b, f32x4.mul(f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_s(low)), v128.load(q, 16)));
      c = f32x4.add(c, f32x4.mul(f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_s(high)), v128.load(q, 32)));
      d = f32x4.add(d, f32x4.mul(f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_s(high)), v128.load(q, 48)));
    }
    store<f32>(products + (<usize>i << 2), sumOf(f32x4.add(f32x4.add(a, b), f32x4.add(c, d))));
  }
}
