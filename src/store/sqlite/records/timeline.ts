import { HEADER_COLUMNS, headerOf } from '../../sql/rows.ts';
import { recordTime } from '../../rules/record-time.ts';
import type { Database } from '../database/database.ts';

/** Updates the times of these records. Within a transaction, after the records were written. */
export function deriveRecordTimes(db: Database, ns: number, records: Iterable<number>): void {
  const select = db.prepare(
    `SELECT ${HEADER_COLUMNS} FROM record AS r WHERE r.ns = ? AND r.id = ? AND r.deleted_at IS NULL`,
  );
  const remove = db.prepare('DELETE FROM record_time WHERE ns = ? AND record = ?');
  const put = db.prepare(PUT);
  for (const id of records) {
    const row = select.get(ns, id);
    if (row === undefined) remove.run(ns, id);
    else put.run(ns, id, recordTime(headerOf('', row, 'is empty')));
  }
}

const PUT =
  'INSERT INTO record_time (ns, record, at) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET at = excluded.at';

/** Derives the times of a namespace again. Within a transaction. */
export function rebuildRecordTimes(db: Database, ns: number): void {
  db.prepare('DELETE FROM record_time WHERE ns = ?').run(ns);
  const put = db.prepare(PUT);
  for (const [id, at] of times(db, ns)) put.run(ns, id, at);
}

/** Compares the stored times with those of the records. Returns messages for at most `limit` differences. */
export function verifyRecordTimes(db: Database, ns: number, limit: number): string[] {
  const stored = new Map(
    db
      .prepare('SELECT record, at FROM record_time WHERE ns = ?')
      .all(ns)
      .map((row) => [row['record'] as number, row['at'] as number]),
  );
  const wrong: number[] = [];
  for (const [id, at] of times(db, ns)) {
    if (stored.get(id) !== at) wrong.push(id);
    stored.delete(id);
  }
  return [...wrong, ...stored.keys()]
    .slice(0, limit)
    .map((id) => `the time of record ${String(id)} in the timeline differs from that of the record`);
}

function* times(db: Database, ns: number): Generator<[id: number, at: number]> {
  const scan = db.prepare(
    `SELECT ${HEADER_COLUMNS} FROM record AS r WHERE r.ns = ? AND r.deleted_at IS NULL`,
  );
  for (const row of scan.iterate(ns)) yield [row['id'] as number, recordTime(headerOf('', row, 'is empty'))];
}
