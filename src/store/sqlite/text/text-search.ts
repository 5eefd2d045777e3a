import type { SQLOutputValue } from 'node:sqlite';
import type { StoredLanguage } from '../../../core/text/language/language.ts';
import type { Deadline } from '../../../core/time/deadline.ts';
import { bestByBm25, unionOf } from '../../lexical/bm25.ts';
import { lookUp, MAX_COUNTED, type SeparateLookUp } from '../../lexical/look-up.ts';
import { type IndexedPassage, indexPassage, TEXT_FIELDS } from '../../lexical/text-fields.ts';
import type { FieldWeights, PassageScore, TextQuery, TextTerm, Vocabulary } from '../../search-model.ts';
import type { NewTextEntry, StateCounts, TextChange, TextEntry, TextIndex } from '../../sql/driver.ts';
import type { PassageFilter } from '../../sql/filter.ts';
import { HEADER_COLUMNS, headerOf, passageColumns, passageOf } from '../../sql/rows.ts';
import type { Database } from '../database/database.ts';
import { named, SQLITE_DIALECT } from '../database/sqlite-sql.ts';
import {
  createTextTable,
  PostingCache,
  readTotals,
  TEXT_INDEX_OPTIONS,
  textTable,
  withSecureDelete,
} from './posting-cache.ts';
import {
  addWordChanges,
  countTerms,
  countWords,
  mergePendingWords,
  mergeWords,
  pendingWordCounts,
  VocabularyCache,
  type WordCounts,
} from './vocabulary.ts';

/** A full-text table of FTS5 for each namespace, with caches of postings and of the vocabulary. */
export class SqliteTextIndex implements TextIndex {
  readonly #db: Database;
  readonly #postings: PostingCache;
  readonly #vocabulary: VocabularyCache;

  constructor(db: Database) {
    this.#db = db;
    this.#postings = new PostingCache(db);
    this.#vocabulary = new VocabularyCache(db);
  }

