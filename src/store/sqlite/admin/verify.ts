import { messageOf } from '../../../core/errors.ts';
import type { StoredItem } from '../../item-model.ts';
import { itemName } from '../../items/kinds.ts';
import { indexPassage } from '../../lexical/text-fields.ts';
import { verifyChanges } from '../../sql/write/changes.ts';
import { verifyDerived } from '../../sql/derived/rebuild.ts';
import type { Database, SqliteDriver } from '../database/database.ts';
import { allNamespaces, TEXT_INDEX_OPTIONS, textTable } from '../database/namespaces.ts';
import { SQLITE_DIALECT } from '../database/sqlite-sql.ts';
import { columnsOf } from '../text/write-text.ts';
import { components } from '../vectors/quantise.ts';
import { HEADER_COLUMNS, headerOf, passageColumns, passageOf } from '../../sql/rows.ts';
import { CODE_BYTES, signCode } from '../vectors/sign-codes.ts';
import { countWords, pendingWordCounts, type WordCounts } from '../text/vocabulary.ts';

/** The maximum number of reported differences of one kind. */
const MAX_FINDINGS = 5;

/** Checks the pages and rows of the file, and the structure of the full-text indexes. */
export function verifyFile(db: Database): string[] {
  return db.snapshot(() => {
    for (const { ns } of allNamespaces(db)) {
      // The integrity check and `verifyNamespace` report an index that cannot be read.
      attempt(() => refreshIndex(db, ns));
    }
    return integrityFindings(db);
  });
}

/** Compares every index of a namespace with the records. An error becomes a finding. */
export async function verifyNamespace(
  { sql, db }: SqliteDriver,
  ns: number,
  namespace: string,
): Promise<string[]> {
  try {
    const damaged = verifyJson(db, ns);
    // The comparison reads all records.
    if (damaged.length > 0) return damaged;
    refreshIndex(db, ns);
    const counts: WordCounts = new Map();
    return [
      ...verifyIndex(db, textTable(ns), () => {
        buildFreshIndex(db, ns, namespace, counts);
      }),
      ...verifyVocabulary(db, ns, counts),
      ...verifyCodes(db, ns),
      ...(await verifyDerived(sql, ns, MAX_FINDINGS)),
      ...(await verifyChanges(sql, ns, MAX_FINDINGS)),
    ];
  } catch (error) {
    return [messageOf(error)];
  }
}

/** Where JSON is stored that reads parse: a column, its table, and how a finding names a row of it. */
const JSON_COLUMNS = [
  ['tags', 'record', "'the list of tags of record/' || id", SQLITE_DIALECT.isTextList],
  ['metadata', 'record', "'the metadata of record/' || id", SQLITE_DIALECT.isObject],
  [
    'headings',
    'passage',
    "'the list of headings of a passage of record/' || record",
    SQLITE_DIALECT.isTextList,
  ],
  ['tags', 'graph_node', "'the list of tags of node ' || id", SQLITE_DIALECT.isTextList],
] as const;

function verifyJson(db: Database, ns: number): string[] {
  const records = JSON_COLUMNS.flatMap(([column, table, name, isIntact]) =>
    db
      .prepare(
        `SELECT DISTINCT ${name} AS name FROM ${table} WHERE ns = ? AND NOT ${isIntact(column)} LIMIT ${String(MAX_FINDINGS)}`,
      )
      .all(ns)
      .map((row) => String(row['name'])),
  );
  // Receipts have a check of their own.
  const items = db
    .prepare(
      `SELECT kind, key, position FROM item WHERE ns = ? AND kind <> 'receipt' AND NOT json_valid(body)
       ORDER BY kind, position LIMIT ${String(MAX_FINDINGS)}`,
    )
    .all(ns)
    .map((row) => itemName(row as unknown as StoredItem));
  return [...records, ...items].map((name) => `${name} cannot be read`);
}

function attempt(work: () => string[]): string[] {
  try {
    return work();
  } catch (error) {
    return [messageOf(error)];
  }
}

