/**
 * Damerau–Levenshtein distance in its restricted form (optimal string alignment, Damerau 1964): the fewest insertions,
 * deletions, substitutions and swaps of neighbours that turn `a` into `b`, no part edited twice. In UTF-16 units.
 */
export function editDistance(a: string, b: string): number {
  // What both begin and end with costs nothing, and most words that are compared share a good part.
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a[start] === b[start]) start++;
  let end = 0;
  while (end < shorter - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  return distanceOf(a.slice(start, a.length - end), b.slice(start, b.length - end));
}

function distanceOf(a: string, b: string): number {
  if (a === '' || b === '') return a.length + b.length;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = last[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      let best = Math.min(last[j]! + 1, row[j - 1]! + 1, substitution);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) best = Math.min(best, beforeLast[j - 2]! + 1);
      row.push(best);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length]!;
}
