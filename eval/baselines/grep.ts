import type { EvalCollection, EvalSet } from '../sets.ts';
import { RESULTS, type System } from '../system.ts';
import { plainDocument, queryWords, wordsOf } from './query-words.ts';

/**
 * Word overlap as one would rank what grep finds: how many of the query's words a document holds, as substrings,
 * whatever their case; equals in the order of the documents.
 */
export function openGrep(set: EvalSet): System {
  const corpora = new Map(set.collections.map((collection) => [collection.id, new Corpus(collection)]));
  return {
    name: 'grep',
    rank: async (collection, query) => {
      const ids = corpora.get(collection)?.rank(queryWords(query)) ?? [];
      return { ids: ids.slice(0, RESULTS), confidence: null };
    },
    close: () => Promise.resolve(),
  };
}

/** A query's word has no spaces in it, so a document holds it where one of the document's words does. */
class Corpus {
  readonly #ids: readonly string[];
  readonly #documents = new Map<string, number[]>();
  readonly #found = new Map<string, ReadonlySet<number>>();

  constructor({ docs }: EvalCollection) {
    this.#ids = docs.map((doc) => doc.id);
    for (const [index, doc] of docs.entries()) {
      const { title, body } = plainDocument(doc);
      for (const word of new Set(wordsOf(`${title}\n${body}`.toLowerCase()))) {
        const holders = this.#documents.get(word);
        if (holders === undefined) this.#documents.set(word, [index]);
        else holders.push(index);
      }
    }
  }

  rank(words: readonly string[]): string[] {
    const counts = new Map<number, number>();
    for (const word of words) {
      for (const index of this.#holdersOf(word)) counts.set(index, (counts.get(index) ?? 0) + 1);
    }
    const ranked = [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
    return ranked.map(([index]) => this.#ids[index]!);
  }

  #holdersOf(word: string): ReadonlySet<number> {
    const known = this.#found.get(word);
    if (known !== undefined) return known;
    const holders = new Set<number>();
    for (const [longer, indices] of this.#documents) {
      if (longer.includes(word)) for (const index of indices) holders.add(index);
    }
    this.#found.set(word, holders);
    return holders;
  }
}
