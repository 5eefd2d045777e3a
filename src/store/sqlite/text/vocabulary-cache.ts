import type { SQLOutputValue } from 'node:sqlite';
import { LRUCache } from 'lru-cache';
import { stem } from '../../../core/text/analyze.ts';
import {
  MARKER_WORDS,
  MAX_SMALL_VOCABULARY,
  storedLanguages,
  type StoredLanguage,
} from '../../../core/text/language/language.ts';
import { MAX_COMPARED, MIN_PREFIX, prefixOf } from '../../lexical/inflections.ts';
import type { Candidates, KnownWords } from '../../lexical/known-words.ts';
import type { KnownWord } from '../../lexical/spelling.ts';
import { WordList } from '../../lexical/word-list.ts';
import type { Database } from '../database/database.ts';
import { readTotals } from './read-postings.ts';
import { countWord, parseChanges, type WordCounts } from './vocabulary.ts';

/** Bytes of the words in memory, of all namespaces together: about 600,000 words. */
const MAX_BYTES = 16_000_000;
/** The size of a vocabulary in addition to its words. */
const BASE_BYTES = 2000;
/** Bytes of the pending changes of all namespaces. */
const MAX_PENDING_BYTES = 8_000_000;
/** The size of a pending word, which is in two maps and in a list, at most. */
const PENDING_WORD_BYTES = 250;

/** The changes that are not merged into the vocabulary of a namespace, as of an epoch of the vocabulary. */
interface PendingChanges {
  readonly epoch: number;
  /** The id of the last change that these counts include. */
  lastChange: number;
  readonly byWord: WordCounts;
  readonly byStem: WordCounts;
  /** The words of `byWord`. */
  readonly list: WordList;
  /** The languages of the namespace; `null` until they are needed. */
  languages: readonly StoredLanguage[] | null;
  /** The words of `byWord` by `prefixOf`; `null` until they are needed. */
  byPrefix: ReadonlyMap<string, readonly string[]> | null;
}

/** The vocabulary of a namespace without the pending changes. It is read for the first misspelt word. */
interface MergedVocabulary {
  readonly epoch: number;
  readonly list: WordList;
}

