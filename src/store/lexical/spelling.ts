import { editDistance } from '../../core/text/edit-distance.ts';

/** Which known word a misspelt one may stand for. Shared by the stores, so that they agree. */

/** Shorter words have too many neighbours for a guess to be worth anything. */
const MIN_CORRECTABLE_LENGTH = 4;
export const MAX_NEAR_WORDS = 3;
/** "recipe" is two edits from "decide" and not what was meant. */
const MIN_SIMILARITY = 0.7;

const LETTERS = /^\p{L}[\p{L}\p{M}]*$/u;

/** Numbers and identifiers are not misspelt words, and nobody means them: `2024` must not find `2023`. */
export function isCorrectable(word: string): boolean {
  return word.length >= MIN_CORRECTABLE_LENGTH && LETTERS.test(word);
}

/** How many edits a word of this length may be away. */
export function allowedEdits(length: number): number {
  if (length < 6) return 1;
  return length < 10 ? 2 : 3;
}

/** 1 − distance ÷ the longer length; 0 when more edits apart than the length allows, or less alike than 0.7. */
export function spellingSimilarity(word: string, known: string): number {
  const limit = allowedEdits(word.length);
  if (Math.abs(word.length - known.length) > limit) return 0;
  const distance = editDistance(word, known, limit);
  if (distance > limit) return 0;
  const similarity = 1 - distance / Math.max(word.length, known.length);
  return similarity < MIN_SIMILARITY ? 0 : similarity;
}

/**
 * Which letters a word holds, one bit for some each. An edit adds one letter at most and takes one away: words that
 * differ in more are further apart, and need not be compared letter by letter.
 */
export function lettersOf(word: string): number {
  let letters = 0;
  for (let i = 0; i < word.length; i++) letters |= 1 << (word.charCodeAt(i) % LETTER_BITS);
  return letters;
}

/** Small integers to every engine; the letters of an alphabet stand side by side, so few share one. */
const LETTER_BITS = 30;

/** Whether words with these letters may be so few edits apart. */
export function maybeWithin(edits: number, a: number, b: number): boolean {
  return bitCount(a & ~b) <= edits && bitCount(b & ~a) <= edits;
}

/** Population count in parallel (Warren, "Hacker's Delight", 2nd ed., figure 5-2). */
function bitCount(bits: number): number {
  let n = bits - ((bits >>> 1) & 0x55555555);
  n = (n & 0x33333333) + ((n >>> 2) & 0x33333333);
  return Math.imul((n + (n >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

export interface KnownWord {
  readonly word: string;
  readonly passages: number;
}

/** The nearest of the candidates: by similarity, then by how many passages hold them, then by spelling. */
export function nearestWords(
  word: string,
  candidates: Iterable<KnownWord>,
): (KnownWord & { similarity: number })[] {
  const near = [];
  for (const candidate of candidates) {
    const similarity = spellingSimilarity(word, candidate.word);
    if (similarity > 0) near.push({ word: candidate.word, passages: candidate.passages, similarity });
  }
  near.sort((a, b) => b.similarity - a.similarity || b.passages - a.passages || (a.word < b.word ? -1 : 1));
  return near.slice(0, MAX_NEAR_WORDS);
}
