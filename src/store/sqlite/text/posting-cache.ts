import { LRUCache } from 'lru-cache';
import { type FieldCounts, type IndexTotals, noCounts, Postings } from '../../lexical/bm25.ts';
import {
  type IndexedPassage,
  indexPassage,
  TEXT_FIELDS,
  type TextFields,
} from '../../lexical/text-fields.ts';
import { HEADER_COLUMNS, headerOf, passageColumns, passageOf, unlessDamaged } from '../../sql/rows.ts';
import type { Database } from '../database/database.ts';
import { SQLITE_DIALECT } from '../database/sqlite-sql.ts';

/** Bytes of the postings in memory, of all namespaces together. */
const MAX_BYTES = 24_000_000;
/** The size of a cached term in addition to its postings. */
const BASE_BYTES = 500;
/** Up to this many new passages are added to the cached postings. If there are more, the postings are read again. */
const MAX_NEW_PASSAGES = 1000;
/** Passages whose record ids are in memory. */
const MAX_RECORDS = 50_000;

/** The cached postings of a namespace. */
interface NamespaceTerms {
  readonly epoch: number;
  /** The last passage, of any namespace, that the postings include. */
  lastPassage: number;
  readonly postings: Map<string, Postings>;
}

interface CachedTerm {
  readonly term: string;
  readonly postings: Postings;
  readonly owner: NamespaceTerms;
}

/**
 * Caches the postings of terms, because FTS5 takes as long to rank a term's passages as to read all of its postings. Every
 * result is that of the snapshot that the connection reads, so it includes what other processes have written.
 */
