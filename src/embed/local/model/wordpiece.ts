/**
 * BERT's tokeniser: normalise (clean, strip accents, lower case), split at white space, punctuation and ideographs,
 * then greedy WordPiece (Schuster & Nakajima 2012). Equal to the Rust `tokenizers` on the model's tokenizer.json,
 * except that `[SEP]` and similar strings in a text are text, never special tokens.
 */

/** Importing it as an ES module would also load its promises and streams in each thread: 5% of the time to the first vector. */
const fs = process.getBuiltinModule('node:fs');

/** Control, format, private-use and malformed characters. Tabs and line ends are white space and are kept. */
const DROPPED = /(?![\t\n\r])[\p{Cc}\p{Cf}\p{Co}\uFFFD]/gu;
const MARKS = /\p{Mn}+/gu;
const PUNCTUATION = /[\p{P}$+<=>^`|~]/u;
const WHITE_SPACE = /\s/;
const NOT_ASCII = /[^\0-\x7f]/;
/** The ideographs that BERT splits into single characters. */
const IDEOGRAPH =
  /[\u4E00-\u9FFF\u3400-\u4DBF\u{20000}-\u{2A6DF}\u{2A700}-\u{2B73F}\u{2B740}-\u{2B81F}\u{2B920}-\u{2CEAF}\uF900-\uFAFF\u{2F800}-\u{2FA1F}]/u;

/** Longer words become one `[UNK]`. So does a word with a surrogate pair, because no piece has one. */
const MAX_WORD = 100;
/** Number of words whose pieces are cached. A full cache is emptied. */
const CACHE_SIZE = 20_000;
const UNCLASSED = 0;
const WORD = 1;
const SPACE = 2;
const ALONE = 3;

/** Classes of the code units seen so far. Characters repeat, and a regular expression is slower than this table. */
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

/** Cleans and decomposes a text, strips accents and lower-cases it. A capital sigma always becomes σ, as in the model. */
function normalise(text: string): string {
  const clean = text.toWellFormed().replace(DROPPED, '');
  if (!NOT_ASCII.test(clean)) return clean.toLowerCase();
  return clean.normalize('NFD').replace(MARKS, '').replaceAll('Σ', 'σ').toLowerCase();
}

/** Calls `emit` with each word and each separate character, in order. */
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

export class WordPiece {
  readonly cls: number;
  readonly sep: number;
  readonly #unknown: readonly number[];
  readonly #vocabulary: TokenVocabulary;
  readonly #cache = new Map<string, readonly number[]>();

  constructor(vocabulary: TokenVocabulary) {
    this.#vocabulary = vocabulary;
    this.cls = vocabulary.idOf('[CLS]');
    this.sep = vocabulary.idOf('[SEP]');
    this.#unknown = [vocabulary.idOf('[UNK]')];
  }

  /** Reads the vocabulary (0.5 MB) of a Hugging Face tokenizer.json. @throws Error if it cannot be read. */
  static fromFile(path: string): WordPiece {
    return new WordPiece(new TokenVocabulary(fs.readFileSync(path)));
  }

  /** Ids of all pieces, in order, without `[CLS]` and `[SEP]`; `[]` for a text of white space. */
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

  /** The share of the pieces that are not `[UNK]`. 0 to 1. */
  knownShare(text: string): number {
    const ids = this.encode(text);
    return ids.length === 0 ? 0 : ids.filter((id) => id !== this.#unknown[0]).length / ids.length;
  }

  #pieces(word: string): readonly number[] {
    if (word.length > MAX_WORD) return this.#unknown;
    const known = this.#cache.get(word);
    if (known) return known;
    const pieces = this.#vocabulary.split(word) ?? this.#unknown;
    if (this.#cache.size >= CACHE_SIZE) this.#cache.clear();
    this.#cache.set(word, pieces);
    return pieces;
  }
}

/** The exports of `wordpiece.wasm` and the addresses it uses (kernel/wordpiece.as.ts). */
interface VocabularyKernel {
  readonly indexVocabulary: (start: number) => number;
  readonly splitWord: (length: number) => number;
}

const WORD_ADDRESS = 0;
const IDS = 512;
const TEXT = 528_384;
const PAGE = 65_536;
/** The text before the first piece. */
const START = '"vocab":{';

/** The model's pieces and their ids, in a separate memory (1 MB). */
export class TokenVocabulary {
  readonly #kernel: VocabularyKernel;
  readonly #encoder = new TextEncoder();
  readonly #word: Uint8Array;
  readonly #ids: Int32Array;

  /** @param json The bytes of a tokenizer.json. @throws Error if they contain no vocabulary. */
  constructor(json: Buffer) {
    // One byte more than the file, so that a truncated file ends in a zero byte.
    const memory = new WebAssembly.Memory({ initial: Math.ceil((TEXT + json.length + 1) / PAGE) });
    const module = new WebAssembly.Module(fs.readFileSync(new URL('./wordpiece.wasm', import.meta.url)));
    const { exports } = new WebAssembly.Instance(module, { env: { memory } });
    this.#kernel = exports as unknown as VocabularyKernel;
    this.#word = new Uint8Array(memory.buffer, WORD_ADDRESS, IDS - WORD_ADDRESS);
    this.#ids = new Int32Array(memory.buffer, IDS, IDS - WORD_ADDRESS);
    new Uint8Array(memory.buffer).set(json, TEXT);
    const start = json.indexOf(START);
    if (start < 0 || this.#kernel.indexVocabulary(TEXT + start + START.length) === 0) {
      throw new Error('the tokenizer has no vocabulary of the form "piece":id');
    }
  }

  /** Ids of a word's pieces (WordPiece), or `null` if no pieces make up the word. Accepts at most 170 UTF-16 units. */
  split(word: string): number[] | null {
    const { written } = this.#encoder.encodeInto(word, this.#word);
    const count = this.#kernel.splitWord(written);
    return count === 0 ? null : Array.from(this.#ids.subarray(0, count));
  }

  /** The id of a special token. @throws Error if there is none. */
  idOf(token: string): number {
    const [id, ...more] = this.split(token) ?? [];
    if (id === undefined || more.length > 0) throw new Error(`the vocabulary lacks ${token}`);
    return id;
  }
}
