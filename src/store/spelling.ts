import { editDistance } from '../core/edit-distance.ts';

/** Which known word a misspelt one may stand for. Shared by the stores, so that they agree. */

/** Shorter words have too many neighbours for a guess to be worth anything. */
const MIN_CORRECTABLE_LENGTH = 4;
export const MAX_NEAR_WORDS = 3;
/** Up to this length two typos can leave no trigram in common, so every single edit is tried. */
const MAX_EDITED_LENGTH = 6;

/** "recipe" is two edits from "decide" and not what was meant. */
const MIN_SIMILARITY = 0.7;

const ALPHABET = [...'abcdefghijklmnopqrstuvwxyz'];
const LATIN = /^[a-z]+$/;
const HAS_LETTER = /^\p{L}[\p{L}\p{M}\p{N}]*$/u;

/** Numbers and identifiers are not misspelt words: `2024` must not find `2023`. */
export function isCorrectable(word: string): boolean {
  return word.length >= MIN_CORRECTABLE_LENGTH && HAS_LETTER.test(word) && !/\p{N}/u.test(word);
}

/** Where to look for what a word may stand for. */
export interface NearSearch {
  /** Spellings to look for as they are. */
  readonly edits: readonly string[];
  /** Whether words that share a trigram are compared too. */
  readonly byTrigrams: boolean;
}

/** A short word of Latin letters is one edit from whatever it may stand for, and all of these can be listed. */
export function nearSearch(word: string): NearSearch {
  const edits = word.length <= MAX_EDITED_LENGTH ? singleEdits(word) : [];
  return { edits, byTrigrams: allowedEdits(word.length) > 1 || !LATIN.test(word) };
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
  const distance = editDistance(word, known);
  if (distance > limit) return 0;
  const similarity = 1 - distance / Math.max(word.length, known.length);
  return similarity < MIN_SIMILARITY ? 0 : similarity;
}

/** Every word one edit away, over the Latin letters (Norvig 2007): about 54 n + 25 of them. */
export function singleEdits(word: string): string[] {
  const edits = new Set<string>();
  for (let i = 0; i <= word.length; i++) {
    const head = word.slice(0, i);
    const tail = word.slice(i);
    if (tail !== '') edits.add(head + tail.slice(1));
    if (tail.length > 1) edits.add(head + tail.charAt(1) + tail.charAt(0) + tail.slice(2));
    for (const letter of ALPHABET) {
      edits.add(head + letter + tail);
      if (tail !== '') edits.add(head + letter + tail.slice(1));
    }
  }
  edits.delete(word);
  return [...edits];
}

/** Both ends are marked, so that a shared beginning or ending counts as a trigram of its own. */
export function boundedWord(word: string): string {
  return `^${word}$`;
}

export function trigramsOf(word: string): Set<string> {
  const characters = [...boundedWord(word)];
  const grams = new Set<string>();
  for (let i = 0; i + 3 <= characters.length; i++) grams.add(characters.slice(i, i + 3).join(''));
  return grams;
}

/** Whether `nearSearch` comes by a known word. */
export function isConsidered(word: string): (known: string) => boolean {
  const { edits, byTrigrams } = nearSearch(word);
  const listed = new Set(edits);
  const trigrams = byTrigrams ? trigramsOf(word) : new Set<string>();
  const edited = allowedEdits(word.length);
  return (known) => {
    if (listed.has(known)) return true;
    if (!byTrigrams || Math.abs(known.length - word.length) > edited) return false;
    return isCorrectable(known) && [...trigramsOf(known)].some((gram) => trigrams.has(gram));
  };
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
