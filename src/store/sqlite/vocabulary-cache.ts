import { stem } from '../../core/text/analyze.ts';
import { isCorrectable, nearestWords, type KnownWord } from '../lexical/spelling.ts';
import type { TermInfo } from '../search-model.ts';
import { WordList } from '../lexical/word-list.ts';
import type { Database } from './database.ts';
import { countWord, type WordCounts, wordChanges } from './vocabulary.ts';

/** Words that stay in memory, some 60 bytes each; the least recently used namespace goes first. */
const MAX_HELD = 500_000;

/** What is known of a namespace's vocabulary, as of its epoch. */
interface Held {
  readonly epoch: number;
  /** What the vocabulary itself counts; read when the first misspelt word is asked for. */
  list: WordList | null;
  /** The last change that `unsettled` tells of. */
  lastChange: number;
  /** What the vocabulary does not count yet, by word and by stem. */
  readonly unsettled: WordCounts;
  readonly ofStems: WordCounts;
  /** The words of `unsettled`. */
  readonly recent: WordList;
}

/** How many passages hold a word, and which words a misspelt one may stand for. Of the state that is read. */
export class VocabularyCache {
  readonly #db: Database;
  readonly #namespaces = new Map<number, Held>();

  constructor(db: Database) {
    this.#db = db;
  }

  lookUp(ns: number, words: readonly string[]): TermInfo[] {
    const held = this.#caughtUp(ns);
    // Without statistics, SQLite would rather look through the whole vocabulary.
    const count = this.#db.prepare(
      'SELECT total(passages) AS n FROM term INDEXED BY term_stem WHERE ns = ? AND stem = ?',
    );
    return words.map((word) => {
      const stemmed = stem(word);
      const passages = Number(count.get(ns, stemmed)?.['n']) + (held.ofStems.get(stemmed) ?? 0);
      if (passages > 0 || !isCorrectable(word)) return { word, passages, near: [] };
      return { word, passages: 0, near: nearestWords(word, this.#near(ns, word, held)) };
    });
  }

  #caughtUp(ns: number): Held {
    const row = this.#db.prepare('SELECT word_epoch FROM namespace WHERE id = ?').get(ns);
    const epoch = Number(row?.['word_epoch']);
    const known = this.#namespaces.get(ns);
    const held =
      known?.epoch === epoch
        ? known
        : {
            epoch,
            list: null,
            lastChange: 0,
            unsettled: new Map(),
            ofStems: new Map(),
            recent: new WordList(),
          };
    // The last in the map is the one used last.
    this.#namespaces.delete(ns);
    this.#namespaces.set(ns, held);
    for (const { id, changes } of wordChanges(this.#db, ns, held.lastChange)) {
      held.lastChange = id;
      for (const [word, change] of changes) {
        if (!held.unsettled.has(word)) held.recent.add(word, 0);
        countWord(held.unsettled, word, change);
        countWord(held.ofStems, stem(word), change);
      }
    }
    return held;
  }

  #near(ns: number, word: string, held: Held): KnownWord[] {
    held.list ??= this.#load(ns);
    const counts = new Map<string, number>();
    for (const { word: known, passages } of [...held.list.near(word), ...held.recent.near(word)])
      if (!counts.has(known)) counts.set(known, passages + (held.unsettled.get(known) ?? 0));
    return [...counts].flatMap(([known, passages]) => (passages > 0 ? [{ word: known, passages }] : []));
  }

  #load(ns: number): WordList {
    const list = new WordList();
    // In one value: rows of their own would take ten times as long. No word has a space.
    const all = this.#db.prepare(
      `SELECT group_concat(word, ' ') AS words, group_concat(passages, ' ') AS passages FROM term WHERE ns = ?`,
    );
    const row = all.get(ns);
    if (typeof row?.['words'] === 'string') {
      const passages = String(row['passages']).split(' ');
      for (const [i, word] of row['words'].split(' ').entries()) list.add(word, Number(passages[i]));
    }
    this.#makeRoom(ns, list.size);
    return list;
  }

  /** For so many words; those of the one just asked for stay. */
  #makeRoom(kept: number, words: number): void {
    let held = words;
    for (const { list } of this.#namespaces.values()) held += list?.size ?? 0;
    for (const [oldest, { list }] of this.#namespaces) {
      if (held <= MAX_HELD || oldest === kept) return;
      this.#namespaces.delete(oldest);
      held -= list?.size ?? 0;
    }
  }
}
