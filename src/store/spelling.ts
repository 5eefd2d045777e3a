/** Which known word a misspelt one may stand for. Shared by the stores, so that they agree. */

/** Shorter words have too many neighbours for a guess to be worth anything. */
export const MIN_CORRECTABLE_LENGTH = 4;
export const MAX_NEAR_WORDS = 3;
/** Up to this length two typos can leave no trigram in common, so every single edit is tried as well. */
export const MAX_EDITED_LENGTH = 6;

const ALPHABET = [...'abcdefghijklmnopqrstuvwxyz'];
const HAS_LETTER = /^\p{L}[\p{L}\p{M}\p{N}]*$/u;

/** Numbers and identifiers are not misspelt words: `2024` must not find `2023`. */
export function isCorrectable(word: string): boolean {
  return word.length >= MIN_CORRECTABLE_LENGTH && HAS_LETTER.test(word) && !/\p{N}/u.test(word);
}

/** How many edits a word of this length may be away. */
export function allowedEdits(length: number): number {
  if (length < 6) return 1;
  return length < 10 ? 2 : 3;
}

/** 1 − distance ÷ the longer length; 0 when more edits apart than the length allows. */
export function spellingSimilarity(word: string, known: string): number {
  const limit = allowedEdits(word.length);
  if (Math.abs(word.length - known.length) > limit) return 0;
  const distance = editDistance(word, known);
  if (distance > limit) return 0;
  return 1 - distance / Math.max(word.length, known.length);
}

/** Optimal string alignment: insert, delete, replace, swap of neighbours (Damerau 1964), each costing 1. */
export function editDistance(a: string, b: string): number {
  const width = b.length + 1;
  let beforeLast = new Uint16Array(width);
  let last = Uint16Array.from({ length: width }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = new Uint16Array(width);
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

export interface KnownWord {
  readonly word: string;
  readonly passages: number;
}

/** The nearest of the candidates: by similarity, then by how many passages hold them, then by spelling. */
export function nearestWords(word: string, candidates: Iterable<KnownWord>): (KnownWord & { similarity: number })[] {
  const near = [];
  for (const candidate of candidates) {
    const similarity = spellingSimilarity(word, candidate.word);
    if (similarity > 0) near.push({ word: candidate.word, passages: candidate.passages, similarity });
  }
  near.sort(
    (a, b) => b.similarity - a.similarity || b.passages - a.passages || (a.word < b.word ? -1 : 1),
  );
  return near.slice(0, MAX_NEAR_WORDS);
}
