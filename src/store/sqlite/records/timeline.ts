import type { SQLInputValue } from 'node:sqlite';
import type { AsyncSlices } from '../../../core/threads/slices.ts';
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
    // INDEXED BY makes SQLite read the times in order, and stop at the limit.
    const times = `record AS r INDEXED BY record_timeline`;
    const inOrder = `ORDER BY r.timeline_at ${order}, r.id ${order}`;
    const lastOfSlice = db.prepare(
      `SELECT r.timeline_at AS at, r.id FROM ${times} WHERE r.ns = ? AND r.deleted_at IS NULL
         AND (r.timeline_at, r.id) ${sign} (?, ?) ${inOrder} LIMIT 1 OFFSET ${String(TIMES_OF_SLICE)}`,
    );
    const rows = db.prepare(
      `SELECT r.timeline_at AS at, ${HEADER_COLUMNS} FROM ${times}
       WHERE r.ns = ? AND (r.timeline_at, r.id) ${sign} (?, ?)
         AND (r.timeline_at, r.id) ${sign === '<' ? '>=' : '<='} (?, ?) AND ${condition.sql}
       ${inOrder} LIMIT ?`,
    );
    const found: TimedRecord[] = [];
    for (let from: Position = position; found.length < limit;) {
      const last = lastOfSlice.get(ns, ...from);
      const to: Position = last === undefined ? END[sign] : [last['at'] as number, last['id'] as number];
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
      `SELECT r.timeline_at AS at, ${HEADER_COLUMNS} FROM record AS r WHERE r.ns = ? AND r.id = ? AND ${sql}`,
    )
    .get(ns, id, ...parameters);
  return row === undefined ? null : timedRecord(namespace, row);
}

function timedRecord(namespace: string, row: Row): TimedRecord {
  return { at: row['at'] as number, record: headerOf(namespace, row) };
}
