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
  readonly words: string[];
  readonly masks: number[];
  readonly passages: number[];
}

/** How many words are compared before the clock is read. A comparison takes 10 to 500 ns. */
const WORDS_PER_CLOCK_READING = 1024;

/** A vocabulary in memory that finds corrections for a misspelt word. It takes about 60 bytes a word. */
export class WordList {
  readonly #byLength = new Map<number, WordsOfLength>();
  #size = 0;

  /** Adds a new word. A word that cannot be a correction is ignored; see `isCorrectable`. */
  add(word: string, passages: number): void {
    if (!isCorrectable(word)) return;
    const bucket = this.#byLength.get(word.length) ?? { words: [], masks: [], passages: [] };
    this.#byLength.set(word.length, bucket);
    bucket.words.push(word);
    bucket.masks.push(letterMask(word));
    bucket.passages.push(passages);
    this.#size++;
  }

  get size(): number {
    return this.#size;
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
      for (let i = 0; i < bucket.words.length; i++) {
        if (i % WORDS_PER_CLOCK_READING === 0 && deadline.isPast) return near;
        if (!canBeWithinEdits(edits, mask, bucket.masks[i]!)) continue;
        const known = bucket.words[i]!;
        if (spellingSimilarity(word, known) > 0) near.push({ word: known, passages: bucket.passages[i]! });
      }
    }
    return near;
  }
}
