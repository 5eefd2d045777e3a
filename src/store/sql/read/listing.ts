import type { AsyncSlices } from '../../../core/threads/slices.ts';
import type { LociRecord, Origin, Timestamp } from '../../../core/types.ts';
import type {
  FacetField,
  FacetValue,
  HistogramBar,
  Page,
  RecordFilter,
  RecordSelector,
  SourceEntry,
  TablePlace,
  TableRequest,
  TableRow,
  TimedRecord,
  TimelineRecords,
  TimelineRequest,
} from '../../model.ts';
import { foldNoteName } from '../../rules/mention-names.ts';
import { firstOfPage, MAX_PAGE_CHARACTERS } from '../../rules/record-page.ts';
import { NO_TIME } from '../../rules/record-time.ts';
import type { SearchFilter } from '../../search-model.ts';
import type { Scope } from '../driver.ts';
import { recordCondition } from '../filter.ts';
import { HEADER_COLUMNS, headerOf, objectsOf, RECORD_COLUMNS, recordOf } from '../rows.ts';
import type { Dialect, Parameters, Row, Sql } from '../sql.ts';

/** Bytes of the contents before the last record of a page, at most: a character of JavaScript has up to three in UTF-8. */
const MAX_BYTES_BEFORE = MAX_PAGE_CHARACTERS * 3;

export async function listRecords(
  { sql, namespace, ns }: Scope,
  selector: RecordSelector,
  { after, limit }: Page<number>,
): Promise<LociRecord[]> {
  const { condition, parameters, sortKey = 'r.id', isDescending = false } = selection(sql.dialect, selector);
  const [comparison, direction, start] = isDescending
    ? ['<', 'DESC', Number.MAX_SAFE_INTEGER]
    : ['>', 'ASC', 0];
  // Long contents that do not fit into the page are not read.
  const rows = await sql.all(
    `SELECT ${RECORD_COLUMNS} FROM (
       SELECT id, sum(bytes) OVER (ORDER BY id ${direction} ROWS UNBOUNDED PRECEDING) - bytes AS bytes_before FROM (
         SELECT r.id, octet_length(r.content) AS bytes FROM record AS r
         WHERE r.ns = :ns AND ${sortKey} ${comparison} :after AND ${condition} ORDER BY ${sortKey} ${direction} LIMIT :limit
       ) AS selected) AS page ${sql.dialect.join} record AS r ON r.ns = :ns AND r.id = page.id
     WHERE page.bytes_before <= :maxBytesBefore`,
    { ns, after: after ?? start, ...parameters, limit, maxBytesBefore: MAX_BYTES_BEFORE },
  );
  // What is derived of a record must not wait for one that is damaged. What is exported must be whole.
  const derives = 'scan' in selector ? selector.scan !== 'exportable' : selector.damaged !== undefined;
  // Sorting them here copies no contents.
  const sign = isDescending ? -1 : 1;
  const ordered = rows.sort((a, b) => sign * ((a['id'] as number) - (b['id'] as number)));
  return firstOfPage(ordered, (row) => recordOf(namespace, row, derives ? 'is empty' : 'fails'));
}

export async function countRecords({ sql, ns }: Scope, filter: RecordFilter): Promise<number> {
  const { condition, parameters } = filterSelection(sql.dialect, filter);
  const statement = `SELECT count(*) AS n FROM record AS r WHERE r.ns = :ns AND ${condition}`;
  return Number((await sql.get(statement, { ns, ...parameters }))?.['n']);
}

interface Selection {
  readonly condition: string;
  readonly parameters: Parameters;
  /** The unary plus makes SQLite find the rows with another index and sort them, which is faster for few rows. */
  readonly sortKey?: 'r.id' | '+r.id';
  readonly isDescending?: boolean;
}

function selection(dialect: Dialect, selector: RecordSelector): Selection {
  if ('filter' in selector)
    return { ...filterSelection(dialect, selector.filter), isDescending: selector.order !== 'oldest' };
  switch (selector.scan) {
    case 'undeleted':
      return { condition: 'r.deleted_at IS NULL', parameters: {} };
    case 'stale':
      return {
        condition: '(r.chunking IS NULL OR r.chunking <> :chunking) AND r.deleted_at IS NULL',
        parameters: { chunking: selector.chunking },
      };
    case 'exportable':
      return {
        condition: '(r.expires_at IS NULL OR r.expires_at > :now)',
        parameters: { now: selector.now },
      };
  }
}

/** Origins that have a partial index. */
const INDEXED_ORIGINS: ReadonlySet<Origin> = new Set(['fact', 'memory']);

