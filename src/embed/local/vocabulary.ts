/**
 * The vocabulary as one hash table over the pieces' UTF-16 units. No string is made for any of the 30,522 pieces, so
 * it is read in a few milliseconds (a Map takes ten times as long), and the longest piece at a place takes one walk.
 */

/** A piece that begins a word, or one that continues it (`##` in the file). */
export const HEAD = 0;
export const TAIL = 1;
export type PieceKind = typeof HEAD | typeof TAIL;

const QUOTE = 34;
const HASH_SIGN = 35;
const COMMA = 44;
const ZERO = 48;
const BACKSLASH = 92;

/** FNV-1a by units (Fowler, Noll & Vo 1991); heads and tails start apart. */
const SEEDS = [0x811c9dc5, 0x050c5d1f] as const;

function mix(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, 0x01000193);
}

export class Vocabulary {
  /** All pieces' units, one behind the other, and for each piece: where it starts, its length, kind, id and hash. */
  readonly #units: Uint16Array;
  readonly #starts: number[] = [];
  readonly #lengths: number[] = [];
  readonly #kinds: PieceKind[] = [];
  readonly #ids: number[] = [];
  readonly #hashes: number[] = [];
  /** Open addressing: a piece's number plus one, or 0. */
  readonly #table: Int32Array;
  #longest = 0;

  /** @param json A Hugging Face tokenizer.json. @throws Error when it holds no vocabulary. */
  constructor(json: string) {
    const start = json.indexOf('{', json.indexOf('"vocab"'));
    if (start < 0) throw new Error('the tokenizer has no vocabulary');
    this.#units = new Uint16Array(json.length - start);
    this.#readPieces(json, start);
    this.#table = new Int32Array(2 ** Math.ceil(Math.log2(this.#ids.length * 2)));
    this.#hashes.forEach((hash, piece) => {
      let slot = this.#slotOf(hash);
      while (this.#table[slot] !== 0) slot = this.#next(slot);
      this.#table[slot] = piece + 1;
    });
  }

  /** The number of the longest piece of a kind that `text` has at `start`, or -1. */
  longestAt(text: string, start: number, kind: PieceKind): number {
    const end = Math.min(text.length, start + this.#longest);
    let hash: number = SEEDS[kind];
    let found = -1;
    for (let i = start; i < end; i++) {
      hash = mix(hash, text.charCodeAt(i));
      const piece = this.#find(text, start, i + 1 - start, kind, hash);
      if (piece >= 0) found = piece;
    }
    return found;
  }

  /** The id of a special token. @throws Error when there is none. */
  idOfToken(token: string): number {
    const piece = this.longestAt(token, 0, HEAD);
    if (this.lengthOf(piece) !== token.length) throw new Error(`the vocabulary lacks ${token}`);
    return this.idOf(piece);
  }

  idOf(piece: number): number {
    return this.#ids[piece] ?? -1;
  }

  /** In UTF-16 units, without `##`. */
  lengthOf(piece: number): number {
    return this.#lengths[piece] ?? 0;
  }

  #slotOf(hash: number): number {
    return (hash ^ (hash >>> 15)) & (this.#table.length - 1);
  }

  #next(slot: number): number {
    return (slot + 1) & (this.#table.length - 1);
  }

  #find(text: string, start: number, length: number, kind: PieceKind, hash: number): number {
    for (let slot = this.#slotOf(hash); ; slot = this.#next(slot)) {
      const piece = (this.#table[slot] ?? 0) - 1;
      if (piece < 0) return -1;
      if (this.#hashes[piece] === hash && this.#equals(piece, text, start, length, kind)) return piece;
    }
  }

  #equals(piece: number, text: string, start: number, length: number, kind: PieceKind): boolean {
    if (this.#lengths[piece] !== length || this.#kinds[piece] !== kind) return false;
    const own = this.#starts[piece] ?? 0;
    for (let i = 0; i < length; i++) {
      if (this.#units[own + i] !== text.charCodeAt(start + i)) return false;
    }
    return true;
  }

  /** Walks the object `{"piece": id, …}` from its brace on. */
  #readPieces(json: string, brace: number): void {
    let used = 0;
    for (let at = brace, more = true; more; ) {
      const open = json.indexOf('"', at);
      let close = open + 1;
      let escaped = false;
      for (let unit = json.charCodeAt(close); unit !== QUOTE; unit = json.charCodeAt(close)) {
        if (!(close < json.length)) throw new Error('the vocabulary ends early');
        escaped ||= unit === BACKSLASH;
        close += unit === BACKSLASH ? 2 : 1;
      }
      const colon = json.indexOf(':', close);
      at = json.charCodeAt(colon + 1) === 32 ? colon + 2 : colon + 1;
      let id = 0;
      for (let digit = json.charCodeAt(at) - ZERO; digit >= 0 && digit <= 9; digit = json.charCodeAt(at) - ZERO) {
        id = id * 10 + digit;
        at += 1;
      }
      used = escaped
        ? this.#add(JSON.parse(json.slice(open, close + 1)) as string, 0, Number.POSITIVE_INFINITY, id, used)
        : this.#add(json, open + 1, close, id, used);
      more = json.charCodeAt(at) === COMMA;
    }
  }
}
