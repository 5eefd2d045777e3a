/**
 * Damerau–Levenshtein distance in its restricted form (optimal string alignment, Damerau 1964): the fewest insertions,
 * deletions, substitutions and transpositions that turn `a` into `b`, with no part edited twice. In UTF-16 units.

 * @param max a larger distance is returned as `max + 1`, which is faster
 */
export function editDistance(a: string, b: string, max: number = Number.POSITIVE_INFINITY): number {
  // A common prefix and suffix does not change the distance.
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a.charCodeAt(start) === b.charCodeAt(start)) start++;
  let end = 0;
  while (end < shorter - start && a.charCodeAt(a.length - 1 - end) === b.charCodeAt(b.length - 1 - end))
    end++;
  const rows = a.length - start - end;
  const columns = b.length - start - end;
  if (Math.abs(rows - columns) > max) return max + 1;
  if (rows === 0 || columns === 0) return rows + columns;
  return distanceOf(a.slice(start, start + rows), b.slice(start, start + columns), max);
}

/** Three rows of the table, which are reused: to allocate them takes longer than to fill them. */
let rowsOfTable: [Int32Array, Int32Array, Int32Array] = threeRows(64);

function threeRows(columns: number): [Int32Array, Int32Array, Int32Array] {
  return [new Int32Array(columns), new Int32Array(columns), new Int32Array(columns)];
}

/** Computes only the cells close enough to the diagonal for a distance of at most `max` (Ukkonen 1985). */
function distanceOf(a: string, b: string, max: number): number {
  if (rowsOfTable[0].length <= b.length) rowsOfTable = threeRows(b.length * 2);
  let [beforeLast, last, row] = rowsOfTable;
  for (let j = 0; j <= b.length; j++) last[j] = j;
  for (let i = 1; i <= a.length; i++) {
    const from = Math.max(1, i - max);
    const until = Math.min(b.length, i + max);
    row[from - 1] = from === 1 ? i : FAR;
    let least = row[from - 1]!;
    const letter = a.charCodeAt(i - 1);
    const before = a.charCodeAt(i - 2);
    for (let j = from; j <= until; j++) {
      let best = last[j - 1]! + (letter === b.charCodeAt(j - 1) ? 0 : 1);
      if (last[j]! < best) best = last[j]! + 1;
      if (row[j - 1]! < best) best = row[j - 1]! + 1;
      const swapped = i > 1 && j > 1 && letter === b.charCodeAt(j - 2) && before === b.charCodeAt(j - 1);
      if (swapped && beforeLast[j - 2]! < best) best = beforeLast[j - 2]! + 1;
      row[j] = best;
      if (best < least) least = best;
    }
    if (until < b.length) row[until + 1] = FAR;
    // No cell of a later row can be smaller: a transposition also costs one edit.
    if (least > max) return max + 1;
    [beforeLast, last, row] = [last, row, beforeLast];
  }
  return Math.min(last[b.length]!, max + 1);
}

/** Larger than any distance of words. */
const FAR = 1 << 20;

/** The edit distance takes quadratic time, and no name is longer than this. */
const MAX_WORD_LENGTH = 100;

/**
 * The candidate with the smallest edit distance from a mistyped word, ignoring case; the first of several equally close ones.
 * Returns `undefined` if every distance is more than a third of the length of the word and more than 2.
 */
export function closestWord(word: string, candidates: Iterable<string>): string | undefined {
  let closest: string | undefined;
  let fewestEdits = Infinity;
  for (const candidate of candidates) {
    const edits = typoDistance(word, candidate);
    if (edits !== null && edits < fewestEdits) [closest, fewestEdits] = [candidate, edits];
  }
  return closest;
}

/**
 * How many edits turn a mistyped word into another, without regard to case; `null` if there are too many for a typo:
 * more than a third of its length, and more than 2.
 */
export function typoDistance(word: string, candidate: string): number | null {
  const maxEdits = Math.max(2, Math.floor(word.length / 3));
  // The difference in length is a lower bound of the distance, which excludes most candidates.
  if (word.length > MAX_WORD_LENGTH || Math.abs(word.length - candidate.length) > maxEdits) return null;
  const edits = editDistance(word.toLowerCase(), candidate.toLowerCase());
  return edits > maxEdits ? null : edits;
}
