import type { Passage } from '../../../core/types.ts';
import { indexPassage, TEXT_FIELDS, type IndexedPassage } from '../../lexical/text-fields.ts';
import type { TextChange, TextEntry } from '../../sql/text-index.ts';
import type { Database } from '../database/database.ts';
import { createTextTable, textTable, withSecureDelete } from '../database/namespaces.ts';
import { SQLITE_DIALECT } from '../database/sqlite-sql.ts';
import { HEADER_COLUMNS, headerOf, passageColumns, passageOf } from '../../sql/rows.ts';
import { addWordChanges, countWords, mergeWords, pendingWordCounts, type WordCounts } from './vocabulary.ts';

/** Removed entries need the terms that were added, because a contentless index stores no text. */
export function changeText(db: Database, ns: number, { added, removed, erased, isPurge }: TextChange): void {
  const counts: WordCounts = new Map();
  if (erased.length > 0)
    withSecureDelete(db, ns, () => {
      writeEntries(db, ns, erased, -1, counts);
    });
  writeEntries(db, ns, removed, -1, counts);
  writeEntries(db, ns, added, 1, counts);
  if (!isPurge) {
    addWordChanges(db, ns, counts);
    return;
  }
  for (const [word, change] of pendingWordCounts(db, ns)) countWords(counts, [word], change);
  mergeWords(db, ns, counts);
  // Deleted terms stay in the segments of FTS5 until it merges them. This merges all: half a second for 100,000 passages.
  const table = textTable(ns);
  db.prepare(`INSERT INTO ${table} (${table}) VALUES ('optimize')`).run();
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

/** Removes all that is indexed of a namespace, however damaged it is. Within a transaction. */
export function resetText(db: Database, ns: number): void {
  db.exec(`DROP TABLE IF EXISTS ${textTable(ns)}`);
  createTextTable(db, ns);
  db.prepare('DELETE FROM term WHERE ns = ?').run(ns);
  db.prepare('DELETE FROM word_change WHERE ns = ?').run(ns);
  db.prepare('UPDATE namespace SET word_epoch = word_epoch + 1 WHERE id = ?').run(ns);
}

/** Derives the full-text index of a namespace again. Within a transaction. */
function rebuildText(db: Database, ns: number): void {
  resetText(db, ns);
  const counts: WordCounts = new Map();
  const records = db.prepare(
    `SELECT ${HEADER_COLUMNS} FROM record AS r WHERE r.ns = ? AND EXISTS (SELECT 1 FROM passage AS p WHERE p.ns = r.ns AND p.record = r.id)`,
  );
  for (const row of records.iterate(ns)) {
    const fields = headerOf('', row, 'is empty');
    const passages = storedPassages(db, ns, fields.id);
    const entries = passages.map(({ id, passage }) => ({ passage: id, fields, text: passage }));
    writeEntries(db, ns, entries, 1, counts);
  }
  mergeWords(db, ns, counts);
}

function storedPassages(db: Database, ns: number, record: number): { id: number; passage: Passage }[] {
  return db
    .prepare(
      `SELECT p.id, p.record, ${passageColumns(SQLITE_DIALECT)} FROM passage AS p WHERE p.ns = ? AND p.record = ? ORDER BY p.id`,
    )
    .all(ns, record)
    .map((row) => ({ id: Number(row['id']), passage: passageOf(row, 'is empty') }));
}

/** The columns of the full-text index: terms separated by spaces. */
export function columnsOf({ terms }: IndexedPassage): string[] {
  return TEXT_FIELDS.map((field) => terms[field].join(' '));
}