  async create(ns: number): Promise<void> {
    createTextTable(this.#db, ns);
  }

  /** Removed entries need the terms that were added, because a contentless index stores no text. */
  async change(
    ns: number,
    { created = [], added, removed, erased, isPurge }: TextChange,
  ): Promise<StateCounts> {
    const db = this.#db;
    const counts: WordCounts = new Map();
    if (erased.length > 0)
      withSecureDelete(db, ns, () => {
        writeEntries(db, ns, erased, -1, counts);
      });
    writeEntries(db, ns, removed, -1, counts);
    writeEntries(db, ns, [...added, ...withIds(db, ns, created)], 1, counts);
    if (!isPurge) {
      addWordChanges(db, ns, counts);
      return {};
    }
    for (const [word, change] of pendingWordCounts(db, ns)) countWords(counts, [word], change);
    mergeWords(db, ns, counts);
    // Deleted terms stay in the segments of FTS5 until it merges them. This merges all: half a second for 100,000 passages.
    const table = textTable(ns);
    db.prepare(`INSERT INTO ${table} (${table}) VALUES ('optimize')`).run();
    return {};
  }

  async countWords(ns: number): Promise<number> {
    return countTerms(this.#db, ns);
  }

  async merge(ns: number): Promise<void> {
    mergePendingWords(this.#db, ns);
  }

  async reset(ns: number): Promise<void> {
    const db = this.#db;
    db.exec(`DROP TABLE IF EXISTS ${textTable(ns)}`);
    createTextTable(db, ns);
    db.prepare('DELETE FROM term WHERE ns = ?').run(ns);
    db.prepare('DELETE FROM word_change WHERE ns = ?').run(ns);
    db.prepare('UPDATE namespace_state SET word_epoch = word_epoch + 1 WHERE ns = ?').run(ns);
  }

  async drop(ns: number): Promise<void> {
    this.#db.exec(`DROP TABLE IF EXISTS ${textTable(ns)}`);
  }

  async verify(ns: number, limit: number): Promise<string[]> {
    await this.refresh(ns);
    const counts: WordCounts = new Map();
    return [...verifyIndex(this.#db, ns, limit, counts), ...verifyVocabulary(this.#db, ns, limit, counts)];
  }

  /**
   * A search makes FTS5 check whether its cached structure of an index is current. Without one, SQLite's integrity check
   * uses the old structure after another process has written, and reports merged segments as corruption (SQLite 3.53).
   */
  async refresh(ns: number): Promise<void> {
    const index = textTable(ns);
    this.#db.prepare(`SELECT rowid FROM ${index} WHERE ${index} MATCH '"xxx"' LIMIT 1`).get();
  }

  async search(
    ns: number,
    query: TextQuery,
    filter: PassageFilter,
    limit: number,
    deadline: Deadline,
  ): Promise<PassageScore[]> {
    return this.#db.withDeadline(deadline, async () =>
      searchText(this.#db, this.#postings, ns, query, filter, limit),
    );
  }

  async terms(
    ns: number,
    words: readonly string[],
    languages: readonly StoredLanguage[],
    deadline: Deadline,
    separate?: SeparateLookUp,
  ): Promise<Vocabulary> {
    return this.#db.withDeadline(deadline, () =>
      lookUp(this.#vocabulary.of(ns), words, languages, deadline, separate),
    );
  }

  async countPhrases(
    ns: number,
    phrases: readonly (readonly string[])[],
    filter: PassageFilter,
    deadline: Deadline,
  ): Promise<number[]> {
    const counts: number[] = [];
    for (const terms of phrases) {
      const query = { any: [{ terms, prefix: false }], all: [], weights: EQUAL_WEIGHTS };
      counts.push((await this.search(ns, query, filter, MAX_COUNTED, deadline)).length);
    }
    return counts;
  }
}

/** Only whether passages have a phrase counts. */
const EQUAL_WEIGHTS: FieldWeights = { title: 1, headings: 1, body: 1, tags: 1 };

/**
 * Ranks in memory if possible. FTS5 ranks phrases, prefixes and what a filter hides most of, with the same scores. Past
 * the deadline of the connection, the result has the best of the passages that were ranked until then.
 */
function searchText(
  db: Database,
  cache: PostingCache,
  ns: number,
  query: TextQuery,
  filter: PassageFilter,
  limit: number,
): PassageScore[] {
  const match = matchExpression(query);
  if (match === '') return [];
  const isPlain = hasOnlyPlainTerms(query);
  // FTS5 cannot count several terms as one.
  const isGrouped = isPlain && query.any.some(({ variants = [] }) => variants.length > 0);
  const isInMemory = isPlain && (cache.isWorthwhile(ns) || isGrouped);
  const rank = (count: number): PassageScore[] =>
    isInMemory ? rankInMemory(db, cache, ns, query, count) : rankUnfiltered(db, ns, match, query, count);
  // FTS5 takes much longer than memory: it would rank for nothing where the filter may hide most.
  const best =
    filter.isSelective && !isInMemory ? null : bestAdmitted(db, ns, rank, filter, limit, isGrouped);
  return best ?? rankFiltered(db, ns, match, query, filter, limit);
}

/** The limit is multiplied by this factor if the filter may exclude some of the ranked passages, or most of them. */
const OVERFETCH = 2;
const SELECTIVE_OVERFETCH = 4;

/**
 * Ranks without the filter and applies it afterwards. Returns `null` if fewer passages than the limit remain.
 * @param isComplete whether all matches are ranked, so that none is missing
 */
function bestAdmitted(
  db: Database,
  ns: number,
  rank: (count: number) => PassageScore[],
  filter: PassageFilter,
  limit: number,
  isComplete: boolean,
): PassageScore[] | null {
  if (filter.admitsAll) return rank(limit);
  const count = limit * (filter.isSelective ? SELECTIVE_OVERFETCH : OVERFETCH);
  const best = rank(isComplete ? readTotals(db, ns).passages : count);
  const { sql, parameters } = filter.record;
  const rows = db
    .prepare(
      `SELECT r.id FROM json_each(:records) AS ranked CROSS JOIN record AS r ON r.ns = :ns AND r.id = ranked.value
       WHERE ${sql}`,
    )
    .all(named({ records: [...new Set(best.map(({ record }) => record))], ns, ...parameters }));
  const admitted = new Set(rows.map(({ id }) => id));
  const remaining = best.filter(({ record }) => admitted.has(record));
  const isEnough = isComplete || remaining.length >= limit || best.length < count || db.deadline.isPast;
  return isEnough ? remaining.slice(0, limit) : null;
}

/** Terms that FTS5's tokenizer does not split. */
const PLAIN_TERM = /^[a-z0-9\u0080-\uffff]+$/;

function hasOnlyPlainTerms({ any, all }: TextQuery): boolean {
  const isPlain = ({ terms, variants = [], prefix }: TextTerm): boolean =>
    terms.length === 1 && !prefix && [...terms, ...variants].every((term) => PLAIN_TERM.test(term));
  return all.length === 0 && any.every(isPlain);
}

function rankInMemory(
  db: Database,
  cache: PostingCache,
  ns: number,
  { any, weights }: TextQuery,
  limit: number,
): PassageScore[] {
  const groups = any.map(({ terms: [term], variants = [] }) => [term!, ...variants]);
  const terms = cache.postings(ns, groups).flatMap((lists) => (lists.length === 0 ? [] : [unionOf(lists)]));
  const best = bestByBm25(terms, readTotals(db, ns), weights, limit, db.deadline);
  const records = cache.recordsOf(best.map(({ passage }) => passage));
  return best.map(({ passage, score }, i) => ({ passage, record: records[i]!, score }));
}

/** Ranks all passages of the namespace with FTS5. */
function rankUnfiltered(
  db: Database,
  ns: number,
  match: string,
  { weights }: TextQuery,
  limit: number,
): PassageScore[] {
  const table = textTable(ns);
  const rows = db
    .prepare(
      `SELECT t.id, p.record, t.score FROM (
         SELECT rowid AS id, bm25(${table}, ${WEIGHTS}) AS score FROM ${table} WHERE ${table} MATCH :match AND in_time()
         ORDER BY score, rowid LIMIT :limit
       ) AS t CROSS JOIN passage AS p ON p.id = t.id
       ORDER BY t.score, t.id`,
    )
    .all({ ...weightParameters(weights), match, limit });
  return rows.map(scoreOf);
}

function rankFiltered(
  db: Database,
  ns: number,
  match: string,
  { weights }: TextQuery,
  { passage: { join, sql, parameters } }: PassageFilter,
  limit: number,
): PassageScore[] {
  const table = textTable(ns);
  const rows = db
    .prepare(
      `SELECT p.id, p.record, bm25(${table}, ${WEIGHTS}) AS score FROM ${table}
       CROSS JOIN passage AS p ON p.id = ${table}.rowid ${join}
       WHERE ${table} MATCH :match AND in_time() AND p.ns = :ns AND ${sql} ORDER BY score, p.id LIMIT :limit`,
    )
    .all(named({ ns, ...weightParameters(weights), match, ...parameters, limit }));
  return rows.map(scoreOf);
}

/** The weights of the columns, in their order. */
const WEIGHTS = ':titleWeight, :headingsWeight, :bodyWeight, :tagsWeight';

function weightParameters({ title, headings, body, tags }: TextQuery['weights']): Record<string, number> {
  return { titleWeight: title, headingsWeight: headings, bodyWeight: body, tagsWeight: tags };
}

/** FTS5's bm25() is negative: lower is better. */
function scoreOf(row: Record<string, SQLOutputValue>): PassageScore {
  return { passage: Number(row['id']), record: Number(row['record']), score: -Number(row['score']) };
}

/** Every term is quoted, so that none is read as query syntax. */
function matchExpression(query: TextQuery): string {
  const any = query.any.map(termExpression).join(' OR ');
  const all = query.all.map(termExpression).join(' AND ');
  if (all === '') return any;
  return any === '' ? all : `(${all}) AND (${any} OR ${query.all.map(termExpression).join(' OR ')})`;
}

/** A NUL character would end the expression, so a space replaces it. */
function termExpression(term: TextTerm): string {
  if (term.variants !== undefined && term.variants.length > 0)
    return `(${[term.terms[0]!, ...term.variants].map((t) => termExpression({ terms: [t], prefix: false })).join(' OR ')})`;
  const phrase = term.terms.map((word) => word.replaceAll('"', '""').replaceAll('\0', ' ')).join(' ');
  return `"${phrase}"${term.prefix ? ' *' : ''}`;
}

/** Builds a second index from the records, and compares every occurrence of a term and the totals that BM25 uses. */
function verifyIndex(db: Database, ns: number, limit: number, counts: WordCounts): string[] {
  const index = textTable(ns);
  db.exec(`
    CREATE VIRTUAL TABLE temp.fresh_index USING fts5(${TEXT_INDEX_OPTIONS});
    CREATE VIRTUAL TABLE temp.fresh_terms USING fts5vocab(temp, fresh_index, instance);
    CREATE VIRTUAL TABLE temp.stored_terms USING fts5vocab(main, ${index}, instance);
  `);
  try {
    buildFreshIndex(db, ns, counts);
    // The terms are compared before the totals, because reading them makes FTS5 write the totals of the fresh index.
    const missing = differences(
      db,
      limit,
      'fresh_terms',
      'stored_terms',
      'is missing from the full-text index',
    );
    const excess = differences(
      db,
      limit,
      'stored_terms',
      'fresh_terms',
      'is in the full-text index but not in the records',
    );
    const same = totalsOf(db, 'temp.fresh_index') === totalsOf(db, `main.${index}`);
    const totals = same ? [] : ['the totals of the full-text index differ from those of the records'];
    return [...missing, ...excess, ...totals];
  } finally {
    db.exec('DROP TABLE temp.stored_terms; DROP TABLE temp.fresh_terms; DROP TABLE temp.fresh_index;');
  }
}

/** The totals of an index (row 1 of FTS5's data). An index that was emptied has trailing zeros. */
function totalsOf(db: Database, index: string): string {
  const row = db.prepare(`SELECT rtrim(hex(block), '0') AS totals FROM ${index}_data WHERE id = 1`).get();
  return String(row?.['totals'] ?? '');
}

/** Fills the fresh index from the records, and counts the words that the vocabulary should have. */
function buildFreshIndex(db: Database, ns: number, counts: WordCounts): void {
  const insert = db.prepare(
    'INSERT INTO temp.fresh_index (rowid, title, headings, body, tags) VALUES (?, ?, ?, ?, ?)',
  );
  const rows = db.prepare(
    `SELECT p.id AS passage, ${passageColumns(SQLITE_DIALECT)}, ${HEADER_COLUMNS}
     FROM passage AS p JOIN record AS r ON r.ns = p.ns AND r.id = p.record WHERE p.ns = ?`,
  );
  for (const row of rows.iterate(ns)) {
    const entry = indexPassage(headerOf('', row), passageOf(row));
    insert.run(Number(row['passage']), ...columnsOf(entry));
    countWords(counts, entry.words, 1);
  }
}

function differences(db: Database, limit: number, from: string, without: string, what: string): string[] {
  const rows = db
    .prepare(
      `SELECT term, doc FROM (SELECT term, doc, col, offset FROM temp.${from}
         EXCEPT SELECT term, doc, col, offset FROM temp.${without}) LIMIT ?`,
    )
    .all(limit);
  return rows.map((row) => `"${String(row['term'])}" of passage ${String(row['doc'])} ${what}`);
}

function verifyVocabulary(db: Database, ns: number, limit: number, counts: WordCounts): string[] {
  const findings: string[] = [];
  const stored = pendingWordCounts(db, ns);
  for (const row of db.prepare('SELECT word, passages FROM term WHERE ns = ?').iterate(ns)) {
    countWords(stored, [String(row['word'])], Number(row['passages']));
  }
  for (const [word, passages] of stored) {
    const real = counts.get(word) ?? 0;
    counts.delete(word);
    if (real === passages) continue;
    findings.push(
      `the vocabulary counts "${word}" in ${String(passages)} passages; it is in ${String(real)}`,
    );
  }
  for (const word of counts.keys()) findings.push(`"${word}" is missing from the vocabulary`);
  return findings.slice(0, limit);
}

function writeEntries(
  db: Database,
  ns: number,
  entries: readonly TextEntry[],
  by: 1 | -1,
  counts: WordCounts,
): void {
  if (entries.length === 0) return;
  const table = textTable(ns);
  const fields = TEXT_FIELDS.join(', ');
  const statement =
    by === 1
      ? `INSERT INTO ${table} (rowid, ${fields}) VALUES (?, ?, ?, ?, ?)`
      : `INSERT INTO ${table} (${table}, rowid, ${fields}) VALUES ('delete', ?, ?, ?, ?, ?)`;
  const rows = entries.map(({ passage, fields: ofRecord, text }) => {
    const entry = indexPassage(ofRecord, text);
    countWords(counts, entry.words, by);
    return [passage, ...columnsOf(entry)];
  });
  db.runForEach(statement, rows);
}

/** The columns of the full-text index: terms separated by spaces. */
function columnsOf({ terms }: IndexedPassage): string[] {
  return TEXT_FIELDS.map((field) => terms[field].join(' '));
}

function withIds(db: Database, ns: number, created: readonly NewTextEntry[]): TextEntry[] {
  if (created.length === 0) return [];
  const rows = db
    .prepare(
      `SELECT p.id FROM json_each(?) AS w CROSS JOIN passage AS p
         ON p.ns = ? AND p.record = w.value ->> 0 AND p.ordinal = w.value ->> 1 ORDER BY w.key`,
    )
    .all(JSON.stringify(created.map(({ record, text }) => [record, text.ordinal])), ns);
  return created.map(({ fields, text }, i) => ({ passage: rows[i]!['id'] as number, fields, text }));
}
