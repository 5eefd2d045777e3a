import { noteNames } from '../../rules/note-names.ts';
import type { Database } from '../database/database.ts';
import { headerOf, HEADER_COLUMNS, type Row } from '../../sql/rows.ts';

/** Updates the names of these records. Within a transaction, after the records were written. */
export function deriveNoteNames(db: Database, ns: number, records: ReadonlySet<number>): void {
  const select = db.prepare(`SELECT ${HEADER_COLUMNS} FROM record AS r WHERE r.ns = ? AND r.id = ?`);
  for (const id of records) replaceNames(db, ns, id, namesOfRow(select.get(ns, id)));
}

/** Derives all names of a namespace again. Within a transaction. */
export function rebuildNoteNames(db: Database, ns: number): void {
  db.prepare('DELETE FROM note_name WHERE ns = ?').run(ns);
  for (const [id, names] of notes(db, ns)) replaceNames(db, ns, id, names);
}

/** Compares the stored names with those of the records. Returns messages for at most `limit` differences. */
export function verifyNoteNames(db: Database, ns: number, limit: number): string[] {
  const expected = new Map(notes(db, ns));
  const stored = db.prepare('SELECT DISTINCT record FROM note_name WHERE ns = ?').all(ns);
  const ids = new Set([...expected.keys(), ...stored.map((row) => row['record'] as number)]);
  return [...ids]
    .filter((id) => !sameNames(storedNames(db, ns, id), expected.get(id) ?? []))
    .slice(0, limit)
    .map((id) => `the names of record ${String(id)} differ from those of its note`);
}

function* notes(db: Database, ns: number): Generator<[id: number, names: string[]]> {
  const scan = db.prepare(
    `SELECT ${HEADER_COLUMNS} FROM record AS r WHERE r.ns = ? AND r.origin = 'vault' AND r.deleted_at IS NULL`,
  );
  for (const row of scan.iterate(ns)) yield [row['id'] as number, namesOfRow(row)];
}

function namesOfRow(row: Row | undefined): string[] {
  if (row === undefined) return [];
  const record = headerOf('', row, 'is empty');
  return record.deletedAt === null ? noteNames(record) : [];
}

function storedNames(db: Database, ns: number, record: number): string[] {
  const rows = db.prepare('SELECT name FROM note_name WHERE ns = ? AND record = ?').all(ns, record);
  return rows.map((row) => row['name'] as string);
}

function sameNames(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && new Set([...a, ...b]).size === a.length;
}

/** Writes nothing if the names are the same. */
function replaceNames(db: Database, ns: number, record: number, names: readonly string[]): void {
  if (sameNames(storedNames(db, ns, record), names)) return;
  db.prepare('DELETE FROM note_name WHERE ns = ? AND record = ?').run(ns, record);
  const insert = db.prepare('INSERT INTO note_name (ns, record, name) VALUES (?, ?, ?)');
  for (const name of names) insert.run(ns, record, name);
}
