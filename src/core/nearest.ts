import { editDistance } from './edit-distance.ts';

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
