import { indexPassage, TEXT_FIELDS, type IndexedPassage } from '../lexical/text-fields.ts';
import type { Database } from './database.ts';
import { epochOf } from './namespaces.ts';
import { noCounts, type FieldCounts, type Postings } from '../lexical/postings.ts';
import { readPostings } from './read-postings.ts';
import { HEADER_COLUMNS, headerOf, PASSAGE_COLUMNS, passageOf } from './rows.ts';

/** Passages of terms that stay in memory, 12 bytes each; the least recently used namespace goes first. */
const MAX_HELD = 2_000_000;
/** What a term counts for beside its passages. */
const TERM_COUNTED = 20;
/** New passages that are read behind what is known; where there are more, the terms are read again. */
const MOST_NEW = 1000;

/** What is known of a namespace's full-text index, as of its epoch. */
interface Held {
  readonly epoch: number;
  /** The last passage of any namespace that is accounted for. */
  last: number;
  /** The last in the map is the one used last. */
  readonly terms: Map<string, Postings>;
  /** Which record a passage is of. */
  readonly records: Map<number, number>;
  weight: number;
}

/**
 * What the full-text index says of terms, read once and kept: FTS5 takes as long to rank a term's passages as to read
 * them out. Every look is at the state that is read, whichever process wrote it.
 */
export class PostingCache {
  readonly #db: Database;
  readonly #namespaces = new Map<number, Held>();
  readonly #asked = new Set<number>();

  constructor(db: Database) {
    this.#db = db;
  }

  /** For one search alone, FTS5 is quicker: whether it is not the first of the namespace. */
  isWorthwhile(ns: number): boolean {
    if (this.#asked.has(ns)) return true;
    this.#asked.add(ns);
    return false;
  }

  /** Each must be a term of letters and digits as the index holds it. */
  postings(ns: number, terms: readonly string[]): Postings[] {
    const held = this.#caughtUp(ns);
    const postings = terms.map((term) => {
      const known = held.terms.get(term) ?? readPostings(this.#db, ns, term);
      if (!held.terms.delete(term)) held.weight += TERM_COUNTED + known.size;
      held.terms.set(term, known);
      return known;
    });
    this.#makeRoom(ns);
    return postings;
  }

  /** Which record each passage is of. */
  recordsOf(ns: number, passages: readonly number[]): number[] {
    const { records } = this.#caughtUp(ns);
    const unknown = passages.filter((id) => !records.has(id));
    if (unknown.length > 0) {
      const rows = this.#db.prepare(
        'SELECT id, record FROM passage WHERE id IN (SELECT value FROM json_each(?))',
      );
      for (const row of rows.all(JSON.stringify(unknown)))
        records.set(row['id'] as number, row['record'] as number);
    }
    return passages.map((id) => records.get(id)!);
  }

  #caughtUp(ns: number): Held {
    const epoch = epochOf(this.#db, ns);
    const last = Number(this.#db.prepare('SELECT max(id) AS id FROM passage').get()?.['id']);
    let held = this.#namespaces.get(ns);
    // What fails while it is taken in is read anew.
    this.#namespaces.delete(ns);
    if (held?.epoch !== epoch || (held.last < last && !this.#takeIn(ns, held)))
      held = { epoch, last, terms: new Map(), records: new Map(), weight: 0 };
    held.last = last;
    this.#namespaces.set(ns, held);
    return held;
  }

  /** Passages that came since; `false` when they are too many. */
  #takeIn(ns: number, held: Held): boolean {
    const rows = this.#db
      .prepare(
        `SELECT p.id AS passage, p.record, ${PASSAGE_COLUMNS}, ${HEADER_COLUMNS} FROM passage AS p NOT INDEXED
         CROSS JOIN record AS r ON r.ns = p.ns AND r.id = p.record
         WHERE p.id > ? AND p.ns = ? ORDER BY p.id LIMIT ?`,
      )
      .all(held.last, ns, MOST_NEW + 1);
    if (rows.length > MOST_NEW) return false;
    for (const row of rows) {
      const passage = row['passage'] as number;
      held.records.set(passage, row['record'] as number);
      const indexed = indexPassage(headerOf('', row), passageOf(row));
      const length = TEXT_FIELDS.reduce((sum, field) => sum + indexed.terms[field].length, 0);
      for (const [term, counts] of countsOf(indexed)) {
        const known = held.terms.get(term);
        known?.append(passage, counts, length);
        if (known !== undefined) held.weight++;
      }
    }
    return true;
  }

  /** The namespace just asked for stays, then its terms used last. */
  #makeRoom(kept: number): void {
    let weight = 0;
    for (const held of this.#namespaces.values()) weight += held.weight + held.records.size;
    for (const [oldest, held] of this.#namespaces) {
      if (weight <= MAX_HELD) return;
      if (oldest !== kept) {
        this.#namespaces.delete(oldest);
        weight -= held.weight + held.records.size;
        continue;
      }
      weight -= held.records.size;
      held.records.clear();
      for (const [term, { size }] of held.terms) {
        if (weight <= MAX_HELD) return;
        held.terms.delete(term);
        held.weight -= TERM_COUNTED + size;
        weight -= TERM_COUNTED + size;
      }
    }
  }
}

function countsOf({ terms }: IndexedPassage): Map<string, FieldCounts> {
  const counts = new Map<string, FieldCounts>();
  for (const field of TEXT_FIELDS) {
    for (const term of terms[field]) {
      const known = counts.get(term) ?? noCounts();
      known[field]++;
      counts.set(term, known);
    }
  }
  return counts;
}
