import { localDayOf } from '../../../core/time/whole-day.ts';
import type { Passage } from '../../../core/types.ts';
import { nearestTo } from '../../rules/filter.ts';
import type { Neighbourhood, NeighbourReach, PassageScore, SearchFilter } from '../../search-model.ts';
import type { Database } from '../database/database.ts';
import { IS_OF_WHOLE_DAY, recordCondition } from '../records/filter.ts';
import { epochOf } from '../database/namespaces.ts';
import { HEADER_JSON, PASSAGE_COLUMNS, PASSAGE_JSON, passageOf } from '../records/rows.ts';
import type { PackedPassages, PassageRequest } from './wire.ts';

/** Passages in the order of a list of ids. CROSS JOIN keeps SQLite from reordering the loops. */
const REQUESTED = 'json_each(?) AS requested CROSS JOIN passage AS p ON p.id = requested.value';

export function readPassages(db: Database, ns: number, request: PassageRequest): PackedPassages {
  const { ids, reach } = request;
  const epoch = epochOf(db, ns);
  const isCurrent = epoch === request.epoch;
  const neighbourhoods = reach === null ? [] : neighbours(db, ns, ids, reach);
  const wanted = new Set([...ids, ...neighbourhoods.flatMap(({ before, after }) => [...before, ...after])]);
  if (isCurrent) for (const id of request.cached) wanted.delete(id);
  return { epoch, isCurrent, neighbourhoods, ...passageRows(db, ns, [...wanted]) };
}

/** The passages and the headers of their records, as JSON. */
export function passageRows(
  db: Database,
  ns: number,
  ids: readonly number[],
): Pick<PackedPassages, 'passages' | 'records'> {
  if (ids.length === 0) return { passages: '[]', records: '[]' };
  const rows = db.prepare(
    `SELECT json_group_array(${PASSAGE_JSON}) AS passages, json_group_array(DISTINCT p.record) AS records
     FROM ${REQUESTED} WHERE p.ns = ?`,
  );
  const headers = db.prepare(
    `SELECT json_group_array(${HEADER_JSON}) AS headers FROM json_each(?) AS requested
     CROSS JOIN record AS r ON r.ns = ? AND r.id = requested.value`,
  );
  const found = rows.get(JSON.stringify(ids), ns);
  return {
    passages: String(found?.['passages']),
    records: String(headers.get(String(found?.['records']), ns)?.['headers']),
  };
}

export function passagesOf(db: Database, ns: number, records: readonly number[]): Map<number, Passage[]> {
  const select = db.prepare(
    `SELECT ${PASSAGE_COLUMNS}, p.record FROM passage AS p WHERE p.ns = ? AND p.record = ? ORDER BY p.ordinal`,
  );
  return new Map(records.map((record) => [record, select.all(ns, record).map((row) => passageOf(row))]));
}

export function newest(db: Database, ns: number, filter: SearchFilter, limit: number): PassageScore[] {
  const firstFutureMs = Math.floor(filter.now) + 1;
  const past = { ...filter, until: Math.min(firstFutureMs, filter.until ?? firstFutureMs) };
  const future = { ...filter, from: Math.max(firstFutureMs, filter.from ?? firstFutureMs) };
  const near = [
    ...inOrderOfTime(db, ns, past, limit, 'DESC'),
    ...inOrderOfTime(db, ns, future, limit, 'ASC'),
  ];
  return near.sort(nearestTo(filter.now)).slice(0, limit);
}

function inOrderOfTime(
  db: Database,
  ns: number,
  filter: SearchFilter,
  limit: number,
  order: 'ASC' | 'DESC',
): PassageScore[] {
  const condition = recordCondition(filter);
  return db
    .prepare(
      `SELECT p.id, p.record, r.created_at, ${IS_OF_WHOLE_DAY} AS whole_day FROM record AS r INDEXED BY record_created
       CROSS JOIN passage AS p ON p.ns = r.ns AND p.record = r.id AND p.ordinal = 0
       WHERE r.ns = ? AND ${condition.sql} ORDER BY r.created_at ${order}, p.id LIMIT ?`,
    )
    .all(ns, ...condition.parameters, limit)
    .map((row) => ({
      passage: row['id'] as number,
      record: row['record'] as number,
      score: row['whole_day'] === 1 ? localDayOf(row['created_at'] as number) : (row['created_at'] as number),
    }));
}

