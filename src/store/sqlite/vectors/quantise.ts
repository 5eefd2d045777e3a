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
  const scale = scaleOf(quantised);
  const vector = new Float32Array(components(quantised));
  for (let i = 0; i < vector.length; i++) vector[i]! *= scale;
  return vector;
}

/** The bytes without the scale. */
export function components(quantised: Uint8Array): Int8Array {
  return new Int8Array(quantised.buffer, quantised.byteOffset + 4, quantised.byteLength - 4);
}

/** The size of a step of the bytes. */
export function scaleOf(quantised: Uint8Array): number {
  return new DataView(quantised.buffer, quantised.byteOffset).getFloat32(0, true);
}

/** The dot product with a vector. */
export function product(quantised: Uint8Array, vector: Float32Array): number {
  const signed = components(quantised);
  let sum = 0;
  for (let i = 0; i < vector.length; i++) sum += signed[i]! * vector[i]!;
  return sum * scaleOf(quantised);
}

/** The quantised vectors of this size that follow one another. */
export function parts(bytes: Uint8Array, size: number): Uint8Array[] {
  return Array.from({ length: bytes.length / size }, (_, i) => bytes.subarray(i * size, (i + 1) * size));
}