/** The conditions of a filter on a list. */
function filterSelection(dialect: Dialect, filter: RecordFilter): Selection {
  const {
    key,
    keys,
    keyPrefix,
    contentHash,
    noteName,
    timedFrom,
    timedUntil,
    deleted = false,
    ...rest
  } = filter;
  const { sql, parameters } = recordCondition(dialect, rest, deleted ? 'deleted' : 'live');
  const parts = [sql];
  const values: Record<string, Parameters[string]> = { ...parameters };
  const [origin, ...others] = rest.origins ?? [];
  // SQLite uses a partial index only if its condition appears literally, and not for a list of origins.
  if (origin !== undefined && others.length === 0 && INDEXED_ORIGINS.has(origin))
    parts.push(`r.origin = '${origin}'`);
  const hasKey = key !== undefined || keys !== undefined || (keyPrefix ?? '') !== '';
  if (hasKey && origin !== undefined && rest.origins?.includes('fact') !== true)
    parts.push("r.origin <> 'fact'");
  const and = (condition: string, name: string, value: Parameters[string] | undefined | null): void => {
    if (value === undefined || value === null) return;
    parts.push(condition);
    values[name] = value;
  };
  and('r.key = :key', 'key', key);
  and(dialect.isIn('r.key', 'keys'), 'keys', keys);
  and('substr(r.key, 1, length(:keyPrefix)) = :keyPrefix AND r.key >= :keyPrefix', 'keyPrefix', keyPrefix);
  and('r.key < :keyEnd', 'keyEnd', keyPrefix === undefined ? null : firstAfterPrefix(keyPrefix));
  // Notes without a date are in no range, not even in one that has no beginning.
  and(
    'r.timeline_at >= :timedFrom',
    'timedFrom',
    timedFrom ?? (timedUntil === undefined ? null : NO_TIME + 1),
  );
  and('r.timeline_at < :timedUntil', 'timedUntil', timedUntil);
  and('r.content_hash = :contentHash', 'contentHash', contentHash);
  const named = `SELECT n.record FROM name AS n WHERE n.ns = r.ns AND n.kind = 'note' AND n.name = :noteName`;
  and(`r.id IN (${named})`, 'noteName', noteName === undefined ? null : foldNoteName(noteName));
  const isSelective = hasKey || contentHash !== undefined || noteName !== undefined;
  return {
    condition: parts.join(' AND '),
    parameters: values,
    sortKey: deleted || isSelective ? '+r.id' : 'r.id',
  };
}

const LAST_CODE_POINT = 0x10_ffff;

/** The first text after all texts with this prefix, in the order of code points; `null` if there is none. */
function firstAfterPrefix(prefix: string): string | null {
  const points = Array.from(prefix, (character) => character.codePointAt(0)!);
  while (points.at(-1) === LAST_CODE_POINT) points.pop();
  const last = points.pop();
  if (last === undefined) return null;
  // Skips the surrogates, which are not characters.
  return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1);
}

/** The column of a field. */
const FACET_COLUMNS: Readonly<Record<FacetField, string>> = {
  project: 'r.project',
  origin: 'r.origin',
  source: 'r.source',
  category: 'r.category',
  recordType: 'r.record_type',
  trust: 'r.trust',
  key: 'r.key',
  tag: 'tag.value',
};

export async function facet(
  { sql, ns }: Scope,
  field: FacetField,
  filter: RecordFilter,
  newestKeys?: number,
): Promise<FacetValue[]> {
  const column = FACET_COLUMNS[field];
  const { condition, parameters } = filterSelection(sql.dialect, filter);
  const { entries, isTextList, jsonList } = sql.dialect;
  const [tables, isIntact] =
    field === 'tag'
      ? [`record AS r, ${entries('r.tags')} AS tag`, isTextList('r.tags')]
      : ['record AS r', `${column} IS NOT NULL`];
  const from = `FROM ${tables} WHERE r.ns = :ns AND ${condition} AND ${isIntact}`;
  const groups = `SELECT ${column} AS value, count(DISTINCT r.id) AS n ${from} GROUP BY ${column}`;
  const newest = `SELECT r.key ${from} AND ${column} = g.value ORDER BY r.updated_at DESC, r.id DESC LIMIT :newestKeys`;
  const rows = await sql.all(
    newestKeys === undefined
      ? `${groups} ORDER BY n DESC, ${column}`
      : `SELECT g.value, g.n, (SELECT ${jsonList('k.key')} FROM (${newest}) AS k) AS keys FROM (${groups}) AS g ORDER BY g.value`,
    { ns, ...parameters, ...(newestKeys !== undefined && { newestKeys }) },
  );
  return rows.map(({ value, n, keys }) => ({
    value: value as string,
    records: n as number,
    ...(keys !== undefined && {
      newestKeys: (JSON.parse(keys as string) as (string | null)[]).map((key) => key ?? ''),
    }),
  }));
}

