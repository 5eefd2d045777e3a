/** The weighted mean of two vectors as a unit vector. Its cosines times `length` are the weighted means of the cosines of both. */
export interface MixedVector {
  readonly unit: Float32Array;
  readonly length: number;
}

/** @param share the weight of the other vector */
export function mixVectors(vector: Float32Array, other: Float32Array, share: number): MixedVector {
  const sum = vector.map((component, i) => (1 - share) * component + share * other[i]!);
  const length = Math.hypot(...sum);
  return { unit: sum.map((component) => component / length), length };
}