export class PostingCache {
  readonly #db: Database;
  readonly #namespaces = new Map<number, NamespaceTerms>();
  readonly #terms = new LRUCache<string, CachedTerm>({
    maxSize: MAX_BYTES,
    // At most the whole cache, so that a huge term is cached alone.
    sizeCalculation: ({ postings }) => Math.min(MAX_BYTES, BASE_BYTES + postings.bytes),
    dispose: ({ term, owner }, _key, reason) => {
      if (reason !== 'set') owner.postings.delete(term);
    },
  });
  /** The record id of each passage, which never changes. */
  readonly #records = new LRUCache<number, number>({ max: MAX_RECORDS });
  readonly #searched = new Set<number>();

  constructor(db: Database) {
    this.#db = db;
  }

  /** Returns `false` for the first search of a namespace: FTS5 is faster for a single search. */
  isWorthwhile(ns: number): boolean {
    if (this.#searched.has(ns)) return true;
    this.#searched.add(ns);
    return false;
  }

  /**
   * The postings of each term of each group. Past the deadline of the connection, those of the first terms.
   * @param groups terms of letters and digits only, as stored in the index
   */
  postings(ns: number, groups: readonly (readonly string[])[]): Postings[][] {
    const owner = this.#refresh(ns);
    return groups.map((terms) => terms.flatMap((term) => this.#postingsOf(ns, owner, term) ?? []));
  }

  #postingsOf(ns: number, owner: NamespaceTerms, term: string): Postings | null {
    const key = keyOf(ns, term);
    const cached = this.#terms.get(key);
    if (cached?.owner === owner) return cached.postings;
    if (this.#db.deadline.isPast) return null;
    const postings = readPostings(this.#db, ns, term);
    owner.postings.set(term, postings);
    this.#terms.set(key, { term, postings, owner });
    return postings;
  }

  /** The record id of each passage. */
  recordsOf(passages: readonly number[]): number[] {
    const missing = passages.filter((id) => !this.#records.has(id));
    const read = new Map<number, number>();
    if (missing.length > 0) {
      const rows = this.#db.prepare(
        'SELECT id, record FROM passage WHERE id IN (SELECT value FROM json_each(?))',
      );
      for (const row of rows.all(JSON.stringify(missing))) {
        read.set(row['id'] as number, row['record'] as number);
        this.#records.set(row['id'] as number, row['record'] as number);
      }
    }
    return passages.map((id) => (this.#records.get(id) ?? read.get(id))!);
  }

  #refresh(ns: number): NamespaceTerms {
    const row = this.#db
      .prepare('SELECT epoch, (SELECT max(id) FROM passage) AS last FROM namespace_state WHERE ns = ?')
      .get(ns);
    const [epoch, lastPassage] = [Number(row?.['epoch']), Number(row?.['last'])];
    const cached = this.#namespaces.get(ns);
    // The entry is removed during the refresh, so that an error cannot leave an incomplete one.
    this.#namespaces.delete(ns);
    const isCurrent =
      cached?.epoch === epoch && (cached.lastPassage >= lastPassage || this.#appendNew(ns, cached));
    if (!isCurrent) this.#evict(ns, cached);
    const terms = isCurrent ? cached : { epoch, lastPassage, postings: new Map<string, Postings>() };
    terms.lastPassage = lastPassage;
    this.#namespaces.set(ns, terms);
    return terms;
  }

  #evict(ns: number, owner: NamespaceTerms | undefined): void {
    for (const term of [...(owner?.postings.keys() ?? [])]) this.#terms.delete(keyOf(ns, term));
  }

  /** Adds the passages that were written since the last refresh. Returns `false` if there are too many. */
  #appendNew(ns: number, owner: NamespaceTerms): boolean {
    const rows = this.#db
      .prepare(
        `SELECT p.id AS passage, p.record, ${passageColumns(SQLITE_DIALECT)}, ${HEADER_COLUMNS} FROM passage AS p NOT INDEXED
         CROSS JOIN record AS r ON r.ns = p.ns AND r.id = p.record
         WHERE p.id > ? AND p.ns = ?
         ORDER BY p.id LIMIT ?`,
      )
      .all(owner.lastPassage, ns, MAX_NEW_PASSAGES + 1);
    if (rows.length > MAX_NEW_PASSAGES) return false;
    const grownTerms = new Set<string>();
    for (const row of rows) {
      const indexed = unlessDamaged(() => indexPassage(headerOf('', row), passageOf(row)));
      if (indexed === null) continue;
      const length = TEXT_FIELDS.reduce((sum, field) => sum + indexed.terms[field].length, 0);
      for (const [term, counts] of countsOf(indexed)) {
        const postings = owner.postings.get(term);
        if (postings === undefined) continue;
        postings.append(row['passage'] as number, counts, length);
        grownTerms.add(term);
      }
    }
    // Setting an entry again updates its size, which may evict other terms of the namespace.
    for (const term of grownTerms) {
      const postings = owner.postings.get(term);
      if (postings !== undefined) this.#terms.set(keyOf(ns, term), { term, postings, owner });
    }
    return true;
  }
}

function keyOf(ns: number, term: string): string {
  return `${String(ns)} ${term}`;
}

function countsOf({ terms }: IndexedPassage): Map<string, FieldCounts> {
  const counts = new Map<string, FieldCounts>();
  for (const field of TEXT_FIELDS) {
    for (const term of terms[field]) {
      const ofTerm = counts.get(term) ?? noCounts();
      ofTerm[field]++;
      counts.set(term, ofTerm);
    }
  }
  return counts;
}

/**
 * Reads the postings of a term from FTS5. The term must consist of letters and digits only, as stored in the index. Each
 * list is read as one value, because reading rows would take ten times as long.
 */
function readPostings(db: Database, ns: number, term: string): Postings {
  const table = textTable(ns);
  const sizes = db
    .prepare(
      `SELECT count(*) AS n, group_concat(hex(s.sz), '') AS sizes FROM ${table} AS t
       CROSS JOIN ${table}_docsize AS s ON s.id = t.rowid WHERE ${table} MATCH ?`,
    )
    .get(`"${term}"`);
  const postings = new Postings(Number(sizes?.['n']));
  if (typeof sizes?.['sizes'] !== 'string') return postings;
  const occurrences = `temp.occurrence_${String(ns)}`;
  db.exec(`CREATE VIRTUAL TABLE IF NOT EXISTS ${occurrences} USING fts5vocab(main, ${table}, instance)`);
  const occurrencesOfTerm = db
    .prepare(
      `SELECT group_concat(doc) AS passages, group_concat(substr(col, 2, 1), '') AS fields
       FROM ${occurrences} WHERE term = ?`,
    )
    .get(term);
  // Both queries read the index in the order of passages.
  const lengths = lengthsOf(Buffer.from(sizes['sizes'], 'hex'));
  const passages = numbersOf(String(occurrencesOfTerm?.['passages']));
  const fields = String(occurrencesOfTerm?.['fields']);
  for (let i = 0, n = 0; i < passages.length; n++) {
    const counts = noCounts();
    const passage = passages[i]!;
    for (; passages[i] === passage; i++) counts[FIELD_BY_SECOND_LETTER[fields[i]!]!]++;
    postings.append(passage, counts, lengths[n]!);
  }
  return postings;
}

/** The second letter of a column's name identifies the field. */
const FIELD_BY_SECOND_LETTER: Readonly<Record<string, keyof TextFields>> = {
  i: 'title',
  e: 'headings',
  o: 'body',
  a: 'tags',
};

/** Parses a comma-separated list of whole numbers without creating a string for each of thousands. */
function numbersOf(list: string): number[] {
  const numbers: number[] = [];
  let number = 0;
  for (let i = 0; i < list.length; i++) {
    const digit = list.charCodeAt(i) - ZERO;
    if (digit >= 0) number = number * 10 + digit;
    else {
      numbers.push(number);
      number = 0;
    }
  }
  numbers.push(number);
  return numbers;
}

const ZERO = 0x30;

/** The length of each passage in terms. FTS5 stores a number for each field. */
function lengthsOf(sizes: Uint8Array): number[] {
  const fields = variableIntegers(sizes);
  const lengths: number[] = [];
  for (let i = 0; i < fields.length; i += TEXT_FIELDS.length)
    lengths.push(sum(fields.slice(i, i + TEXT_FIELDS.length)));
  return lengths;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => a + b, 0);
}

/** Reads row 1 of FTS5's data: the number of rows, then the number of terms in each column. */
export function readTotals(db: Database, ns: number): IndexTotals {
  const row = db.prepare(`SELECT block FROM ${textTable(ns)}_data WHERE id = 1`).get();
  const [passages = 0, ...terms] = variableIntegers((row?.['block'] ?? []) as Uint8Array);
  return { passages, terms: sum(terms.slice(0, TEXT_FIELDS.length)) };
}

/** Decodes integers of seven bits per byte, the highest bits first. The eighth bit is set if more bytes follow. */
function variableIntegers(bytes: Uint8Array): number[] {
  const integers: number[] = [];
  let integer = 0;
  for (const byte of bytes) {
    integer = integer * 128 + (byte & 0x7f);
    if (byte >= 0x80) continue;
    integers.push(integer);
    integer = 0;
  }
  return integers;
}

/**
 * Each namespace has its own full-text table. Its term statistics, and so its scores, do not depend on other namespaces,
 * and queries need no filter.
 */
export function textTable(ns: number): string {
  return `text_${String(ns)}`;
}

/**
 * The tokenizer `ascii` only splits at spaces, because the analyzer has already folded and stemmed the terms. With
 * `contentless_delete`, deleted rows would remain in the totals, and every update would change scores (SQLite 3.53).
 */
export const TEXT_INDEX_OPTIONS = `title, headings, body, tags, content = '', tokenize = 'ascii'`;

export function createTextTable(db: Database, ns: number): void {
  db.exec(`CREATE VIRTUAL TABLE ${textTable(ns)} USING fts5(${TEXT_INDEX_OPTIONS})`);
}

/**
 * Makes the deletions of `work` erase their terms. By default, deleted terms remain in the FTS5 index until it merges the
 * segments, which may never happen. Secure deletion takes several times as long, so updates do not use it.
 */
export function withSecureDelete(db: Database, ns: number, work: () => void): void {
  secureDelete(db, ns, 1);
  work();
  // FTS5 flushes its pending changes before it switches the mode.
  secureDelete(db, ns, 0);
}

function secureDelete(db: Database, ns: number, value: 0 | 1): void {
  const table = textTable(ns);
  db.prepare(`INSERT INTO ${table} (${table}, rank) VALUES ('secure-delete', ${String(value)})`).run();
}
