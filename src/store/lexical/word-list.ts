import {
  allowedEdits,
  isCorrectable,
  lettersOf,
  maybeWithin,
  spellingSimilarity,
  type KnownWord,
} from './spelling.ts';

/** Words of one length, and what speaks against comparing each. */
interface Row {
  readonly words: string[];
  readonly letters: number[];
  readonly passages: number[];
}

/** A vocabulary in memory, to find what a misspelt word may stand for: some 60 bytes a word. */
export class WordList {
  readonly #byLength = new Map<number, Row>();
  #size = 0;

  /** Words that nobody means are left out; each is added once. */
  add(word: string, passages: number): void {
    if (!isCorrectable(word)) return;
    const row = this.#byLength.get(word.length) ?? { words: [], letters: [], passages: [] };
    this.#byLength.set(word.length, row);
    row.words.push(word);
    row.letters.push(lettersOf(word));
    row.passages.push(passages);
    this.#size++;
  }

  get size(): number {
    return this.#size;
  }

  /** Every word that is near enough (see `spellingSimilarity`), with its count. */
  near(word: string): KnownWord[] {
    const edits = allowedEdits(word.length);
    const asked = lettersOf(word);
    const near: KnownWord[] = [];
    for (let length = word.length - edits; length <= word.length + edits; length++) {
      const row = this.#byLength.get(length);
      if (row === undefined) continue;
      for (let i = 0; i < row.words.length; i++) {
        if (!maybeWithin(edits, asked, row.letters[i]!)) continue;
        const known = row.words[i]!;
        if (spellingSimilarity(word, known) > 0) near.push({ word: known, passages: row.passages[i]! });
      }
    }
    return near;
  }
}
