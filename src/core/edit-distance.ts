/**
 * Damerau–Levenshtein distance in its restricted form (optimal string alignment, Damerau 1964): the fewest insertions,
 * deletions, substitutions and swaps of neighbours that turn `a` into `b`, no part edited twice. In UTF-16 units.
 */
export function editDistance(a: string, b: string): number {
  const width = b.length + 1;
  let beforeLast = new Uint32Array(width);
  let last = Uint32Array.from({ length: width }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = new Uint32Array(width);
    row[0] = i;
    for (let j = 1; j <= b.length; j++) {
      const substitution = last[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      let best = Math.min(last[j]! + 1, row[j - 1]! + 1, substitution);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) best = Math.min(best, beforeLast[j - 2]! + 1);
      row[j] = best;
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length]!;
}
