import type { AsyncSlices } from '../../../core/threads/slices.ts';
import type { TimedRecord, TimelineRecords, TimelineRequest } from '../../model.ts';
import { recordCondition } from '../filter.ts';
import { HEADER_COLUMNS, headerOf } from '../rows.ts';
import type { Row, Sql } from '../sql.ts';

const NOWHERE: TimelineRecords = { anchor: null, before: [], after: [] };
/** Ids begin at 1. */
const BEFORE_ALL_IDS = 0;

/** Times that one slice of a call looks at. */
const TIMES_OF_SLICE = 500;

export async function* timeline(
  sql: Sql,
  namespace: string,
  ns: number,
  { filter, around, before, after }: TimelineRequest,
): AsyncSlices<TimelineRecords> {
  const anchor = 'record' in around ? await liveRecord(sql, namespace, ns, around.record, filter.now) : null;
  if ('record' in around && anchor === null) return NOWHERE;
  const at = 'time' in around ? around.time : anchor!.at;
  const position: Position = [at, anchor?.record.id ?? BEFORE_ALL_IDS];
  const condition = recordCondition(sql.dialect, filter);
  const { index } = sql.dialect;
  async function* side(sign: '<' | '>', order: 'ASC' | 'DESC', limit: number): AsyncSlices<TimedRecord[]> {
    // The hint makes SQLite read the times in order, and stop at the limit.
    const times = `record AS r ${index('record_timeline')}`;
    const inOrder = `ORDER BY r.timeline_at ${order}, r.id ${order}`;
    const found: TimedRecord[] = [];
    for (let [fromAt, fromId] = position; found.length < limit;) {
      const from = { ns, fromAt, fromId };
      const last = await sql.get(
        `SELECT r.timeline_at AS at, r.id FROM ${times} WHERE r.ns = :ns AND r.deleted_at IS NULL
           AND (r.timeline_at, r.id) ${sign} (:fromAt, :fromId) ${inOrder} LIMIT 1 OFFSET ${String(TIMES_OF_SLICE)}`,
        from,
      );
      const [toAt, toId]: Position =
        last === undefined ? END[sign] : [last['at'] as number, last['id'] as number];
      const rows = await sql.all(
        `SELECT r.timeline_at AS at, ${HEADER_COLUMNS} FROM ${times}
         WHERE r.ns = :ns AND (r.timeline_at, r.id) ${sign} (:fromAt, :fromId)
           AND (r.timeline_at, r.id) ${sign === '<' ? '>=' : '<='} (:toAt, :toId) AND ${condition.sql}
         ${inOrder} LIMIT :limit`,
        { ...from, toAt, toId, ...condition.parameters, limit: limit - found.length },
      );
      for (const row of rows) found.push(timedRecord(namespace, row));
      if (last === undefined) break;
      [fromAt, fromId] = [toAt, toId];
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

async function liveRecord(
  sql: Sql,
  namespace: string,
  ns: number,
  id: number,
  now: number,
): Promise<TimedRecord | null> {
  const condition = recordCondition(sql.dialect, { now });
  const row = await sql.get(
    `SELECT r.timeline_at AS at, ${HEADER_COLUMNS} FROM record AS r WHERE r.ns = :ns AND r.id = :id AND ${condition.sql}`,
    { ns, id, ...condition.parameters },
  );
  return row === undefined ? null : timedRecord(namespace, row);
}

function timedRecord(namespace: string, row: Row): TimedRecord {
  return { at: row['at'] as number, record: headerOf(namespace, row) };
}
