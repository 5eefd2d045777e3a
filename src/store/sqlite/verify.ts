import { messageOf } from '../../core/errors.ts';
import type { StoreFinding } from '../store.ts';
import { indexPassage } from '../lexical/text-fields.ts';
import type { Database } from './database.ts';
import { allNamespaces, TEXT_INDEX_OPTIONS, textTable } from './namespaces.ts';
import { columnsOf } from './passages.ts';
import { components } from './quantise.ts';
import { HEADER_COLUMNS, PASSAGE_COLUMNS, headerOf, passageOf } from './rows.ts';
import { CODE_BYTES, signCode } from './sign-codes.ts';
import { countWords, unsettledWords, type WordCounts } from './vocabulary.ts';

/** At most this many differences are named one by one. */
const NAMED = 5;

/** Is the file sound, and does every index say what the canonical rows say? Of one state, whoever writes meanwhile. */
export function verify(db: Database): StoreFinding[] {
  return db.snapshot(() => {
    const namespaces = allNamespaces(db);
    const inEach = (look: (ns: number, name: string) => string[]): StoreFinding[] =>
      namespaces.flatMap(({ ns, name }) => findingsOf(name, () => look(ns, name)));
    const unsound = [...inEach((ns) => refreshIndexes(db, ns)), ...verifyFile(db)];
    return unsound.length > 0 ? unsound : inEach((ns, name) => verifyNamespace(db, ns, name));
  });
}

/** What cannot even be looked at is a finding too. */
function findingsOf(namespace: string, look: () => string[]): StoreFinding[] {
  try {
    return look().map((what) => ({ namespace, what }));
  } catch (error) {
    return [{ namespace, what: messageOf(error) }];
  }
}

/**
 * A search makes FTS5 look whether its idea of an index is still right. Without one, SQLite's integrity check goes by
 * an old idea after another process has written, and takes what was merged away for corruption (SQLite 3.53).
 */
function refreshIndexes(db: Database, ns: number): string[] {
  const index = textTable(ns);
  db.prepare(`SELECT rowid FROM ${index} WHERE ${index} MATCH '"xxx"' LIMIT 1`).get();
  return [];
}

/** Pages and rows, and the inside of the full-text indexes. */
function verifyFile(db: Database): StoreFinding[] {
  const broken = db
    .prepare('PRAGMA integrity_check(20)')
    .all()
    .map((row) => String(row['integrity_check']))
    .filter((what) => what !== 'ok');
  const orphans = db
    .prepare('PRAGMA foreign_key_check')
    .all()
    .map((row) => `a row of ${String(row['table'])} refers to a missing ${String(row['parent'])}`);
  return [...broken.map((what) => `file: ${what}`), ...orphans].map((what) => ({ namespace: null, what }));
}

function verifyNamespace(db: Database, ns: number, namespace: string): string[] {
  const counts: WordCounts = new Map();
  const text = verifyIndex(db, textTable(ns), () => {
    indexAfresh(db, ns, namespace, counts);
  });
  return [...text, ...verifyVocabulary(db, ns, counts), ...verifyCodes(db, ns)];
}

/** Builds the index afresh beside the real one and compares every occurrence, and the totals that BM25 reckons with. */
function verifyIndex(db: Database, index: string, fill: () => void): string[] {
  db.exec(`
    CREATE VIRTUAL TABLE temp.fresh_index USING fts5(${TEXT_INDEX_OPTIONS});
    CREATE VIRTUAL TABLE temp.fresh_terms USING fts5vocab(temp, fresh_index, instance);
    CREATE VIRTUAL TABLE temp.held_terms USING fts5vocab(main, ${index}, instance);
  `);
  try {
    fill();
    // First: to look at the fresh terms also writes down the fresh totals.
    const missing = differences(db, 'fresh_terms', 'held_terms', 'is missing from the full-text index');
    const excess = differences(
      db,
      'held_terms',
      'fresh_terms',
      'is in the full-text index but not in the records',
    );
    const same = totalsOf(db, 'temp.fresh_index') === totalsOf(db, `main.${index}`);
    const totals = same ? [] : ['the totals of the full-text index are not those of the records'];
    return [...missing, ...excess, ...totals];
  } finally {
    db.exec('DROP TABLE temp.held_terms; DROP TABLE temp.fresh_terms; DROP TABLE temp.fresh_index;');
  }
}

/** How many rows and words an index counts (row 1 of FTS5's data); an index that was emptied has zeros at the end. */
function totalsOf(db: Database, index: string): string {
  const row = db.prepare(`SELECT rtrim(hex(block), '0') AS totals FROM ${index}_data WHERE id = 1`).get();
  return String(row?.['totals'] ?? '');
}

/** Fills the fresh text index from the records, and counts the words that the vocabulary should count. */
function indexAfresh(db: Database, ns: number, namespace: string, counts: WordCounts): void {
  const insert = db.prepare(
    'INSERT INTO temp.fresh_index (rowid, title, headings, body, tags) VALUES (?, ?, ?, ?, ?)',
  );
  const rows = db.prepare(
    `SELECT p.id AS passage, ${PASSAGE_COLUMNS}, ${HEADER_COLUMNS}
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
         EXCEPT SELECT term, doc, col, offset FROM temp.${without}) LIMIT ${String(NAMED)}`,
    )
    .all();
  return rows.map((row) => `"${String(row['term'])}" of entry ${String(row['doc'])} ${what}`);
}

function verifyVocabulary(db: Database, ns: number, counts: WordCounts): string[] {
  const findings: string[] = [];
  const held = unsettledWords(db, ns);
  for (const row of db.prepare('SELECT word, passages FROM term WHERE ns = ?').iterate(ns)) {
    countWords(held, [String(row['word'])], Number(row['passages']));
  }
  for (const [word, passages] of held) {
    const real = counts.get(word) ?? 0;
    counts.delete(word);
    if (real === passages) continue;
    findings.push(
      `the vocabulary counts "${word}" in ${String(passages)} passages; it is in ${String(real)}`,
    );
  }
  for (const word of counts.keys()) findings.push(`"${word}" is missing from the vocabulary`);
  return findings.slice(0, NAMED);
}

function verifyCodes(db: Database, ns: number): string[] {
  const chunks = db.prepare('SELECT generation, vectors, codes FROM code_chunk WHERE ns = ?');
  const vector = db.prepare('SELECT quantised FROM vector WHERE id = ? AND ns = ? AND generation = ?');
  const findings: string[] = [];
  for (const row of chunks.iterate(ns)) {
    const ids = new Uint32Array((row['vectors'] as Uint8Array).slice().buffer);
    const codes = Buffer.from(row['codes'] as Uint8Array);
    for (const [slot, id] of ids.entries()) {
      const held = vector.get(id, ns, Number(row['generation']));
      const real = held === undefined ? null : signCode(components(held['quantised'] as Uint8Array));
      const code = codes.subarray(slot * CODE_BYTES, (slot + 1) * CODE_BYTES);
      if (real === null || !code.equals(real))
        findings.push(`the code of vector ${String(id)} is not its own`);
      if (findings.length >= NAMED) return findings;
    }
  }
  return findings;
}
