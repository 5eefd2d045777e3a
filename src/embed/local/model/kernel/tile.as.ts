/** The inner loop of every product: two interleaved rows times a panel of 16 columns, i16 × i16 → i32. */

/**
 * Adds the products over `pairs` pairs of k to `sums`, i32 [2][16]; starts from zero when `fresh`.
 * Eight accumulators, two broadcasts and one weight vector fill the sixteen registers of x86.
 */
@inline
function tile(a: usize, b: usize, pairs: i32, sums: usize, fresh: bool): void {
  const zero = i32x4.splat(0);
  let c00 = fresh ? zero : v128.load(sums);
  let c01 = fresh ? zero : v128.load(sums, 16);
  let c02 = fresh ? zero : v128.load(sums, 32);
  let c03 = fresh ? zero : v128.load(sums, 48);
  let c10 = fresh ? zero : v128.load(sums, 64);
  let c11 = fresh ? zero : v128.load(sums, 80);
  let c12 = fresh ? zero : v128.load(sums, 96);
  let c13 = fresh ? zero : v128.load(sums, 112);
  do {
    const a0 = v128.load32_splat(a);
    const a1 = v128.load32_splat(a, 4);
    let columns = v128.load(b);
    c00 = i32x4.add(c00, i32x4.dot_i16x8_s(a0, columns));
    c10 = i32x4.add(c10, i32x4.dot_i16x8_s(a1, columns));
    columns = v128.load(b, 16);
    c01 = i32x4.add(c01, i32x4.dot_i16x8_s(a0, columns));
    c11 = i32x4.add(c11, i32x4.dot_i16x8_s(a1, columns));
    columns = v128.load(b, 32);
    c02 = i32x4.add(c02, i32x4.dot_i16x8_s(a0, columns));
    c12 = i32x4.add(c12, i32x4.dot_i16x8_s(a1, columns));
    columns = v128.load(b, 48);
    c03 = i32x4.add(c03, i32x4.dot_i16x8_s(a0, columns));
    c13 = i32x4.add(c13, i32x4.dot_i16x8_s(a1, columns));
    a += 8;
    b += 64;
  } while (--pairs);
  v128.store(sums, c00);
  v128.store(sums, c01, 16);
  v128.store(sums, c02, 32);
  v128.store(sums, c03, 48);
  v128.store(sums, c10, 64);
  v128.store(sums, c11, 80);
  v128.store(sums, c12, 96);
  v128.store(sums, c13, 112);
}

export function setTile(a: usize, b: usize, pairs: i32, sums: usize): void {
  tile(a, b, pairs, sums, true);
}

export function addTile(a: usize, b: usize, pairs: i32, sums: usize): void {
  tile(a, b, pairs, sums, false);
}

/** Four sums at `sums` as float32, times the row's and the columns' scales. */
@inline
export function scaled(sums: v128, rowScale: v128, columnScales: v128): v128 {
  return f32x4.mul(f32x4.mul(f32x4.convert_i32x4_s(sums), rowScale), columnScales);
}
