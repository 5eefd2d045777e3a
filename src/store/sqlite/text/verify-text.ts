import { indexPassage } from '../../lexical/text-fields.ts';
import { HEADER_COLUMNS, headerOf, passageColumns, passageOf } from '../../sql/rows.ts';
import type { Database } from '../database/database.ts';
import { TEXT_INDEX_OPTIONS, textTable } from '../database/namespaces.ts';
import { SQLITE_DIALECT } from '../database/sqlite-sql.ts';
import { countWords, pendingWordCounts, type WordCounts } from './vocabulary.ts';
import { columnsOf } from './write-text.ts';

/** Compares the index and the vocabulary of a namespace with its passages. */
export function verifyText(db: Database, ns: number, limit: number): string[] {
  refreshIndex(db, ns);
  const counts: WordCounts = new Map();
  return [...verifyIndex(db, ns, limit, counts), ...verifyVocabulary(db, ns, limit, counts)];
}

/**
 * A search makes FTS5 check whether its cached structure of an index is current. Without one, SQLite's integrity check
 * uses the old structure after another process has written, and reports merged segments as corruption (SQLite 3.53).
 */
export function refreshIndex(db: Database, ns: number): void {
  const index = textTable(ns);
  db.prepare(`SELECT rowid FROM ${index} WHERE ${index} MATCH '"xxx"' LIMIT 1`).get();
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