function neighbours(
  db: Database,
  ns: number,
  ids: readonly number[],
  reach: NeighbourReach,
): Neighbourhood[] {
  // Most namespaces have no sessions. This lookup saves them the other queries.
  const anySession = db.prepare('SELECT 1 FROM record WHERE ns = ? AND session IS NOT NULL LIMIT 1');
  if (anySession.get(ns) === undefined) return [];
  const list = JSON.stringify(ids);
  const positions = db.prepare(
    `SELECT requested.key, p.id AS passage, p.record, r.session FROM ${REQUESTED_TURNS}`,
  );
  const turns = positions.all(list, ns) as unknown as Position[];
  if (turns.length === 0) return [];
  const inRecord = neighboursInRecord(db, ns, list, reach);
  const across = sides(
    db,
    (sign, order) => `SELECT p.id FROM record AS r
    JOIN passage AS p ON p.ns = r.ns AND p.record = r.id AND p.ordinal = 0
    WHERE r.ns = ? AND r.session = ? AND r.id ${sign} ? AND r.deleted_at IS NULL ORDER BY r.id ${order} LIMIT ?`,
  );
  return turns.map(({ key, passage, record, session }) => {
    const neighboursOn = (side: Side): number[] => {
      const near = inRecord.get(key)?.[side] ?? [];
      const missing = reach[side] - near.length;
      return missing <= 0 ? near : [...near, ...across[side](ns, session, record, missing)];
    };
    return { passage, before: neighboursOn('before'), after: neighboursOn('after') };
  });
}

/** The index contains only records that belong to a session, so no other record is read. */
const REQUESTED_TURNS = `${REQUESTED} CROSS JOIN record AS r INDEXED BY record_turn
  ON r.ns = p.ns AND r.id = p.record AND r.session IS NOT NULL WHERE p.ns = ?`;

interface Position {
  /** Index in the list of ids. */
  readonly key: number;
  readonly passage: number;
  readonly record: number;
  readonly session: string;
}

/** The neighbours in the same record, nearest first, by index in the list of ids. The ordinals of a record have no gaps. */
function neighboursInRecord(
  db: Database,
  ns: number,
  list: string,
  reach: Readonly<Record<Side, number>>,
): Map<number, Record<Side, number[]>> {
  const select = db.prepare(
    `SELECT requested.key, near.id, near.ordinal < p.ordinal AS earlier FROM ${REQUESTED}
     CROSS JOIN passage AS near ON near.ns = p.ns AND near.record = p.record
       AND near.ordinal BETWEEN p.ordinal - ? AND p.ordinal + ? AND near.ordinal <> p.ordinal
     WHERE p.ns = ? ORDER BY requested.key, near.ordinal`,
  );
  const neighbours = new Map<number, Record<Side, number[]>>();
  for (const row of select.all(list, reach.before, reach.after, ns)) {
    const key = row['key'] as number;
    const sides = neighbours.get(key) ?? { before: [], after: [] };
    neighbours.set(key, sides);
    if (row['earlier'] === 1) sides.before.unshift(row['id'] as number);
    else sides.after.push(row['id'] as number);
  }
  return neighbours;
}

type Side = 'before' | 'after';
type ReadSide = (ns: number, within: number | string, from: number, limit: number) => number[];

function sides(db: Database, sql: (sign: string, order: string) => string): Record<Side, ReadSide> {
  const reader = (text: string): ReadSide => {
    const statement = db.prepare(text);
    return (...parameters) => statement.all(...parameters).map((row) => row['id'] as number);
  };
  return { before: reader(sql('<', 'DESC')), after: reader(sql('>', 'ASC')) };
}
