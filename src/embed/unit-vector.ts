/** The vector divided by its length; `null` if it is zero or has a component that is no finite number. */
export function unitVector(vector: ArrayLike<unknown>): Float32Array | null {
  let squares = 0;
  for (let i = 0; i < vector.length; i++) {
    const component = vector[i];
    if (typeof component !== 'number' || !Number.isFinite(component)) return null;
    squares += component * component;
  }
  const norm = Math.sqrt(squares);
  if (norm === 0 || !Number.isFinite(norm)) return null;
  const unit = new Float32Array(vector.length);
  for (let i = 0; i < vector.length; i++) unit[i] = (vector[i] as number) / norm;
  return unit;
}

/** The unit vector in the direction of the weighted mean. A single vector is returned as it is. */
export function meanOf(vectors: readonly Float32Array[], weights: readonly number[]): Float32Array {
  const [first = new Float32Array()] = vectors;
  if (vectors.length === 1) return first;
  const sum = new Float64Array(first.length);
  for (const [i, vector] of vectors.entries())
    for (const [j, component] of vector.entries()) sum[j]! += component * (weights[i] ?? 1);
  // Opposite vectors have no mean direction.
  return unitVector(sum) ?? first;
}
