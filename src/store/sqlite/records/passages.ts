import type { Passage } from '../../../core/types.ts';
import {
  indexPassage,
  TEXT_FIELDS,
  type IndexedFields,
  type IndexedPassage,
} from '../../lexical/text-fields.ts';
import type { Database } from '../database/database.ts';
import { bumpEpoch, createTextTable, dropTextTable, textTable } from '../database/namespaces.ts';
import { HEADER_COLUMNS, headerOf, passageColumns, passageOf } from '../../sql/rows.ts';
import { SQLITE_DIALECT } from '../database/sqlite-sql.ts';
import { countWords, mergeWords, type WordCounts } from '../text/vocabulary.ts';

/** Adds a record's passages to every text index. Within a transaction; the caller writes the word counts. */
export function insertPassages(
  db: Database,
  ns: number,
  record: number,
  indexedFields: IndexedFields,
  passages: readonly Passage[],
  counts: WordCounts,
): void {
  const insert = db.prepare(
    `INSERT INTO passage (ns, record, ordinal, headings, text, start_line, end_line, hash, context)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const index = textIndex(db, ns, indexedFields, counts);
  for (const passage of passages) {
    const { lastInsertRowid } = insert.run(
      ns,
      record,
      passage.ordinal,
      JSON.stringify(passage.headings),
      passage.text,
      passage.startLine,
      passage.endLine,
      Buffer.from(passage.hash, 'hex'),
      passage.context,
    );
    index.add(Number(lastInsertRowid), passage);
  }
}

/** Removes a record's passages from every text index. @param indexedFields the record's fields as they were indexed */
export function removePassages(
  db: Database,
  ns: number,
  record: number,
  indexedFields: IndexedFields,
  counts: WordCounts,
): void {
  const index = textIndex(db, ns, indexedFields, counts);
  const passages = storedPassages(db, ns, record);
  if (passages.length > 0) bumpEpoch(db, ns);
  for (const { id, passage } of passages) index.remove(id, passage);
  db.prepare('DELETE FROM passage WHERE ns = ? AND record = ?').run(ns, record);
}

/** Indexes the same passages with another title, tags or metadata. */
export function reindexPassages(
  db: Database,
  ns: number,
  record: number,
  before: IndexedFields,
  after: IndexedFields,
  counts: WordCounts,
): void {
  bumpEpoch(db, ns);
  const [old, current] = [textIndex(db, ns, before, counts), textIndex(db, ns, after, counts)];
  for (const { id, passage } of storedPassages(db, ns, record)) {
    old.remove(id, passage);
    current.add(id, passage);
  }
}

/** Derives the full-text index of a namespace, whose vocabulary is empty, again. Within a transaction. */
export function rebuildText(db: Database, ns: number): void {
  dropTextTable(db, ns);
  createTextTable(db, ns);
  const counts: WordCounts = new Map();
  const records = db.prepare(
    `SELECT ${HEADER_COLUMNS} FROM record AS r WHERE r.ns = ? AND EXISTS (SELECT 1 FROM passage AS p WHERE p.ns = r.ns AND p.record = r.id)`,
  );
  for (const row of records.iterate(ns)) {
    const record = headerOf('', row, 'is empty');
    const index = textIndex(db, ns, record, counts);
    for (const { id, passage } of storedPassages(db, ns, record.id)) index.add(id, passage);
  }
  mergeWords(db, ns, counts);
}

export function storedPassages(db: Database, ns: number, record: number): { id: number; passage: Passage }[] {
  return db
    .prepare(
      `SELECT p.id, p.record, ${passageColumns(SQLITE_DIALECT)} FROM passage AS p WHERE p.ns = ? AND p.record = ? ORDER BY p.id`,
    )
    .all(ns, record)
    .map((row) => ({ id: Number(row['id']), passage: passageOf(row, 'is empty') }));
}

interface TextIndex {
  add(id: number, passage: Passage): void;
  /** A contentless index stores no text, so removing a passage requires the terms that were added. */
  remove(id: number, passage: Passage): void;
}

function textIndex(db: Database, ns: number, indexedFields: IndexedFields, counts: WordCounts): TextIndex {
  const table = textTable(ns);
  const fields = TEXT_FIELDS.join(', ');
  const add = db.prepare(`INSERT INTO ${table} (rowid, ${fields}) VALUES (?, ?, ?, ?, ?)`);
  const remove = db.prepare(
    `INSERT INTO ${table} (${table}, rowid, ${fields}) VALUES ('delete', ?, ?, ?, ?, ?)`,
  );
  return {
    add: (id, passage) => {
      const entry = indexPassage(indexedFields, passage);
      add.run(id, ...columnsOf(entry));
      countWords(counts, entry.words, 1);
    },
    remove: (id, passage) => {
      const entry = indexPassage(indexedFields, passage);
      remove.run(id, ...columnsOf(entry));
      countWords(counts, entry.words, -1);
    },
  };
}

/** The columns of the full-text index: terms separated by spaces. */
export function columnsOf({ terms }: IndexedPassage): string[] {
  return TEXT_FIELDS.map((field) => terms[field].join(' '));
}
