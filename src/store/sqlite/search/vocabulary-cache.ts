import { LRUCache } from 'lru-cache';
import { stem } from '../../../core/text/analyze.ts';
import { isCorrectable, nearestWords, type KnownWord } from '../../lexical/spelling.ts';
import { WordList } from '../../lexical/word-list.ts';
import type { TermInfo } from '../../search-model.ts';
import type { Database } from '../database/database.ts';
import { countWord, type WordCounts, wordChanges } from './vocabulary.ts';

/** Words in memory, about 60 bytes each. */
const MAX_WORDS = 500_000;
const MAX_NAMESPACES = 1000;

/** The changes that are not merged into the vocabulary of a namespace, as of an epoch of the vocabulary. */
interface PendingChanges {
  readonly epoch: number;
  /** The id of the last change that these counts include. */
  lastChange: number;
  readonly byWord: WordCounts;
  readonly byStem: WordCounts;
  /** The words of `byWord`. */
  readonly list: WordList;
}

/** The vocabulary of a namespace without the pending changes. It is read for the first misspelt word. */
interface MergedVocabulary {
  readonly epoch: number;
  readonly list: WordList;
}

/** Counts the passages of words and finds corrections for misspelt words, as of the current snapshot. */
export class VocabularyCache {
  readonly #db: Database;
  readonly #pending = new LRUCache<number, PendingChanges>({ max: MAX_NAMESPACES });
  readonly #merged = new LRUCache<number, MergedVocabulary>({
    maxSize: MAX_WORDS,
    // At most the whole cache, so that a huge vocabulary is cached alone.
    sizeCalculation: ({ list }) => Math.min(MAX_WORDS, 1 + list.size),
  });

  constructor(db: Database) {
    this.#db = db;
  }

  /** Past the deadline of the connection, words get no corrections, or only those that were found until then. */
  lookUp(ns: number, words: readonly string[]): TermInfo[] {
    const pending = this.#refresh(ns);
    // Without statistics, SQLite would scan the whole vocabulary.
    const count = this.#db.prepare(
      'SELECT total(passages) AS n FROM term INDEXED BY term_stem WHERE ns = ? AND stem = ?',
    );
    return words.map((word) => {
      const stemmed = stem(word);
      const passages = Number(count.get(ns, stemmed)?.['n']) + (pending.byStem.get(stemmed) ?? 0);
      if (passages > 0 || !isCorrectable(word)) return { word, passages, near: [] };
      const near = nearestWords(word, this.#candidates(ns, word, pending));
      return { word, passages: 0, near, ...(this.#db.deadline.isPast ? { isPartial: true } : {}) };
    });
  }

  #refresh(ns: number): PendingChanges {
    const row = this.#db.prepare('SELECT word_epoch FROM namespace WHERE id = ?').get(ns);
    const epoch = Number(row?.['word_epoch']);
    const cached = this.#pending.get(ns);
    const pending =
      cached?.epoch === epoch
        ? cached
        : { epoch, lastChange: 0, byWord: new Map(), byStem: new Map(), list: new WordList() };
    this.#pending.set(ns, pending);
    for (const { id, changes } of wordChanges(this.#db, ns, pending.lastChange)) {
      pending.lastChange = id;
      for (const [word, change] of changes) {
        if (!pending.byWord.has(word)) pending.list.add(word, 0);
        countWord(pending.byWord, word, change);
        countWord(pending.byStem, stem(word), change);
      }
    }
    return pending;
  }

  #candidates(ns: number, word: string, pending: PendingChanges): KnownWord[] {
    const merged = this.#mergedList(ns, pending.epoch);
    const counts = new Map<string, number>();
    for (const { word: known, passages } of [
      ...merged.near(word, this.#db.deadline),
      ...pending.list.near(word, this.#db.deadline),
    ])
      if (!counts.has(known)) counts.set(known, passages + (pending.byWord.get(known) ?? 0));
    return [...counts].flatMap(([known, passages]) => (passages > 0 ? [{ word: known, passages }] : []));
  }

  #mergedList(ns: number, epoch: number): WordList {
    const cached = this.#merged.get(ns);
    if (cached?.epoch === epoch) return cached.list;
    const list = this.#load(ns);
    this.#merged.set(ns, { epoch, list });
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