/**
 * A search makes FTS5 check whether its cached structure of an index is current. Without one, SQLite's integrity check
 * uses the old structure after another process has written, and reports merged segments as corruption (SQLite 3.53).
 */
function refreshIndex(db: Database, ns: number): string[] {
  const index = textTable(ns);
  db.prepare(`SELECT rowid FROM ${index} WHERE ${index} MATCH '"xxx"' LIMIT 1`).get();
  return [];
}

function integrityFindings(db: Database): string[] {
  const broken = db
    .prepare('PRAGMA integrity_check(20)')
    .all()
    .map((row) => String(row['integrity_check']))
    .filter((what) => what !== 'ok');
  const orphans = db
    .prepare('PRAGMA foreign_key_check')
    .all()
    .map((row) => `a row of ${String(row['table'])} refers to a missing ${String(row['parent'])}`);
  return [...broken.map((what) => `file: ${what}`), ...orphans];
}

/** Builds a second index from the records, and compares every occurrence of a term and the totals that BM25 uses. */
function verifyIndex(db: Database, index: string, fill: () => void): string[] {
  db.exec(`
    CREATE VIRTUAL TABLE temp.fresh_index USING fts5(${TEXT_INDEX_OPTIONS});
    CREATE VIRTUAL TABLE temp.fresh_terms USING fts5vocab(temp, fresh_index, instance);
    CREATE VIRTUAL TABLE temp.stored_terms USING fts5vocab(main, ${index}, instance);
  `);
  try {
    fill();
    // The terms are compared before the totals, because reading them makes FTS5 write the totals of the fresh index.
    const missing = differences(db, 'fresh_terms', 'stored_terms', 'is missing from the full-text index');
    const excess = differences(
      db,
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
function buildFreshIndex(db: Database, ns: number, namespace: string, counts: WordCounts): void {
  const insert = db.prepare(
    'INSERT INTO temp.fresh_index (rowid, title, headings, body, tags) VALUES (?, ?, ?, ?, ?)',
  );
  const rows = db.prepare(
    `SELECT p.id AS passage, ${passageColumns(SQLITE_DIALECT)}, ${HEADER_COLUMNS}
     FROM passage AS p JOIN record AS r ON r.ns = p.ns AND r.id = p.record WHERE p.ns = ?`,
  );
  for (const row of rows.iterate(ns)) {
    const entry = indexPassage(headerOf(namespace, row), passageOf(row));
    insert.run(Number(row['passage']), ...columnsOf(entry));
    countWords(counts, entry.words, 1);
  }
}

function differences(db: Database, from: string, without: string, what: string): string[] {
  const rows = db
    .prepare(
      `SELECT term, doc FROM (SELECT term, doc, col, offset FROM temp.${from}
         EXCEPT SELECT term, doc, col, offset FROM temp.${without}) LIMIT ${String(MAX_FINDINGS)}`,
    )
    .all();
  return rows.map((row) => `"${String(row['term'])}" of passage ${String(row['doc'])} ${what}`);
}

function verifyVocabulary(db: Database, ns: number, counts: WordCounts): string[] {
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
  return findings.slice(0, MAX_FINDINGS);
}

function verifyCodes(db: Database, ns: number): string[] {
  const chunks = db.prepare('SELECT generation, vectors, codes FROM code_chunk WHERE ns = ?');
  const vector = db.prepare('SELECT quantised FROM vector WHERE id = ? AND ns = ? AND generation = ?');
  const findings: string[] = [];
  for (const row of chunks.iterate(ns)) {
    const ids = new Uint32Array((row['vectors'] as Uint8Array).slice().buffer);
    const codes = Buffer.from(row['codes'] as Uint8Array);
    for (const [slot, id] of ids.entries()) {
      const found = vector.get(id, ns, Number(row['generation']));
      const real = found === undefined ? null : signCode(components(found['quantised'] as Uint8Array));
      const code = codes.subarray(slot * CODE_BYTES, (slot + 1) * CODE_BYTES);
      if (real === null || !code.equals(real))
        findings.push(`the code of vector ${String(id)} does not match the vector`);
      if (findings.length >= MAX_FINDINGS) return findings;
    }
  }
  return findings;
}
