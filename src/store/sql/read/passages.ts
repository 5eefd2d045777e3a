import { localDayOf } from '../../../core/time/whole-day.ts';
import type { Passage } from '../../../core/types.ts';
import { nearestTo } from '../../rules/filter.ts';
import type { Neighbourhood, NeighbourReach, PassageScore, SearchFilter } from '../../search-model.ts';
import type { Scope, TextEntry } from '../driver.ts';
import { isOfWholeDay, recordCondition } from '../filter.ts';
import {
  type Damaged,
  HEADER_COLUMNS,
  headerJson,
  headerOf,
  passageColumns,
  passageJson,
  passageOf,
} from '../rows.ts';
import { atOnce, type Dialect, type Parameters, type Row, type Sql } from '../sql.ts';
import type { PackedPassages, PassageRequest } from './wire.ts';

/** Passages in the order of a list of ids. */
function requested({ list, join }: Dialect): string {
  return `${list('ids', 'integer')} AS requested ${join} passage AS p ON p.id = requested.value`;
}

/** Most often nothing has changed since the cache was filled. Whether it has is read in the same statement as the passages. */
export async function readPassages(
  { sql, ns }: Scope,
  { ids, reach, cached, epoch: known }: PassageRequest,
): Promise<PackedPassages> {
  if (reach === null) return { ...(await rowsSince(sql, ns, ids, cached, known)), neighbourhoods: [] };
  return sql.snapshot(async () => {
    const [read, neighbourhoods] = await atOnce(sql, [
      () => rowsSince(sql, ns, ids, cached, known),
      () => neighbours(sql, ns, ids, reach),
    ]);
    const wanted = new Set(neighbourhoods.flatMap(({ before, after }) => [...before, ...after]));
    for (const id of [...ids, ...(read.isCurrent ? cached : [])]) wanted.delete(id);
    const { passages, records } = await passageRows(sql, ns, [...wanted]);
    return {
      ...read,
      neighbourhoods,
      passages: joined(read.passages, passages),
      records: joined(read.records, records),
    };
  });
}

/** The passages, without those that the cache of an epoch has if the namespace is still in that epoch. */
async function rowsSince(
  sql: Sql,
  ns: number,
  ids: readonly number[],
  cached: readonly number[],
  known: number | null,
): Promise<Omit<PackedPassages, 'neighbourhoods'>> {
  const changed = `(n.epoch <> :known OR NOT ${sql.dialect.isIn('p.id', 'cached')})`;
  const row = await sql.get(
    `SELECT n.epoch, ${rowsOf(sql.dialect, `p.ns = :ns AND ${changed}`)} FROM namespace_state AS n WHERE n.ns = :ns`,
    { ns, ids, cached, known: known ?? NO_EPOCH },
  );
  // The namespace was removed a moment ago.
  if (row === undefined) return { ...NO_ROWS, epoch: NO_EPOCH, isCurrent: false };
  const epoch = Number(row['epoch']);
  return {
    ...{ epoch, isCurrent: epoch === known },
    passages: String(row['passages']),
    records: String(row['records']),
  };
}

/** No namespace has this epoch. */
const NO_EPOCH = -1;

type PassageRows = Pick<PackedPassages, 'passages' | 'records'>;

const NO_ROWS: PassageRows = { passages: '[]', records: '[]' };

/** Two lists of JSON as one. */
function joined(a: string, b: string): string {
  if (a === '[]' || b === '[]') return a === '[]' ? b : a;
  return `${a.slice(0, -1)},${b.slice(1)}`;
}

/** The passages, in the order of their ids, and the headers of their records, as JSON. */
export async function passageRows(sql: Sql, ns: number, ids: readonly number[]): Promise<PassageRows> {
  if (ids.length === 0) return NO_ROWS;
  const row = await sql.get(`SELECT ${rowsOf(sql.dialect, 'p.ns = :ns')}`, { ns, ids });
  return { passages: String(row?.['passages']), records: String(row?.['records']) };
}

/** The columns `passages` and `records`. @param condition on a passage `p` */
function rowsOf(dialect: Dialect, condition: string): string {
  const from = requested(dialect);
  return `(SELECT ${dialect.jsonList(passageJson(dialect), 'requested.key')} FROM ${from} WHERE ${condition}) AS passages,
    (SELECT ${dialect.jsonList(headerJson(dialect))} FROM (SELECT DISTINCT p.record FROM ${from} WHERE ${condition}) AS owner
     ${dialect.join} record AS r ON r.ns = :ns AND r.id = owner.record) AS records`;
}

export async function passagesOf(
  { sql, ns }: Scope,
  records: readonly number[],
): Promise<Map<number, Passage[]>> {
  const { list, join } = sql.dialect;
  const rows = await sql.all(
    `SELECT ${passageColumns(sql.dialect)}, p.record FROM ${list('records', 'integer')} AS wanted
     ${join} passage AS p ON p.ns = :ns AND p.record = wanted.value ORDER BY p.record, p.ordinal`,
    { ns, records: [...new Set(records)] },
  );
  const byRecord = Map.groupBy(rows, (row) => row['record'] as number);
  return new Map(
    records.map((record) => [record, (byRecord.get(record) ?? []).map((row) => passageOf(row))]),
  );
}

export async function newest(
  sql: Sql,
  ns: number,
  filter: SearchFilter,
  limit: number,
  undated = false,
): Promise<PassageScore[]> {
  const isDated = !undated || (filter.from ?? filter.until) !== undefined;
  const firstFutureMs = Math.floor(filter.now) + 1;
  const past = { ...filter, until: Math.min(firstFutureMs, filter.until ?? firstFutureMs) };
  const future = { ...filter, from: Math.max(firstFutureMs, filter.from ?? firstFutureMs) };
  const near = [
    ...(await inOrderOfTime(sql, ns, past, { limit, order: 'DESC', isDated })),
    ...(await inOrderOfTime(sql, ns, future, { limit, order: 'ASC', isDated })),
  ];
  return near.sort(nearestTo(filter.now)).slice(0, limit);
}

