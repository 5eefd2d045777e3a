import type { SQLOutputValue } from 'node:sqlite';
import type { Deadline } from '../../../core/time/deadline.ts';
import type { StoredLanguage } from '../../../core/text/language/language.ts';
import type { PassageScore, TextQuery, TextTerm, Vocabulary } from '../../search-model.ts';
import { bestByBm25 } from '../../lexical/bm25.ts';
import { lookUp } from '../../lexical/look-up.ts';
import { unionOf } from '../../lexical/postings.ts';
import type { PassageFilter } from '../../sql/filter.ts';
import type { TextChange, TextIndex } from '../../sql/text-index.ts';
import type { Database } from '../database/database.ts';
import { createTextTable, textTable } from '../database/namespaces.ts';
import { named } from '../database/sqlite-sql.ts';
import { PostingCache } from './posting-cache.ts';
import { readTotals } from './read-postings.ts';
import { refreshIndex, verifyText } from './verify-text.ts';
import { VocabularyCache } from './vocabulary-cache.ts';
import { countTerms, mergePendingWords } from './vocabulary.ts';
import { changeText, resetText } from './write-text.ts';

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

  async change(ns: number, change: TextChange): Promise<void> {
    changeText(this.#db, ns, change);
  }

  async countWords(ns: number): Promise<number> {
    return countTerms(this.#db, ns);
  }

  async merge(ns: number): Promise<void> {
    mergePendingWords(this.#db, ns);
  }

  async reset(ns: number): Promise<void> {
    resetText(this.#db, ns);
  }

  async verify(ns: number, limit: number): Promise<string[]> {
    return verifyText(this.#db, ns, limit);
  }

  async refresh(ns: number): Promise<void> {
    refreshIndex(this.#db, ns);
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
  ): Promise<Vocabulary> {
    return this.#db.withDeadline(deadline, () => lookUp(this.#vocabulary.of(ns), words, languages, deadline));
  }
}

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
