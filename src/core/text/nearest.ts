import { editDistance } from './edit-distance.ts';

/** Longer words are no misspelling of anything we name, and the distance is quadratic. */
const LONGEST = 100;

/**
 * The candidate that a mistyped word most likely meant, compared without case, or `undefined` when none is within a
 * third of the word's length (at least 2 edits). Of equals, the first.
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  let found: string | undefined;
  let least = Infinity;
  for (const candidate of candidates) {
    const edits = likelyEdits(word, candidate);
    if (edits !== null && edits < least) [found, least] = [candidate, edits];
  }
  return found;
}

/**
 * How many edits turn a mistyped word into another without regard to case, or `null` when they are too many for a
 * mistake: more than a third of its length, and more than 2.
 */
export function likelyEdits(word: string, meant: string): number | null {
  const most = Math.max(2, Math.floor(word.length / 3));
  // Each sign that one has more than the other is an edit: most candidates need no closer look.
  if (word.length > LONGEST || Math.abs(word.length - meant.length) > most) return null;
  const edits = editDistance(word.toLowerCase(), meant.toLowerCase());
  return edits > most ? null : edits;
}