/** Counts the passages of words and finds corrections for misspelt words, as of the current snapshot. */
export class VocabularyCache {
  readonly #db: Database;
  readonly #pending = new LRUCache<number, PendingChanges>({
    maxSize: MAX_PENDING_BYTES,
    sizeCalculation: ({ byWord }) =>
      Math.min(MAX_PENDING_BYTES, BASE_BYTES + byWord.size * PENDING_WORD_BYTES),
  });
  readonly #merged = new LRUCache<number, MergedVocabulary>({
    maxSize: MAX_BYTES,
    // At most the whole cache, so that a huge vocabulary is cached alone.
    sizeCalculation: ({ list }) => Math.min(MAX_BYTES, BASE_BYTES + list.bytes),
  });

  constructor(db: Database) {
    this.#db = db;
  }

  /** The words as of the current snapshot. */
  of(ns: number): KnownWords {
    const pending = this.#refresh(ns);
    return {
      languages: async () => this.#languages(ns, pending),
      stemCounts: async (stems) => this.#stemCounts(ns, stems, pending),
      beginningWith: async (candidates) => this.#beginningWith(ns, candidates, pending),
      containing: async (part) => this.#containing(ns, part, pending),
      near: async (word) => this.#near(ns, word, pending),
    };
  }

  #languages(ns: number, pending: PendingChanges): readonly StoredLanguage[] {
    if (pending.languages !== null) return pending.languages;
    const rows = this.#db
      .prepare(
        'SELECT t.word, t.passages FROM json_each(?) AS marker CROSS JOIN term AS t ON t.ns = ? AND t.word = marker.value',
      )
      .all(JSON.stringify(MARKER_WORDS), ns);
    const merged = new Map(rows.map((row) => [row['word'], Number(row['passages'])]));
    const passagesOf = (word: string): number => (merged.get(word) ?? 0) + (pending.byWord.get(word) ?? 0);
    const { passages } = readTotals(this.#db, ns);
    pending.languages = storedLanguages({ passages, passagesOf, words: this.#smallVocabulary(ns, pending) });
    return pending.languages;
  }

  /** All words with their numbers of passages; none of a vocabulary that is not small. */
  #smallVocabulary(ns: number, { byWord }: PendingChanges): (readonly [string, number])[] {
    if (byWord.size > MAX_SMALL_VOCABULARY) return [];
    const merged = this.#db
      .prepare(`SELECT word, passages FROM term WHERE ns = ? LIMIT ${String(MAX_SMALL_VOCABULARY + 1)}`)
      .all(ns);
    if (merged.length > MAX_SMALL_VOCABULARY) return [];
    return [...merged.map((row) => [String(row['word']), Number(row['passages'])] as const), ...byWord];
  }

  #refresh(ns: number): PendingChanges {
    const cached = this.#pending.get(ns);
    const newer = this.#changesAfter(ns, cached?.lastChange ?? 0);
    const epoch = Number(newer[0]?.['word_epoch']);
    const isCurrent = cached?.epoch === epoch;
    const rows = isCurrent || cached === undefined ? newer : this.#changesAfter(ns, 0);
    // The entry is removed during the refresh, so that an error cannot leave an incomplete one.
    this.#pending.delete(ns);
    const pending: PendingChanges = isCurrent
      ? cached
      : {
          epoch,
          lastChange: 0,
          byWord: new Map(),
          byStem: new Map(),
          list: new WordList(),
          languages: null,
          byPrefix: null,
        };
    for (const row of rows) {
      if (row['id'] === null) continue;
      const changes = parseChanges(String(row['changes']));
      pending.lastChange = Number(row['id']);
      pending.languages = null;
      pending.byPrefix = null;
      const words = changes.map(([word]) => word).filter((word) => !pending.byWord.has(word));
      pending.list.add(
        words,
        words.map(() => 0),
      );
      for (const [word, change] of changes) {
        countWord(pending.byWord, word, change);
        countWord(pending.byStem, stem(word), change);
      }
    }
    this.#pending.set(ns, pending);
    return pending;
  }

  /** The epoch of the vocabulary, and the changes that were written after another, oldest first; an empty row if there are none. */
  #changesAfter(ns: number, id: number): Record<string, SQLOutputValue>[] {
    const select = this.#db.prepare(
      `SELECT n.word_epoch, c.id, c.changes FROM namespace AS n LEFT JOIN word_change AS c ON c.ns = n.id AND c.id > ?
       WHERE n.id = ? ORDER BY c.id`,
    );
    return select.all(id, ns);
  }

  #near(ns: number, word: string, pending: PendingChanges): KnownWord[] {
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
      list.add(row['words'].split(' '), String(row['passages']).split(' ').map(Number));
    }
    return list;
  }

  #stemCounts(ns: number, stems: readonly string[], { byStem }: PendingChanges): Map<string, number> {
    // Without statistics, SQLite would scan the whole vocabulary.
    const rows = this.#db
      .prepare(
        `SELECT value AS stem, (SELECT total(passages) FROM term INDEXED BY term_stem WHERE ns = ? AND stem = value) AS n
         FROM json_each(?)`,
      )
      .all(ns, JSON.stringify(stems));
    return new Map(
      rows.map((row) => {
        const each = String(row['stem']);
        return [each, Number(row['n']) + (byStem.get(each) ?? 0)];
      }),
    );
  }

  #beginningWith(ns: number, candidates: readonly Candidates[], pending: PendingChanges): string[][] {
    pending.byPrefix ??= Map.groupBy(pending.byWord.keys(), prefixOf);
    // One value instead of rows, which would take ten times as long. No word has a space.
    const rows = this.#db
      .prepare(
        `SELECT (SELECT group_concat(word, ' ') FROM (
           SELECT word FROM term WHERE ns = :ns AND word >= wanted.value ->> 0 AND word < wanted.value ->> 1
             AND length(word) <= wanted.value ->> 2 AND in_time() LIMIT ${String(MAX_COMPARED)})) AS words
         FROM json_each(:wanted) AS wanted`,
      )
      .all({
        ns,
        wanted: JSON.stringify(
          candidates.map(({ prefix, maxLength }) => [prefix, `${prefix}\uffff`, maxLength]),
        ),
      });
    return candidates.map(({ prefix, maxLength }, i) => {
      const added = (pending.byPrefix!.get(prefixOf(prefix)) ?? []).filter(
        (word) => word.length <= maxLength && word.startsWith(prefix),
      );
      return [...wordsOf(rows[i]!['words']), ...added];
    });
  }

  #containing(ns: number, part: string, { byWord }: PendingChanges): string[] {
    const row = this.#db
      .prepare(
        `SELECT group_concat(word, ' ') AS words FROM (
           SELECT word FROM term WHERE ns = ? AND instr(word, ?) > ${String(MIN_PREFIX)} LIMIT ${String(MAX_COMPARED)})`,
      )
      .get(ns, part);
    return [
      ...wordsOf(row?.['words']),
      ...[...byWord.keys()].filter((word) => word.includes(part, MIN_PREFIX)),
    ];
  }
}

function wordsOf(joined: unknown): string[] {
  return typeof joined === 'string' ? joined.split(' ') : [];
}
