import { editDistance } from './edit-distance.ts';

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
