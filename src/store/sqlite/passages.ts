import type { Passage } from '../../core/types.ts';
import { indexText } from '../../core/text/analyze.ts';
import { textFields, vocabularyOf } from '../text-fields.ts';
import type { RecordDraft } from '../store.ts';
import type { Database } from './database.ts';
import { textTable } from './namespaces.ts';
import { passageOf } from './rows.ts';
import { countWords, type WordCounts } from './vocabulary.ts';

type Described = Pick<RecordDraft, 'title' | 'tags' | 'metadata'>;

/** Adds a record's passages to every text index. Within a transaction; `counts` is settled by the caller. */
export function insertPassages(
  db: Database,
  ns: number,
  record: number,
  described: Described,
  passages: readonly Passage[],
  counts: WordCounts,
): void {
  const insert = db.prepare(
    `INSERT INTO passage (ns, record, ordinal, headings, text, start_line, end_line, hash)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const index = db.prepare(
    `INSERT INTO ${textTable(ns)} (rowid, title, headings, body, tags) VALUES (?, ?, ?, ?, ?)`,
  );
  const title = indexText(textFields(described, { ordinal: 0, headings: [], text: '' }).title);
  const tags = indexText(described.tags.join('\n'));
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
    );
    const fields = textFields(described, passage);
    index.run(lastInsertRowid, title, indexText(fields.headings), indexText(fields.body), tags);
    countWords(counts, vocabularyOf(fields), 1);
  }
}

/** Takes a record's passages out of every text index. `described` is the record as it was indexed. */
export function removePassages(
  db: Database,
  ns: number,
  record: number,
  described: Described,
  counts: WordCounts,
): void {
  const rows = db
    .prepare(
      `SELECT id, ordinal, headings, text, start_line, end_line, hash FROM passage WHERE ns = ? AND record = ?`,
    )
    .all(ns, record);
  const unindex = db.prepare(`DELETE FROM ${textTable(ns)} WHERE rowid = ?`);
  for (const row of rows) {
    unindex.run(Number(row['id']));
    countWords(counts, vocabularyOf(textFields(described, passageOf(row))), -1);
  }
  db.prepare('DELETE FROM passage WHERE ns = ? AND record = ?').run(ns, record);
}
