import { indexPassage } from '../../lexical/text-fields.ts';
import type { Row } from '../../sql/sql.ts';
import type { TextEntry } from '../../sql/text-index.ts';
import { lexemeOf, termVector } from './term-vector.ts';

/** What the tables have of passages, or how a change of passages changes them. */
export class TextCounts {
  readonly words = new Map<string, number>();
  readonly terms = new Map<string, number>();
  /** The terms in the fields of all passages. */
  length = 0;
  readonly #ns: number;

  constructor(ns: number) {
    this.#ns = ns;
  }

  /** Counts a passage, and returns its row. */
  count({ passage, fields, text }: TextEntry, by: 1 | -1): Row {
    const entry = indexPassage(fields, text);
    const { text: terms, length } = termVector(this.#ns, entry);
    this.length += by * length;
    for (const word of entry.words) this.words.set(word, (this.words.get(word) ?? 0) + by);
    const all = new Set(Object.values(entry.terms).flatMap((ofField) => ofField.map(lexemeOf)));
    for (const term of all) this.terms.set(term, (this.terms.get(term) ?? 0) + by);
    return { ns: this.#ns, passage, length, terms };
  }
}
