import type { Deadline } from '../../core/time/deadline.ts';
import {
  allowedEdits,
  isCorrectable,
  letterMask,
  canBeWithinEdits,
  spellingSimilarity,
  type KnownWord,
} from './spelling.ts';

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
