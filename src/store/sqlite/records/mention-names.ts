import { mentionNames } from '../../rules/mention-names.ts';
import type { Database } from '../database/database.ts';
import { headerOf, HEADER_COLUMNS, type Row } from '../../sql/rows.ts';

/** Updates the names by which texts may mention these records. Within a transaction, after the records were written. */
export function deriveMentionNames(db: Database, ns: number, records: Iterable<number>): void {
  const select = db.prepare(`SELECT ${HEADER_COLUMNS} FROM record AS r WHERE r.ns = ? AND r.id = ?`);
  for (const id of records) replaceNames(db, ns, id, namesOfRow(select.get(ns, id)));
}

/** Derives all names of a namespace again. Within a transaction. */
export function rebuildMentionNames(db: Database, ns: number): void {
  db.prepare('DELETE FROM mention_name WHERE ns = ?').run(ns);
  const insert = inserter(db);
  for (const [id, names] of namedRecords(db, ns)) for (const name of names) insert(ns, name, id);
}

/** Compares the stored names with those of the records. Returns messages for at most `limit` differences. */
export function verifyMentionNames(db: Database, ns: number, limit: number): string[] {
  const expected = new Map(namedRecords(db, ns));
  const stored = db.prepare('SELECT DISTINCT record FROM mention_name WHERE ns = ?').all(ns);
  const ids = new Set([...expected.keys(), ...stored.map((row) => row['record'] as number)]);
  return [...ids]
    .filter((id) => !sameNames(storedNames(db, ns, id), expected.get(id) ?? []))
    .slice(0, limit)
    .map((id) => `the names by which texts mention record ${String(id)} differ from its own`);
}

function* namedRecords(db: Database, ns: number): Generator<[id: number, names: string[]]> {
  const scan = db.prepare(
    `SELECT ${HEADER_COLUMNS} FROM record AS r
     WHERE r.ns = ? AND r.origin IN ('vault', 'memory') AND r.deleted_at IS NULL`,
  );
  for (const row of scan.iterate(ns)) {
    const names = namesOfRow(row);
    if (names.length > 0) yield [row['id'] as number, names];
  }
}

function namesOfRow(row: Row | undefined): string[] {
  if (row === undefined) return [];
  const record = headerOf('', row, 'is empty');
  return record.deletedAt === null ? mentionNames(record) : [];
}

function storedNames(db: Database, ns: number, record: number): string[] {
  const rows = db
    .prepare('SELECT name FROM mention_name INDEXED BY mention_name_record WHERE ns = ? AND record = ?')
    .all(ns, record);
  return rows.map((row) => row['name'] as string);
}

function sameNames(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && new Set([...a, ...b]).size === a.length;
}

/** Writes nothing if the names are the same. */
function replaceNames(db: Database, ns: number, record: number, names: readonly string[]): void {
  const before = storedNames(db, ns, record);
  if (sameNames(before, names)) return;
  const remove = db.prepare('DELETE FROM mention_name WHERE ns = ? AND name = ? AND record = ?');
  for (const name of before) remove.run(ns, name, record);
  const insert = inserter(db);
  for (const name of names) insert(ns, name, record);
}

function inserter(db: Database): (ns: number, name: string, record: number) => void {
  const insert = db.prepare('INSERT INTO mention_name (ns, name, record) VALUES (?, ?, ?)');
  return (ns, name, record) => void insert.run(ns, name, record);
}
