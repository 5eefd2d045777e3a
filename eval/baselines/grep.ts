import type { EvalCollection, EvalSet } from '../sets.ts';
import { RESULTS, type System } from '../system.ts';
import { plainDocument, queryWords, wordsOf } from './query-words.ts';

/**
 * Ranks the matches of `grep -i` by the number of the query's words that a document has as substrings; ties in the order
 * of the documents.
 */
export function openGrep(set: EvalSet): System {
  const corpora = new Map(set.collections.map((collection) => [collection.id, new Corpus(collection)]));
  return {
    name: 'grep',
    rank: async (collection, query) => {
      const ids = corpora.get(collection)?.rank(queryWords(query)) ?? [];
      return { ids: ids.slice(0, RESULTS) };
    },
    close: () => Promise.resolve(),
  };
}

/** A word has no spaces, so it is a substring of a document if it is one of a word of the document. */
class Corpus {
  readonly #ids: readonly string[];
  readonly #documents = new Map<string, number[]>();
  readonly #cache = new Map<string, ReadonlySet<number>>();

  constructor({ docs }: EvalCollection) {
    this.#ids = docs.map((doc) => doc.id);
    for (const [index, doc] of docs.entries()) {
      const { title, body } = plainDocument(doc);
      for (const word of new Set(wordsOf(`${title}\n${body}`.toLowerCase()))) {
        const documents = this.#documents.get(word);
        if (documents === undefined) this.#documents.set(word, [index]);
        else documents.push(index);
      }
    }
  }

  rank(words: readonly string[]): string[] {
    const counts = new Map<number, number>();
    for (const word of words) {
      for (const index of this.#documentsWith(word)) counts.set(index, (counts.get(index) ?? 0) + 1);
    }
    const ranked = [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
    return ranked.map(([index]) => this.#ids[index]!);
  }

  #documentsWith(word: string): ReadonlySet<number> {
    const cached = this.#cache.get(word);
    if (cached !== undefined) return cached;
    const documents = new Set<number>();
    for (const [longer, indices] of this.#documents) {
      if (longer.includes(word)) for (const index of indices) documents.add(index);
    }
    this.#cache.set(word, documents);
    return documents;
  }
}
