/**
 * Rows of the nearest unit vectors by cosine, best first. Scans every row in float32 with four partial sums, so that
 * additions do not wait for each other.
 */
export function exactNearest(vectors: Float32Array, query: Float32Array, limit: number): number[] {
  const best: { readonly row: number; readonly score: number }[] = [];
  const width = query.length;
  for (let row = 0, offset = 0; offset < vectors.length; row++, offset += width) {
    let [a, b, c, d] = [0, 0, 0, 0];
    for (let i = 0; i < width; i += 4) {
      a += vectors[offset + i]! * query[i]!;
      b += vectors[offset + i + 1]! * query[i + 1]!;
      c += vectors[offset + i + 2]! * query[i + 2]!;
      d += vectors[offset + i + 3]! * query[i + 3]!;
    }
    const score = a + b + c + d;
    if (best.length === limit && score <= best[limit - 1]!.score) continue;
    let position = best.length;
    while (position > 0 && best[position - 1]!.score < score) position--;
    best.splice(position, 0, { row, score });
    if (best.length > limit) best.pop();
  }
  return best.map(({ row }) => row);
}
