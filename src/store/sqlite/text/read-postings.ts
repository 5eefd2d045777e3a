import { TEXT_FIELDS, type TextFields } from '../../lexical/text-fields.ts';
import type { IndexTotals } from '../../lexical/bm25.ts';
import type { Database } from '../database/database.ts';
import { textTable } from '../database/namespaces.ts';
import { noCounts, Postings } from '../../lexical/postings.ts';

/**
 * Reads the postings of a term from FTS5. The term must consist of letters and digits only, as stored in the index. Each
 * list is read as one value, because reading rows would take ten times as long.
 */
export function readPostings(db: Database, ns: number, term: string): Postings {
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
