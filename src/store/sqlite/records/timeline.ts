import type { SQLInputValue } from 'node:sqlite';
import type { AsyncSlices } from '../../../core/threads/slices.ts';
import { recordTime } from '../../rules/record-time.ts';
import type { TimedRecord, TimelineRecords, TimelineRequest } from '../../timeline-model.ts';
import type { Database } from '../database/database.ts';
import { recordCondition } from './filter.ts';
import { HEADER_COLUMNS, headerOf, type Row } from './rows.ts';

const NOWHERE: TimelineRecords = { anchor: null, before: [], after: [] };
/** Ids begin at 1. */
const BEFORE_ALL_IDS = 0;

/** Times that one slice of a call looks at. */
const TIMES_OF_SLICE = 500;

export async function* timeline(
  db: Database,
  namespace: string,
  ns: number,
  { filter, around, before, after }: TimelineRequest,
): AsyncSlices<TimelineRecords> {
  const anchor = 'record' in around ? liveRecord(db, namespace, ns, around.record, filter.now) : null;
  if ('record' in around && anchor === null) return NOWHERE;
  const at = 'time' in around ? around.time : anchor!.at;
  const position: Position = [at, anchor?.record.id ?? BEFORE_ALL_IDS];
  const condition = recordCondition(filter);
  async function* side(sign: '<' | '>', order: 'ASC' | 'DESC', limit: number): AsyncSlices<TimedRecord[]> {
    // CROSS JOIN and INDEXED BY make SQLite read the times in order, and stop at the limit.
    const times = `record_time AS t INDEXED BY record_time_at`;
    const inOrder = `ORDER BY t.at ${order}, t.record ${order}`;
    const lastOfSlice = db.prepare(
      `SELECT t.at, t.record FROM ${times} WHERE t.ns = ? AND (t.at, t.record) ${sign} (?, ?) ${inOrder}
       LIMIT 1 OFFSET ${String(TIMES_OF_SLICE)}`,
    );
    const rows = db.prepare(
      `SELECT t.at, ${HEADER_COLUMNS} FROM ${times} CROSS JOIN record AS r ON r.ns = t.ns AND r.id = t.record
       WHERE t.ns = ? AND (t.at, t.record) ${sign} (?, ?) AND (t.at, t.record) ${sign === '<' ? '>=' : '<='} (?, ?) AND ${condition.sql}
       ${inOrder} LIMIT ?`,
    );
    const found: TimedRecord[] = [];
    for (let from: Position = position; found.length < limit;) {
      const last = lastOfSlice.get(ns, ...from);
      const to: Position = last === undefined ? END[sign] : [last['at'] as number, last['record'] as number];
      const parameters: SQLInputValue[] = [ns, ...from, ...to, ...condition.parameters, limit - found.length];
      for (const row of rows.all(...parameters)) found.push(timedRecord(namespace, row));
      if (last === undefined) break;
      from = to;
      yield;
    }
    return found;
  }
  return { anchor, before: yield* side('<', 'DESC', before), after: yield* side('>', 'ASC', after) };
}

/** Beyond all times. */
const END: Readonly<Record<'<' | '>', Position>> = {
  '<': [Number.MIN_SAFE_INTEGER, BEFORE_ALL_IDS],
  '>': [Number.MAX_SAFE_INTEGER, BEFORE_ALL_IDS],
};

type Position = readonly [at: number, record: number];

function liveRecord(
  db: Database,
  namespace: string,
  ns: number,
  id: number,
  now: number,
): TimedRecord | null {
  const { sql, parameters } = recordCondition({ now });
  const row = db
    .prepare(
      `SELECT t.at, ${HEADER_COLUMNS} FROM record_time AS t JOIN record AS r ON r.ns = t.ns AND r.id = t.record
       WHERE t.ns = ? AND t.record = ? AND ${sql}`,
    )
    .get(ns, id, ...parameters);
  return row === undefined ? null : timedRecord(namespace, row);
}

function timedRecord(namespace: string, row: Row): TimedRecord {
  return { at: row['at'] as number, record: headerOf(namespace, row) };
}

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
