// AssemblyScript: Hamming distances between 384-bit sign codes, 48 bytes each (WebAssembly SIMD128, no runtime).
// The caller lays out the memory; every pointer is a byte offset.

/** The distance of a slot that the mask excludes. */
const MASKED: u16 = 0xffff;

// @ts-ignore: decorator
@inline
function lanes(bytes: v128): v128 {
  return i32x4.extadd_pairwise_i16x8_u(i16x8.extadd_pairwise_i8x16_u(bytes));
}

/**
 * Distances of `n` codes to the query, as u16, and how many codes have each distance (385 × i32, zeroed by the
 * caller). `mask` has a byte for each code, 0 to exclude it; a null pointer excludes nothing.
 */
export function scan(codes: usize, n: i32, query: usize, distances: usize, histogram: usize, mask: usize): void {
  const q0 = v128.load(query);
  const q1 = v128.load(query, 16);
  const q2 = v128.load(query, 32);
  for (let i = 0; i < n; i++) {
    const out = distances + (<usize>i << 1);
    if (mask != 0 && load<u8>(mask + i) == 0) {
      store<u16>(out, MASKED);
      continue;
    }
    const code = codes + <usize>i * 48;
    // At most 8 bits for each byte and three bytes in a lane: 24 fits.
    let bits = i8x16.popcnt(v128.xor(v128.load(code), q0));
    bits = i8x16.add(bits, i8x16.popcnt(v128.xor(v128.load(code, 16), q1)));
    bits = i8x16.add(bits, i8x16.popcnt(v128.xor(v128.load(code, 32), q2)));
    const four = lanes(bits);
    const two = i32x4.add(four, v128.shuffle<i32>(four, four, 2, 3, 0, 1));
    const distance = i32x4.extract_lane(two, 0) + i32x4.extract_lane(two, 1);
    store<u16>(out, <u16>distance);
    const bucket = histogram + (<usize>distance << 2);
    store<i32>(bucket, load<i32>(bucket) + 1);
  }
}

/**
 * Slots nearer than `threshold`, and the first `ties` at exactly it, in slot order, as i32. Returns how many;
 * the caller has counted them in the histogram, so they fit.
 */
export function collect(distances: usize, n: i32, threshold: i32, ties: i32, slots: usize): i32 {
  let found = 0;
  let left = ties;
  for (let i = 0; i < n; i++) {
    const distance = <i32>load<u16>(distances + (<usize>i << 1));
    if (distance > threshold) continue;
    if (distance == threshold) {
      if (left == 0) continue;
      left--;
    }
    store<i32>(slots + (<usize>found << 2), i);
    found++;
  }
  return found;
}
