import { LRUCache } from 'lru-cache';
import { stem } from '../../../core/text/analyze.ts';
import { isCorrectable, nearestWords, type KnownWord } from '../../lexical/spelling.ts';
import { WordList } from '../../lexical/word-list.ts';
import type { TermInfo } from '../../search-model.ts';
import type { Database } from '../database/database.ts';
import { countWord, type WordCounts, wordChanges } from './vocabulary.ts';

/** Words in memory, some 60 bytes each. */
const MAX_WORDS = 500_000;
const MAX_NAMESPACES = 1000;

/** Changes that the vocabulary of a namespace does not count yet, as of its epoch. */
interface Unsettled {
  readonly epoch: number;
  /** Id of the last change that is counted here. */
  lastChange: number;
  readonly byWord: WordCounts;
  readonly byStem: WordCounts;
  /** The words of `byWord`. */
  readonly list: WordList;
}

/** The settled vocabulary of a namespace. It is read for the first misspelt word. */
interface Settled {
  readonly epoch: number;
  readonly list: WordList;
}

/** Counts the passages of words, and finds the words that a misspelt one may stand for, as of the current snapshot. */
export class VocabularyCache {
  readonly #db: Database;
  readonly #unsettled = new LRUCache<number, Unsettled>({ max: MAX_NAMESPACES });
  readonly #settled = new LRUCache<number, Settled>({
    maxSize: MAX_WORDS,
    // At most the whole cache, so that a huge vocabulary is cached alone.
    sizeCalculation: ({ list }) => Math.min(MAX_WORDS, 1 + list.size),
  });

  constructor(db: Database) {
    this.#db = db;
  }

  lookUp(ns: number, words: readonly string[]): TermInfo[] {
    const unsettled = this.#refresh(ns);
    // Without statistics, SQLite would scan the whole vocabulary.
    const count = this.#db.prepare(
      'SELECT total(passages) AS n FROM term INDEXED BY term_stem WHERE ns = ? AND stem = ?',
    );
    return words.map((word) => {
      const stemmed = stem(word);
      const passages = Number(count.get(ns, stemmed)?.['n']) + (unsettled.byStem.get(stemmed) ?? 0);
      if (passages > 0 || !isCorrectable(word)) return { word, passages, near: [] };
      return { word, passages: 0, near: nearestWords(word, this.#candidates(ns, word, unsettled)) };
    });
  }

  #refresh(ns: number): Unsettled {
    const row = this.#db.prepare('SELECT word_epoch FROM namespace WHERE id = ?').get(ns);
    const epoch = Number(row?.['word_epoch']);
    const cached = this.#unsettled.get(ns);
    const unsettled =
      cached?.epoch === epoch
        ? cached
        : { epoch, lastChange: 0, byWord: new Map(), byStem: new Map(), list: new WordList() };
    this.#unsettled.set(ns, unsettled);
    for (const { id, changes } of wordChanges(this.#db, ns, unsettled.lastChange)) {
      unsettled.lastChange = id;
      for (const [word, change] of changes) {
        if (!unsettled.byWord.has(word)) unsettled.list.add(word, 0);
        countWord(unsettled.byWord, word, change);
        countWord(unsettled.byStem, stem(word), change);
      }
    }
    return unsettled;
  }

  #candidates(ns: number, word: string, unsettled: Unsettled): KnownWord[] {
    const settled = this.#settledList(ns, unsettled.epoch);
    const counts = new Map<string, number>();
    for (const { word: known, passages } of [...settled.near(word), ...unsettled.list.near(word)])
      if (!counts.has(known)) counts.set(known, passages + (unsettled.byWord.get(known) ?? 0));
    return [...counts].flatMap(([known, passages]) => (passages > 0 ? [{ word: known, passages }] : []));
  }

  #settledList(ns: number, epoch: number): WordList {
    const cached = this.#settled.get(ns);
    if (cached?.epoch === epoch) return cached.list;
    const list = this.#load(ns);
    this.#settled.set(ns, { epoch, list });
    return list;
  }

  #load(ns: number): WordList {
    const list = new WordList();
    // One value instead of rows, which would take ten times as long. No word has a space.
    const all = this.#db.prepare(
      `SELECT group_concat(word, ' ') AS words, group_concat(passages, ' ') AS passages FROM term WHERE ns = ?`,
    );
    const row = all.get(ns);
    if (typeof row?.['words'] === 'string') {
      const passages = String(row['passages']).split(' ');
      for (const [i, word] of row['words'].split(' ').entries()) list.add(word, Number(passages[i]));
    }
    return list;
  }
}
