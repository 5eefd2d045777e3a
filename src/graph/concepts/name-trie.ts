import { MAX_CONCEPT_WORDS, type NameWord, visitNameWords } from '../../core/names/name.ts';
import type { Span } from '../../core/types.ts';

/** A name that was found in a text. */
export interface NameMatch extends Span {
  /** The key of the name. */
  readonly key: string;
  /** Line of the first word, from 1. */
  readonly line: number;
}

interface TrieNode {
  /** Most nodes are leaves, which have none. */
  next: Map<string, TrieNode> | null;
  /** The name that ends here. */
  key: string | null;
}

/** A name may have breaks between its words. */
const MAX_PATTERN_WORDS = 2 * MAX_CONCEPT_WORDS;

/**
 * Finds many names in a text at once. Its letters are words, so that a name is found at word boundaries only; in Chinese,
 * Japanese and Korean each character is a word. The time is in proportion to the text, whatever the number of names.
 */
export class NameTrie {
  readonly #root: TrieNode = { next: null, key: null };

  /** @param keys of names, as `nameKey` makes them; those that are too long or empty are left out */
  constructor(keys: Iterable<string>) {
    for (const key of keys) {
      const words = key.split(' ');
      if (key === '' || words.length > MAX_PATTERN_WORDS) continue;
      let node = this.#root;
      for (const word of words) node = nextNode(node, word);
      node.key = key;
    }
  }

  /** Calls `visit` for every match that is not within a longer one, in the order of the text. */
  find(text: string, visit: (match: NameMatch) => void): void {
    if (this.#root.next === null) return;
    const words: NameWord[] = [];
    visitNameWords(text, (word) => {
      words.push(word);
    });
    // Matches begin one after another, so that one is within an earlier one if it does not end after it.
    let matched = 0;
    for (const [first, { start, line }] of words.entries()) {
      let node: TrieNode | undefined = this.#root;
      let longest: { readonly key: string; readonly last: number } | null = null;
      for (let last = first; last < words.length; last++) {
        node = node.next?.get(words[last]!.word);
        if (node === undefined) break;
        if (node.key !== null) longest = { key: node.key, last };
      }
      if (longest === null || longest.last < matched) continue;
      matched = longest.last + 1;
      visit({ key: longest.key, start, end: words[longest.last]!.end, line });
    }
  }
}

/** The node after a node and a word, which is added unless it is there. */
function nextNode(node: TrieNode, word: string): TrieNode {
  node.next ??= new Map();
  const known = node.next.get(word);
  if (known !== undefined) return known;
  const next: TrieNode = { next: null, key: null };
  node.next.set(word, next);
  return next;
}
