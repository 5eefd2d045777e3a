import { indexPassage, TEXT_FIELDS, type IndexedPassage } from '../../lexical/text-fields.ts';
import type { TextChange, TextEntry } from '../../sql/text-index.ts';
import type { Database } from '../database/database.ts';
import { createTextTable, textTable, withSecureDelete } from '../database/namespaces.ts';
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

/** The columns of the full-text index: terms separated by spaces. */
export function columnsOf({ terms }: IndexedPassage): string[] {
  return TEXT_FIELDS.map((field) => terms[field].join(' '));
}
