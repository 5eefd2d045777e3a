import { fs } from './fs.ts';

/** The exports of `wordpiece.wasm` and the addresses it uses (kernel/wordpiece.as.ts). */
interface VocabularyKernel {
  readonly indexVocabulary: (start: number) => number;
  readonly splitWord: (length: number) => number;
}

const WORD = 0;
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
    this.#word = new Uint8Array(memory.buffer, WORD, IDS - WORD);
    this.#ids = new Int32Array(memory.buffer, IDS, IDS - WORD);
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
