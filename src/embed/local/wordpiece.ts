/**
 * BERT's tokeniser: normalise (clean, strip accents, lower case), split at white space, punctuation and ideographs,
 * then greedy WordPiece (Schuster & Nakajima 2012). Equal to the Rust `tokenizers` on the model's tokenizer.json,
 * except that `[SEP]` and its like in a text are text, never special tokens.
 */

import { readFileSync } from 'node:fs';

/** Control, format, private-use and broken characters; tab and the line ends are white space and stay. */
const DROPPED = /(?![\t\n\r])[\p{Cc}\p{Cf}\p{Co}\uFFFD]/gu;
const MARKS = /\p{Mn}+/gu;
const PUNCTUATION = /[\p{P}$+<=>^`|~]/u;
const WHITE_SPACE = /\p{White_Space}/u;
const NOT_ASCII = /[^\0-\x7f]/;
/** The ideograph blocks that BERT splits one by one. */
const IDEOGRAPH =
  /[\u4E00-\u9FFF\u3400-\u4DBF\u{20000}-\u{2A6DF}\u{2A700}-\u{2B73F}\u{2B740}-\u{2B81F}\u{2B920}-\u{2CEAF}\uF900-\uFAFF\u{2F800}-\u{2FA1F}]/u;

/** Longer words become one `[UNK]`; so does any word with a character of two units, as no piece has one. */
const MAX_WORD = 100;
/** Words longer than this are rarely met twice. */
const MAX_CACHED_WORD = 32;
const CACHE_SIZE = 20_000;
/** Longest piece of the vocabulary, in UTF-16 units; spares tries with long words. */
const LONGEST_PIECE = 18;

const UNCLASSED = 0;
const WORD = 1;
const SPACE = 2;
const ALONE = 3;

/** Classes of the code units met so far; the letters of one script repeat, and a regular expression is slow. */
const classes = new Uint8Array(65536);

function classify(char: string): number {
  if (WHITE_SPACE.test(char)) return SPACE;
  return PUNCTUATION.test(char) || IDEOGRAPH.test(char) ? ALONE : WORD;
}

function classOf(codePoint: number): number {
  if (codePoint > 0xffff) return classify(String.fromCodePoint(codePoint));
  const known = classes[codePoint] ?? UNCLASSED;
  if (known !== UNCLASSED) return known;
  return (classes[codePoint] = classify(String.fromCharCode(codePoint)));
}

/** Clean, decomposed, without accents, lower case. A capital sigma is always σ: the model knows no final form rule. */
function normalise(text: string): string {
  const clean = text.toWellFormed().replace(DROPPED, '');
  if (!NOT_ASCII.test(clean)) return clean.toLowerCase();
  return clean.normalize('NFD').replace(MARKS, '').replaceAll('Σ', 'σ').toLowerCase();
}

/** Calls `emit` with each word and each character that stands alone, in order. */
function splitWords(text: string, emit: (word: string) => void): void {
  let start = -1;
  for (let i = 0; i < text.length;) {
    const codePoint = text.codePointAt(i) ?? 0;
    const next = i + (codePoint > 0xffff ? 2 : 1);
    const kind = classOf(codePoint);
    if (kind === WORD) {
      if (start < 0) start = i;
    } else {
      if (start >= 0) emit(text.slice(start, i));
      start = -1;
      if (kind === ALONE) emit(text.slice(i, next));
    }
    i = next;
  }
  if (start >= 0) emit(text.slice(start));
}

/** A pair of quotation mark and comma around an id parts two pieces. */
const BETWEEN_PIECES = /":\d+,"/;
const LAST_ID = /":(\d+)\}/;

/**
 * The vocabulary of a tokenizer.json, each piece at the index that is its id. The file writes it in that order, so
 * it can be cut instead of parsed: an object of 30,522 keys would take three times as long, at every cold start.
 * @throws Error when the file is not written so.
 */
export function parseVocabulary(json: string): string[] {
  const start = json.indexOf('{"', json.indexOf('"vocab":'));
  const object = json.slice(start);
  const last = LAST_ID.exec(object);
  const pieces = object.slice(2, last?.index).split(BETWEEN_PIECES);
  if (start < 0 || Number(last?.[1]) !== pieces.length - 1)
    throw new Error('the vocabulary is not in the order of its ids');
  return pieces.map((piece) => (piece.includes('\\') ? (JSON.parse(`"${piece}"`) as string) : piece));
}

export class WordPiece {
  readonly cls: number;
  readonly sep: number;
  readonly #unknown: number;
  readonly #ids: ReadonlyMap<string, number>;
  readonly #cache = new Map<string, readonly number[]>();

  /** @param pieces The vocabulary by id; pieces that continue a word begin with `##`. */
  constructor(pieces: readonly string[]) {
    const ids = new Map<string, number>();
    for (let id = 0; id < pieces.length; id++) ids.set(pieces[id] ?? '', id);
    this.#ids = ids;
    this.cls = this.#special('[CLS]');
    this.sep = this.#special('[SEP]');
    this.#unknown = this.#special('[UNK]');
  }

  /** Reads the vocabulary (0.5 MB) of a Hugging Face tokenizer.json. @throws Error when it cannot be read. */
  static fromFile(path: string): WordPiece {
    return new WordPiece(parseVocabulary(readFileSync(path, 'utf8')));
  }

  /** Ids of all pieces, in order, without `[CLS]` and `[SEP]`; `[]` for a text of nothing but white space. */
  encode(text: string): number[] {
    const ids: number[] = [];
    splitWords(normalise(text), (word) => {
      for (const id of this.#pieces(word)) ids.push(id);
    });
    return ids;
  }

  /** Length of `encode(text)`. */
  count(text: string): number {
    let count = 0;
    splitWords(normalise(text), (word) => {
      count += this.#pieces(word).length;
    });
    return count;
  }

  #special(token: string): number {
    const id = this.#ids.get(token);
    if (id === undefined) throw new Error(`the vocabulary lacks ${token}`);
    return id;
  }

  #pieces(word: string): readonly number[] {
    const known = this.#cache.get(word);
    if (known) return known;
    const pieces = this.#split(word);
    if (word.length <= MAX_CACHED_WORD) {
      if (this.#cache.size >= CACHE_SIZE) this.#cache.clear();
      this.#cache.set(word, pieces);
    }
    return pieces;
  }

  /** The longest known piece from the left, again and again; a rest that no piece begins makes the word unknown. */
  #split(word: string): number[] {
    if (word.length > MAX_WORD) return [this.#unknown];
    const pieces: number[] = [];
    for (let start = 0; start < word.length;) {
      let end = Math.min(word.length, start + LONGEST_PIECE);
      let id = this.#piece(word, start, end);
      while (id === undefined && end > start + 1) id = this.#piece(word, start, --end);
      if (id === undefined) return [this.#unknown];
      pieces.push(id);
      start = end;
    }
    return pieces;
  }

  #piece(word: string, start: number, end: number): number | undefined {
    const text = word.slice(start, end);
    return this.#ids.get(start === 0 ? text : `##${text}`);
  }
}
