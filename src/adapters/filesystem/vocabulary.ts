import { analyze, stem } from '../../core/text/analyze.ts';

/** Smaller numbers than this are for terms of a query that no cached note has. */
export const FIRST_NUMBER = 8192;

/** Numbers the terms of a note; 0 for one that has no number. */
export interface TermNumbers {
  of(term: string): number;
  /** The number of the term of a word of ASCII letters and digits. */
  ofPlainWord(word: string): number;
  /** The numbers of the terms of another text without spaces, in order. */
  ofRun(run: string): readonly number[];
}

/** Numbers for terms, so that the terms of a note take little memory and are compared fast. */
export class Vocabulary implements TermNumbers {
  readonly #numbers = new Map<string, number>();
  /** The numbers of plain words and other runs as they are written, which spares most of the analysis. */
  readonly #words = new Map<string, number>();
  readonly #runs = new Map<string, readonly number[]>();
  #bytes = 0;

  /** About the memory that it takes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** One more than the largest number. */
  get end(): number {
    return FIRST_NUMBER + this.#numbers.size;
  }

  /** The number of a term; 0 for one that it does not have. */
  find(term: string): number {
    return this.#numbers.get(term) ?? 0;
  }

  /** The number of a term, which it has from now on. */
  of(term: string): number {
    const known = this.#numbers.get(term);
    if (known !== undefined) return known;
    const next = this.end;
    this.#numbers.set(flattened(term), next);
    this.#bytes += BYTES_PER_TERM + term.length;
    return next;
  }

  ofPlainWord(word: string): number {
    const known = this.#words.get(word);
    if (known !== undefined) return known;
    const number = this.of(stem(word.toLowerCase()));
    this.#words.set(flattened(word), number);
    this.#bytes += BYTES_PER_TERM + word.length;
    return number;
  }

  ofRun(run: string): readonly number[] {
    const known = this.#runs.get(run);
    if (known !== undefined) return known;
    const numbers = analyze(run).map(({ term }) => this.of(term));
    if (run.length > MAX_CACHED_RUN) return numbers;
    this.#runs.set(flattened(run), numbers);
    this.#bytes += BYTES_PER_TERM + run.length;
    return numbers;
  }

  /** The numbers of all terms that begin with a prefix. */
  startingWith(prefix: string): number[] {
    const found: number[] = [];
    for (const [term, number] of this.#numbers) if (term.startsWith(prefix)) found.push(number);
    return found;
  }
}

/** A longer run is a sentence in a script without spaces, which has few repetitions. UTF-16 code units. */
const MAX_CACHED_RUN = 24;
/** The head of a string, its entry of the map and its number. */
const BYTES_PER_TERM = 80;

/** A copy of a string that may be a part of another, which it would keep in memory. V8 copies strings of up to 12 characters. */
export function flattened(text: string): string {
  return text.length <= 12 ? text : Buffer.from(text).toString();
}
