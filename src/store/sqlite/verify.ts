import { messageOf } from '../../core/errors.ts';
import { indexText } from '../../core/text/analyze.ts';
import type { StoreFinding } from '../store.ts';
import { textFields, vocabularyOf } from '../text-fields.ts';
import type { Database } from './database.ts';
import { allNamespaces, TEXT_INDEX_OPTIONS, textTable } from './namespaces.ts';
import { components } from './quantise.ts';
import { HEADER_COLUMNS, headerOf, passageOf } from './rows.ts';
import { CODE_BYTES, signCode } from './sign-codes.ts';
import { countWords, type WordCounts } from './vocabulary.ts';

/** At most this many differences are named one by one. */
const NAMED = 5;

/** Is the file sound, and does every index say what the canonical rows say? */
export function verify(db: Database): StoreFinding[] {
  const findings: StoreFinding[] = [];
  const report = (namespace: string | null, what: string): void => {
    findings.push({ namespace, what });
  };
  for (const row of db.prepare('PRAGMA integrity_check(20)').all()) {
    if (row['integrity_check'] !== 'ok') report(null, `file: ${String(row['integrity_check'])}`);
  }
  if (findings.length > 0) return findings;
  for (const row of db.prepare('PRAGMA foreign_key_check').all()) {
    report(null, `a row of ${String(row['table'])} refers to a missing ${String(row['parent'])}`);
  }
  for (const { ns, name } of allNamespaces(db)) {
    try {
      for (const what of [...verifyText(db, ns, name), ...verifyCodes(db, ns)]) report(name, what);
    } catch (error) {
      report(name, messageOf(error));
    }
  }
  return findings;
}

/** Builds the index afresh beside the real one and compares every term's count of passages and occurrences. */
function verifyText(db: Database, ns: number, namespace: string): string[] {
  const index = textTable(ns);
  db.exec(`INSERT INTO ${index} (${index}) VALUES ('integrity-check')`);
  db.exec(`
    CREATE VIRTUAL TABLE temp.fresh_index USING fts5(${TEXT_INDEX_OPTIONS});
    CREATE VIRTUAL TABLE temp.fresh_terms USING fts5vocab(temp, fresh_index, instance);
    CREATE VIRTUAL TABLE temp.held_terms USING fts5vocab(main, ${index}, instance);
  `);
  try {
    const counts = indexAfresh(db, ns, namespace);
    return [
      ...differences(db, 'held_terms', 'fresh_terms', 'is in the full-text index but not in the records'),
      ...differences(db, 'fresh_terms', 'held_terms', 'is missing from the full-text index'),
      ...verifyVocabulary(db, ns, counts),
    ];
  } finally {
    db.exec('DROP TABLE temp.held_terms; DROP TABLE temp.fresh_terms; DROP TABLE temp.fresh_index;');
  }
}

function indexAfresh(db: Database, ns: number, namespace: string): WordCounts {
  const counts: WordCounts = new Map();
  const insert = db.prepare(
    'INSERT INTO temp.fresh_index (rowid, title, headings, body, tags) VALUES (?, ?, ?, ?, ?)',
  );
  const rows = db.prepare(
    `SELECT p.id AS passage, p.ordinal, p.headings, p.text, p.start_line, p.end_line, p.hash, ${HEADER_COLUMNS}
     FROM passage AS p JOIN record AS r ON r.ns = p.ns AND r.id = p.record WHERE p.ns = ?`,
  );
  for (const row of rows.iterate(ns)) {
    const record = headerOf(namespace, row);
    // `headings` of the passage and of the header's columns do not meet: a record has none.
    const fields = textFields(record, passageOf(row));
    const indexed = [fields.title, fields.headings, fields.body, fields.tags].map(indexText);
    insert.run(Number(row['passage']), ...indexed);
    countWords(counts, vocabularyOf(fields), 1);
  }
  return counts;
}

function differences(db: Database, from: string, without: string, what: string): string[] {
  const rows = db
    .prepare(
      `SELECT term, doc FROM (SELECT term, doc, col, offset FROM temp.${from}
         EXCEPT SELECT term, doc, col, offset FROM temp.${without}) LIMIT ${String(NAMED)}`,
    )
    .all();
  return rows.map((row) => `"${String(row['term'])}" of passage ${String(row['doc'])} ${what}`);
}

function verifyVocabulary(db: Database, ns: number, counts: WordCounts): string[] {
  const findings: string[] = [];
  for (const row of db.prepare('SELECT word, passages FROM term WHERE ns = ?').iterate(ns)) {
    const word = String(row['word']);
    const real = counts.get(word) ?? 0;
    counts.delete(word);
    if (real === Number(row['passages'])) continue;
    findings.push(`the vocabulary counts "${word}" in ${String(row['passages'])} passages; it is in ${String(real)}`);
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
      if (real === null || !code.equals(real)) findings.push(`the code of vector ${String(id)} is not its own`);
      if (findings.length >= NAMED) return findings;
    }
  }
  return findings;
}
