import type { Timestamp } from '../../../core/types.ts';
import type { HistogramBar, Page, TablePlace, TableRequest, TableRow } from '../../model.ts';
import type { SearchFilter } from '../../search-model.ts';
import { recordCondition } from '../filter.ts';
import { HEADER_COLUMNS, headerOf, objectsOf } from '../rows.ts';
import type { Dialect, Sql } from '../sql.ts';
import { filterSelection } from './listing.ts';

const SORT_COLUMNS: Readonly<Record<TableRequest['sort'], (dialect: Dialect) => string>> = {
  time: () => 'r.timeline_at',
  updated: () => 'r.updated_at',
  title: ({ foldTag }) => foldTag('r.title'),
  expires: () => 'r.expires_at',
};

export async function table(
  sql: Sql,
  namespace: string,
  ns: number,
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
  sql: Sql,
  ns: number,
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
