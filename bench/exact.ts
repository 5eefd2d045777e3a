/**
 * Rows of the nearest unit vectors by cosine, best first. Scans every row in float32 with four partial sums, so that
 * additions do not wait for each other.
 */
export function exactNearest(vectors: Float32Array, query: Float32Array, limit: number): number[] {
  const best: { readonly row: number; readonly score: number }[] = [];
  const width = query.length;
  for (let row = 0, at = 0; at < vectors.length; row++, at += width) {
    let [a, b, c, d] = [0, 0, 0, 0];
    for (let i = 0; i < width; i += 4) {
      a += vectors[at + i]! * query[i]!;
      b += vectors[at + i + 1]! * query[i + 1]!;
      c += vectors[at + i + 2]! * query[i + 2]!;
      d += vectors[at + i + 3]! * query[i + 3]!;
    }
    const score = a + b + c + d;
    if (best.length === limit && score <= best[limit - 1]!.score) continue;
    let place = best.length;
    while (place > 0 && best[place - 1]!.score < score) place--;
    best.splice(place, 0, { row, score });
    if (best.length > limit) best.pop();
  }
  return best.map(({ row }) => row);
}
