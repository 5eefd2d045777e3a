import { MAX_NAME_WORDS } from './name.ts';
import { visitNameWords, type NameWord } from './name-words.ts';

/** A name that was found in a text. */
export interface NameMatch {
  /** The key of the name. */
  readonly key: string;
  /** Offsets into the text in UTF-16 code units, end exclusive. */
  readonly start: number;
  readonly end: number;
  /** Line of the first word, from 1. */
  readonly line: number;
}

/** A match with the numbers of its first and last word. */
interface PendingMatch extends NameMatch {
  readonly firstWord: number;
}

/** A name may have breaks between its words. */
const MAX_PATTERN_WORDS = 2 * MAX_NAME_WORDS;
const ROOT = 0;
const NONE = -1;

/**
 * Finds many names in a text at once (Aho & Corasick 1975). Its letters are words, so that a name is found at word
 * boundaries only; in Chinese, Japanese and Korean each character is a word. The time is in proportion to the text, whatever the
 * number of names.
 */
export class NameAutomaton {
  readonly #words = new Map<string, number>();
  /** The node after a node and a word, by `node * number of words + word`. */
  readonly #next = new Map<number, number>();
  readonly #fallback: Int32Array;
  /** The longest name that ends at a node; others that end there are within it. */
  readonly #longest: Int32Array;
  readonly #keys: readonly string[];
  readonly #lengths: readonly number[];

  /** @param keys of names, as `nameKey` makes them; those that are too long or empty are left out */
  constructor(keys: Iterable<string>) {
    const names = [...new Set(keys)].map((key) => ({ key, words: key.split(' ') }));
    const usable = names.filter(({ key, words }) => key !== '' && words.length <= MAX_PATTERN_WORDS);
    this.#keys = usable.map(({ key }) => key);
    this.#lengths = usable.map(({ words }) => words.length);
    for (const { words } of usable)
      for (const word of words) if (!this.#words.has(word)) this.#words.set(word, this.#words.size);
    const ends = this.#addNames(usable.map(({ words }) => words));
    this.#longest = Int32Array.from(ends);
    this.#fallback = new Int32Array(ends.length);
    this.#addFallbacks();
  }

  /** Returns for every node the name that ends there. */
  #addNames(names: readonly (readonly string[])[]): number[] {
    const ends = [NONE];
    for (const [name, words] of names.entries()) {
      let node = ROOT;
      for (const word of words) {
        const edge = this.#edge(node, this.#words.get(word)!);
        node = this.#next.get(edge) ?? ends.push(NONE) - 1;
        this.#next.set(edge, node);
      }
      ends[node] = name;
    }
    return ends;
  }

  #edge(node: number, word: number): number {
    return node * this.#words.size + word;
  }

  /** Breadth first, because the fallback of a node is nearer to the root. */
  #addFallbacks(): void {
    const children = new Map<number, { word: number; node: number }[]>();
    for (const [edge, node] of this.#next) {
      const parent = Math.floor(edge / this.#words.size);
      const siblings = children.get(parent) ?? [];
      siblings.push({ word: edge % this.#words.size, node });
      children.set(parent, siblings);
    }
    const queue = [ROOT];
    for (const parent of queue) {
      for (const { word, node } of children.get(parent) ?? []) {
        queue.push(node);
        if (parent !== ROOT) this.#fallback[node] = this.#step(this.#fallback[parent]!, word);
        if (this.#longest[node] === NONE) this.#longest[node] = this.#longest[this.#fallback[node]!]!;
      }
    }
  }

  #step(from: number, word: number): number {
    for (let node = from; ; node = this.#fallback[node]!) {
      const next = this.#next.get(this.#edge(node, word));
      if (next !== undefined) return next;
      if (node === ROOT) return ROOT;
    }
  }

  /** Calls `visit` for every match that is not within a longer one, in the order of the text. */
  find(text: string, visit: (match: NameMatch) => void): void {
    if (this.#keys.length === 0) return;
    const scan = new Scan(visit);
    let node = ROOT;
    visitNameWords(text, (found) => {
      scan.advance(found);
      const word = this.#words.get(found.word);
      node = word === undefined ? ROOT : this.#step(node, word);
      const name = this.#longest[node]!;
      if (name !== NONE) scan.add(this.#keys[name]!, this.#lengths[name]!);
    });
    scan.finish();
  }
}

/** The last words of a text, and the matches that may still be within a longer one. */
class Scan {
  readonly #visit: (match: NameMatch) => void;
  readonly #recent: NameWord[] = new Array<NameWord>(MAX_PATTERN_WORDS);
  #position = -1;
  /** Each begins after the one before. */
  readonly #pending: PendingMatch[] = [];

  constructor(visit: (match: NameMatch) => void) {
    this.#visit = visit;
  }

  advance(word: NameWord): void {
    this.#position++;
    this.#recent[this.#position % MAX_PATTERN_WORDS] = word;
    // No longer match can begin before these any more.
    while ((this.#pending[0]?.firstWord ?? this.#position) <= this.#position - MAX_PATTERN_WORDS)
      this.#emitFirst();
  }

  add(key: string, length: number): void {
    const firstWord = this.#position - length + 1;
    while ((this.#pending.at(-1)?.firstWord ?? NONE) >= firstWord) this.#pending.pop();
    const first = this.#recent[firstWord % MAX_PATTERN_WORDS]!;
    const { end } = this.#recent[this.#position % MAX_PATTERN_WORDS]!;
    this.#pending.push({ key, start: first.start, end, line: first.line, firstWord });
  }

  finish(): void {
    while (this.#pending.length > 0) this.#emitFirst();
  }

  #emitFirst(): void {
    const { key, start, end, line } = this.#pending.shift()!;
    this.#visit({ key, start, end, line });
  }
}