export async function facets(
  { sql, ns }: Scope,
  fields: readonly FacetField[],
  filter: RecordFilter,
): Promise<FacetValue[][]> {
  const { condition, parameters } = filterSelection(sql.dialect, filter);
  const columns = fields.map((field) => FACET_COLUMNS[field]);
  const rows = await sql.all(
    `SELECT ${columns.map((column, i) => `${column} AS value_${String(i)}`).join(', ')}, count(*) AS n
     FROM record AS r WHERE r.ns = :ns AND ${condition} GROUP BY ${columns.join(', ')}`,
    { ns, ...parameters },
  );
  return fields.map((_, i) => {
    const counts = new Map<string, number>();
    for (const row of rows) {
      const value = row[`value_${String(i)}`] as string;
      counts.set(value, (counts.get(value) ?? 0) + Number(row['n']));
    }
    const values = Array.from(counts, ([value, records]) => ({ value, records }));
    return values.sort(
      (a, b) => b.records - a.records || Buffer.compare(Buffer.from(a.value), Buffer.from(b.value)),
    );
  });
}

/** The documents of a source, by key. */
export async function sourceEntries(
  { sql, ns }: Scope,
  source: string,
  page: Page<string>,
): Promise<SourceEntry[]> {
  // The first page includes the empty key, which is valid and sorts first.
  const comparison = page.after === null ? '>=' : '>';
  const { isTextList, isObject } = sql.dialect;
  const rows = await sql.all(
    `SELECT id, key, identity, CASE WHEN ${isTextList('tags')} AND ${isObject('metadata')} THEN revision END AS revision,
       content_hash AS "contentHash" FROM record
     WHERE ns = :ns AND source = :source AND origin IN ('vault', 'source') AND key ${comparison} :after AND deleted_at IS NULL
     ORDER BY key LIMIT :limit`,
    { ns, source, after: page.after ?? '', limit: page.limit },
  );
  return objectsOf(rows);
}

const SORT_COLUMNS: Readonly<Record<TableRequest['sort'], (dialect: Dialect) => string>> = {
  time: () => 'r.timeline_at',
  updated: () => 'r.updated_at',
  title: ({ foldTag }) => foldTag('r.title'),
  expires: () => 'r.expires_at',
};

export async function table(
  { sql, namespace, ns }: Scope,
  { filter, sort, descending }: TableRequest,
  { after, limit }: Page<TablePlace>,
): Promise<TableRow[]> {
  const { condition, parameters } = filterSelection(sql.dialect, filter);
  const column = SORT_COLUMNS[sort](sql.dialect);
  const [comparison, direction] = descending ? ['<', 'DESC'] : ['>', 'ASC'];
  // With another index, SQLite would sort the records of a whole store by time.
  const inOrder = sort === 'time' && filter.deleted !== true;
  const has = sort === 'expires' ? 'r.expires_at IS NOT NULL' : 'TRUE';
  const rest = after === null ? has : `(${column}, r.id) ${comparison} (:value, :id)`;
  const rows = await sql.all(
    `SELECT r.timeline_at AS at, ${column} AS value, ${HEADER_COLUMNS}
     FROM record AS r ${inOrder ? sql.dialect.index('record_timeline') : ''}
     WHERE r.ns = :ns AND ${condition} AND ${rest} ORDER BY ${column} ${direction}, r.id ${direction} LIMIT :limit`,
    { ns, ...parameters, ...(after !== null && { value: after.value, id: after.id }), limit },
  );
  return rows.map((row) => {
    const record = headerOf(namespace, row);
    const place = { value: row['value'] as TablePlace['value'], id: record.id };
    return { at: row['at'] as Timestamp, record, place };
  });
}

export async function histogram(
  { sql, ns }: Scope,
  filter: SearchFilter,
  spans: readonly Timestamp[],
): Promise<HistogramBar[]> {
  const { dialect } = sql;
  const condition = recordCondition(dialect, filter);
  const bounds = spans.slice(1).map((end, span) => ({ span, start_at: spans[span]!, end_at: end }));
  const columns = { span: 'integer', start_at: 'integer', end_at: 'integer' } as const;
  const rows = await sql.all(
    `SELECT s.span, r.origin, r.source, count(*) AS records FROM ${dialect.rows('bounds', columns)} AS s
     ${dialect.join} record AS r ${dialect.index('record_timeline')}
       ON r.ns = :ns AND r.timeline_at >= s.start_at AND r.timeline_at < s.end_at
     WHERE ${condition.sql} GROUP BY s.span, r.origin, r.source ORDER BY s.span, r.origin, r.source`,
    { ns, bounds, ...condition.parameters },
  );
  return objectsOf(rows);
}

const NOWHERE: TimelineRecords = { anchor: null, before: [], after: [] };
/** Ids begin at 1. */
const BEFORE_ALL_IDS = 0;

/** Times that one slice of a call looks at. */
const TIMES_OF_SLICE = 500;

export async function* timeline(
  { sql, namespace, ns }: Scope,
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
