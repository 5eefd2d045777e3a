import { TEXT_FIELDS } from '../text-fields.ts';
import type { IndexTotals } from './bm25.ts';
import type { Database } from './database.ts';
import { textTable } from './namespaces.ts';
import { noCounts, Postings } from './postings.ts';

/**
 * All that the full-text index holds of a term, which must be letters and digits as the index holds them. Lists come in
 * one value each: rows of their own would take ten times as long.
 */
export function readPostings(db: Database, ns: number, term: string): Postings {
  const table = textTable(ns);
  const sizes = db
    .prepare(
      `SELECT count(*) AS n, group_concat(hex(s.sz)) AS sizes FROM ${table} AS t
       CROSS JOIN ${table}_docsize AS s ON s.id = t.rowid WHERE ${table} MATCH ?`,
    )
    .get(`"${term}"`);
  const postings = new Postings(Number(sizes?.['n']));
  if (typeof sizes?.['sizes'] !== 'string') return postings;
  const occurrences = `temp.occurrence_${String(ns)}`;
  db.exec(`CREATE VIRTUAL TABLE IF NOT EXISTS ${occurrences} USING fts5vocab(main, ${table}, instance)`);
  const places = db
    .prepare(
      `SELECT group_concat(doc) AS passages, group_concat(col) AS fields FROM ${occurrences} WHERE term = ?`,
    )
    .get(term);
  // Both go through the index in the order of its passages.
  const lengths = sizes['sizes'].split(',').map(lengthOf);
  const passages = String(places?.['passages']).split(',');
  const fields = String(places?.['fields']).split(',');
  for (let i = 0, n = 0; i < passages.length; n++) {
    const counts = noCounts();
    const passage = passages[i]!;
    for (; passages[i] === passage; i++) counts[fields[i] as keyof typeof counts]++;
    postings.append(Number(passage), counts, lengths[n]!);
  }
  return postings;
}

/** Of how many terms a passage is, from what FTS5 writes down of each of its fields. */
function lengthOf(sizes: string): number {
  return variableIntegers(Buffer.from(sizes, 'hex')).reduce((a, b) => a + b, 0);
}

/** Row 1 of FTS5's data: how many rows there are, then the terms of each column. */
export function readTotals(db: Database, ns: number): IndexTotals {
  const row = db.prepare(`SELECT block FROM ${textTable(ns)}_data WHERE id = 1`).get();
  const [passages = 0, ...terms] = variableIntegers((row?.['block'] ?? []) as Uint8Array);
  return { passages, terms: terms.slice(0, TEXT_FIELDS.length).reduce((a, b) => a + b, 0) };
}

/** Seven bits a byte, the highest first; the eighth says that more follow. */
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
