import type { SQLOutputValue } from 'node:sqlite';
import { LRUCache } from 'lru-cache';
import { stem } from '../../../core/text/analyze.ts';
import {
  MARKER_WORDS,
  MAX_SMALL_VOCABULARY,
  type StoredLanguage,
  storedLanguages,
} from '../../../core/text/language/language.ts';
import {
  type Candidates,
  type KnownWords,
  MAX_COMPARED,
  MIN_PREFIX,
  prefixOf,
} from '../../lexical/look-up.ts';
import { type KnownWord, WordList } from '../../lexical/spelling.ts';
import type { Database } from '../database/database.ts';
import { readTotals } from './posting-cache.ts';

/** Changes of the number of passages that have a word. */
export type WordCounts = Map<string, number>;

/**
 * The pending changes are merged into the vocabulary once they have this many words. A merge writes hundreds of pages, which
 * is as much as ten other writes; the first search of a namespace reads what is pending, which takes a few milliseconds.
 */
const MIN_MERGED_WORDS = 8000;

export function countWords(counts: WordCounts, words: Iterable<string>, by: number): void {
  for (const word of words) countWord(counts, word, by);
}

function countWord(counts: WordCounts, word: string, by: number): void {
  counts.set(word, (counts.get(word) ?? 0) + by);
}

/**
 * Writes the counts, within the transaction that changed the passages. The words of one passage are spread over the whole
 * vocabulary, so updating it would write 60 pages for a sentence. Few changes are therefore written as one pending row.
 */
export function addWordChanges(db: Database, ns: number, counts: WordCounts): void {
  if (counts.size === 0) return;
  const added = db.prepare(
    `INSERT INTO word_change (ns, words, changes) SELECT :ns, :words, :changes
     WHERE (SELECT total(words) FROM word_change WHERE ns = :ns) + :words < ${String(MIN_MERGED_WORDS)}`,
  );
  if (added.run({ ns, words: counts.size, changes: formatChanges(counts) }).changes > 0) return;
  for (const [word, change] of pendingWordCounts(db, ns)) countWord(counts, word, change);
  mergeWords(db, ns, counts);
}

/** The changes that are not merged into the vocabulary yet. */
export function pendingWordCounts(db: Database, ns: number): WordCounts {
  const counts: WordCounts = new Map();
  for (const row of db.prepare('SELECT changes FROM word_change WHERE ns = ? ORDER BY id').all(ns))
    for (const [word, change] of parseChanges(String(row['changes']))) countWord(counts, word, change);
  return counts;
}

/** A JSON object. One with dozens of keys that no other has takes V8 ten times as long to build, and also to parse. */
export function formatChanges(counts: WordCounts): string {
  return `{${[...counts].map(([word, change]) => `${JSON.stringify(word)}:${String(change)}`).join(',')}}`;
}

export function parseChanges(json: string): (readonly [word: string, change: number])[] {
  if (json === '{}') return [];
  // Words consist of letters and digits, which JSON does not escape.
  if (json.includes('\\')) return Object.entries(JSON.parse(json) as Record<string, number>);
  return json
    .slice('{"'.length, -'}'.length)
    .split(',"')
    .map((entry) => {
      const end = entry.indexOf('":');
      return [entry.slice(0, end), Number(entry.slice(end + '":'.length))];
    });
}

/** Merges all pending changes into the vocabulary. */
export function mergePendingWords(db: Database, ns: number): void {
  const pending = db.prepare('SELECT 1 FROM word_change WHERE ns = ? LIMIT 1').get(ns);
  if (pending === undefined) return;
  db.transaction(() => {
    mergeWords(db, ns, pendingWordCounts(db, ns));
  });
}

/** Merges counts into the vocabulary in its order, so that each page is written once. They must include the pending changes. */
export function mergeWords(db: Database, ns: number, counts: WordCounts): void {
  const words = [...counts.keys()].sort();
  const update = db.prepare('UPDATE term SET passages = passages + ? WHERE ns = ? AND word = ?');
  const add = db.prepare('INSERT INTO term (ns, word, stem, passages) VALUES (?, ?, ?, ?)');
  const remove = db.prepare('DELETE FROM term WHERE ns = ? AND word = ? AND passages <= 0');
  for (const word of words) {
    const change = counts.get(word) ?? 0;
    if (change === 0) continue;
    const exists = Number(update.run(change, ns, word).changes) > 0;
    if (!exists) add.run(ns, word, stem(word), change);
    else if (change < 0) remove.run(ns, word);
  }
  db.prepare('DELETE FROM word_change WHERE ns = ?').run(ns);
  db.prepare('UPDATE namespace_state SET word_epoch = word_epoch + 1 WHERE ns = ?').run(ns);
}

/** The number of distinct words in the namespace's passages. */
export function countTerms(db: Database, ns: number): number {
  let terms = Number(db.prepare('SELECT count(*) AS n FROM term WHERE ns = ?').get(ns)?.['n']);
  const merged = db.prepare('SELECT passages FROM term WHERE ns = ? AND word = ?');
  for (const [word, change] of pendingWordCounts(db, ns)) {
    const passages = Number(merged.get(ns, word)?.['passages'] ?? 0);
    if (passages === 0 && change > 0) terms++;
    if (passages > 0 && passages + change <= 0) terms--;
  }
  return terms;
}

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
      `SELECT n.word_epoch, c.id, c.changes FROM namespace_state AS n LEFT JOIN word_change AS c ON c.ns = n.ns AND c.id > ?
       WHERE n.ns = ? ORDER BY c.id`,
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
