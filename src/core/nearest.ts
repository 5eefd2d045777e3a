/**
 * Damerau–Levenshtein distance in its restricted form (optimal string alignment): the fewest insertions, deletions,
 * substitutions and swaps of neighbours that turn `a` into `b`, no part edited twice.
 */
export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let best = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (same ? 0 : 1));
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) best = Math.min(best, beforeLast[j - 2]! + 1);
      row.push(best);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length]!;
}

/** Longer words are no misspelling of anything we name, and the distance is quadratic. */
const LONGEST = 100;

/**
 * The candidate that a mistyped word most likely meant, compared without case, or `undefined` when none is within a
 * third of the word's length (at least 2 edits). Of equals, the first.
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > LONGEST) return undefined;
  let found: string | undefined;
  let distance = Math.max(2, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    const edits = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (edits < distance) [found, distance] = [candidate, edits];
  }
  return found;
}
