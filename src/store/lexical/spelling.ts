import { editDistance } from '../../core/text/closest-word.ts';
import type { Deadline } from '../../core/time/deadline.ts';

/** Corrections for misspelt words. All stores use these functions, so that they return the same corrections. */

/** A shorter word is similar to too many other words, so its corrections would not be useful. */
const MIN_CORRECTABLE_LENGTH = 4;
export const MAX_NEAR_WORDS = 3;
/** Excludes unrelated words: "recipe" is two edits from "decide". */
const MIN_SIMILARITY = 0.7;

const LETTERS = /^\p{L}[\p{L}\p{M}]*$/u;

/** Numbers and identifiers are neither corrected nor offered as corrections: `2024` must not find `2023`. */
export function isCorrectable(word: string): boolean {
  return word.length >= MIN_CORRECTABLE_LENGTH && LETTERS.test(word);
}

/** The maximum number of edits between a word of this length and its correction. */
export function allowedEdits(length: number): number {
  if (length < 6) return 1;
  return length < 10 ? 2 : 3;
}

/** 1 − distance ÷ the longer length; 0 above `allowedEdits` or below `MIN_SIMILARITY`. */
export function spellingSimilarity(word: string, known: string): number {
  const limit = allowedEdits(word.length);
  if (Math.abs(word.length - known.length) > limit) return 0;
  const distance = editDistance(word, known, limit);
  if (distance > limit) return 0;
  const similarity = 1 - distance / Math.max(word.length, known.length);
  return similarity < MIN_SIMILARITY ? 0 : similarity;
}

/**
 * A bit mask of the letters of a word; several letters share a bit. An edit adds at most one letter and removes at most
 * one, so words whose masks differ in more bits need not be compared letter by letter.
 */
export function letterMask(word: string): number {
  let mask = 0;
  for (let i = 0; i < word.length; i++) mask |= 1 << (word.charCodeAt(i) % LETTER_BITS);
  return mask;
}

/** Fits into a small integer of every JavaScript engine. Letters of one alphabet have consecutive codes, so few share a bit. */
const LETTER_BITS = 30;

/** Whether words with these masks can be within this number of edits of each other. */
export function canBeWithinEdits(edits: number, a: number, b: number): boolean {
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

/** The best corrections among the candidates: by similarity, then by number of passages, then alphabetically. */
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

/** The words of one length, with the letter masks that exclude most of them without a comparison. */
interface WordsOfLength {
  /** The words one after the other. A string of its own for each of a hundred thousand would take four times as much memory. */
  text: string;
  count: number;
  masks: Int32Array;
  passages: Uint32Array;
}

/** How many words are compared before the clock is read. A comparison takes 10 to 500 ns. */
const WORDS_PER_CLOCK_READING = 1024;

/** Bytes of a word besides its characters. */
const BASE_BYTES = 8;
/** JavaScript stores a text with any character above U+00FF in two bytes for each. */
const BYTES_PER_CHARACTER = 2;
const MIN_CAPACITY = 8;

/** A vocabulary in memory that finds corrections for a misspelt word. */
export class WordList {
  readonly #byLength = new Map<number, WordsOfLength>();
  #bytes = 0;

  /** Adds new words. A word that cannot be a correction is ignored; see `isCorrectable`. */
  add(words: readonly string[], passages: readonly number[]): void {
    const indexes = words.flatMap((word, i) => (isCorrectable(word) ? [i] : []));
    for (const [length, added] of Map.groupBy(indexes, (i) => words[i]!.length)) {
      const bucket = this.#bucket(length, added.length);
      for (const i of added) {
        bucket.masks[bucket.count] = letterMask(words[i]!);
        bucket.passages[bucket.count] = passages[i]!;
        bucket.count++;
      }
      const text = added.map((i) => words[i]!).join('');
      bucket.text += text;
      this.#bytes += added.length * BASE_BYTES + text.length * BYTES_PER_CHARACTER;
    }
  }

  /** The memory that the list takes, at most. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The words of this length, with space for more. */
  #bucket(length: number, more: number): WordsOfLength {
    const bucket = this.#byLength.get(length) ?? {
      text: '',
      count: 0,
      masks: new Int32Array(0),
      passages: new Uint32Array(0),
    };
    this.#byLength.set(length, bucket);
    if (bucket.count + more > bucket.masks.length) {
      const capacity = Math.max(bucket.count === 0 ? 0 : MIN_CAPACITY, bucket.count * 2, bucket.count + more);
      const { masks, passages } = bucket;
      bucket.masks = new Int32Array(capacity);
      bucket.masks.set(masks);
      bucket.passages = new Uint32Array(capacity);
      bucket.passages.set(passages);
    }
    return bucket;
  }

  /**
   * Every word that is similar to the given one (see `spellingSimilarity`), with its number of passages. Past the deadline,
   * those that were found until then.
   */
  near(word: string, deadline: Deadline): KnownWord[] {
    const edits = allowedEdits(word.length);
    const mask = letterMask(word);
    const near: KnownWord[] = [];
    for (let length = word.length - edits; length <= word.length + edits; length++) {
      const bucket = this.#byLength.get(length);
      if (bucket === undefined) continue;
      for (let i = 0; i < bucket.count; i++) {
        if (i % WORDS_PER_CLOCK_READING === 0 && deadline.isPast) return near;
        if (!canBeWithinEdits(edits, mask, bucket.masks[i]!)) continue;
        const known = bucket.text.slice(i * length, (i + 1) * length);
        if (spellingSimilarity(word, known) > 0) near.push({ word: known, passages: bucket.passages[i]! });
      }
    }
    return near;
  }
}