async function inOrderOfTime(
  sql: Sql,
  ns: number,
  filter: SearchFilter,
  {
    limit,
    order,
    isDated,
  }: { readonly limit: number; readonly order: 'ASC' | 'DESC'; readonly isDated: boolean },
): Promise<PassageScore[]> {
  const { dialect } = sql;
  const condition = recordCondition(dialect, filter, 'live', isDated);
  const rows = await sql.all(
    `SELECT p.id, p.record, r.created_at, ${isOfWholeDay(dialect)} AS whole_day FROM record AS r ${dialect.index('record_created')}
     ${dialect.join} passage AS p ON p.ns = r.ns AND p.record = r.id AND p.ordinal = 0
     WHERE r.ns = :ns AND ${condition.sql} ORDER BY r.created_at ${order}, p.id LIMIT :limit`,
    { ns, ...condition.parameters, limit },
  );
  return rows.map((row) => ({
    passage: row['id'] as number,
    record: row['record'] as number,
    score: row['whole_day'] ? localDayOf(row['created_at'] as number) : (row['created_at'] as number),
  }));
}

/** The neighbours of the passages that belong to turns of sessions, in the order of the ids. */
async function neighbours(
  sql: Sql,
  ns: number,
  ids: readonly number[],
  reach: NeighbourReach,
): Promise<Neighbourhood[]> {
  const { dialect } = sql;
  const near = (sign: '<' | '>', order: 'ASC' | 'DESC', limit: string): string => `
    SELECT turn.key, near.id, near.record - turn.record AS records, 0 AS ordinals
    FROM turn ${dialect.join} passage AS near ${dialect.byKey} ON near.ns = :ns AND near.id IN (
      SELECT p.id FROM record AS r JOIN passage AS p ON p.ns = r.ns AND p.record = r.id AND p.ordinal = 0
      WHERE r.ns = :ns AND r.session = turn.session AND r.id ${sign} turn.record AND r.deleted_at IS NULL
      ORDER BY r.id ${order} LIMIT :${limit})`;
  // The index contains only records that belong to a session, so that no other record is read.
  const rows = await sql.all(
    `WITH turn AS MATERIALIZED (
       SELECT requested.key, p.id, p.record, p.ordinal, r.session FROM ${requested(dialect)}
       ${dialect.join} record AS r ${dialect.index('record_turn')} ON r.ns = p.ns AND r.id = p.record AND r.session IS NOT NULL
       WHERE p.ns = :ns)
     SELECT turn.key, near.id, 0 AS records, near.ordinal - turn.ordinal AS ordinals FROM turn
     ${dialect.join} passage AS near ON near.ns = :ns AND near.record = turn.record
       AND near.ordinal BETWEEN turn.ordinal - :before AND turn.ordinal + :after
     UNION ALL ${near('<', 'DESC', 'before')} UNION ALL ${near('>', 'ASC', 'after')}`,
    { ns, ids, before: reach.before, after: reach.after },
  );
  const byPosition = Map.groupBy(rows, (row) => row['key'] as number);
  return ids.flatMap((passage, position) => {
    const found = byPosition.get(position);
    if (found === undefined) return [];
    const side = (sign: -1 | 1, limit: number): number[] =>
      found
        .filter((row) => Math.sign(distances(row)[0] || distances(row)[1]) === sign)
        .sort((a, b) => compareDistances(a, b) * sign)
        .slice(0, limit)
        .map((row) => row['id'] as number);
    return [{ passage, before: side(-1, reach.before), after: side(1, reach.after) }];
  });
}

/** How far a neighbour is from its turn, in records and within the record. */
function distances(row: Row): [records: number, ordinals: number] {
  return [row['records'] as number, row['ordinals'] as number];
}

function compareDistances(a: Row, b: Row): number {
  const [[aRecords, aOrdinals], [bRecords, bOrdinals]] = [distances(a), distances(b)];
  return aRecords - bRecords || aOrdinals - bOrdinals;
}

/** Passages that are read at once. */
const PAGE_SIZE = 500;

/** All passages of a namespace as they are indexed, page by page in the order of their ids. */
export async function* textEntries(
  sql: Sql,
  ns: number,
  damaged: Damaged = 'fails',
): AsyncGenerator<TextEntry[]> {
  for (let after = 0; ;) {
    const condition = 'p.id > :after ORDER BY p.id LIMIT :limit';
    const entries = await textEntriesWhere(sql, ns, condition, { after, limit: PAGE_SIZE }, damaged);
    if (entries.length === 0) return;
    yield entries;
    after = entries.at(-1)!.passage;
  }
}

/** @param condition on a passage `p` */
export async function textEntriesWhere(
  sql: Sql,
  ns: number,
  condition: string,
  parameters: Parameters,
  damaged: Damaged,
): Promise<TextEntry[]> {
  const rows = await sql.all(
    `SELECT p.id AS passage, ${passageColumns(sql.dialect)}, ${HEADER_COLUMNS} FROM passage AS p
     ${sql.dialect.join} record AS r ON r.ns = p.ns AND r.id = p.record WHERE p.ns = :ns AND ${condition}`,
    { ns, ...parameters },
  );
  return rows.map((row) => ({
    passage: Number(row['passage']),
    fields: headerOf('', row, damaged),
    text: passageOf(row, damaged),
  }));
}
