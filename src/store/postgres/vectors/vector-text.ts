/** A vector in the notation of pgvector. */
export function vectorText(vector: Float32Array): string {
  return `[${vector.join(',')}]`;
}
