/** A float32 scale, then a signed byte for each dimension. A quarter of the size of float32; cosines differ by about 0.001. */
export function quantise(vector: Float32Array): Uint8Array {
  const bytes = new Uint8Array(4 + vector.length);
  let largest = 0;
  for (const component of vector) largest = Math.max(largest, Math.abs(component));
  const scale = largest === 0 ? 1 : largest / 127;
  new DataView(bytes.buffer).setFloat32(0, scale, true);
  const signed = components(bytes);
  for (let i = 0; i < vector.length; i++) signed[i] = Math.round(vector[i]! / scale);
  return bytes;
}

/** The approximate vector. */
export function dequantised(quantised: Uint8Array): Float32Array {
  const scale = new DataView(quantised.buffer, quantised.byteOffset).getFloat32(0, true);
  return Float32Array.from(components(quantised), (component) => component * scale);
}

/** The bytes without the scale. */
export function components(quantised: Uint8Array): Int8Array {
  return new Int8Array(quantised.buffer, quantised.byteOffset + 4, quantised.byteLength - 4);
}

/** Dot product with an unquantised query. */
export function dotQuantised(quantised: Uint8Array, query: Float32Array): number {
  const scale = new DataView(quantised.buffer, quantised.byteOffset).getFloat32(0, true);
  const signed = components(quantised);
  // Four independent sums, which the processor can compute in parallel.
  let [a, b, c, d] = [0, 0, 0, 0];
  const whole = signed.length & ~3;
  for (let i = 0; i < whole; i += 4) {
    a += signed[i]! * query[i]!;
    b += signed[i + 1]! * query[i + 1]!;
    c += signed[i + 2]! * query[i + 2]!;
    d += signed[i + 3]! * query[i + 3]!;
  }
  for (let i = whole; i < signed.length; i++) a += signed[i]! * query[i]!;
  return (a + b + c + d) * scale;
}
