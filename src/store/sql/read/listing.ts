import type { LociRecord, Origin } from '../../../core/types.ts';
import type { FacetField, FacetValue, Page, RecordFilter, RecordSelector, SourceEntry } from '../../model.ts';
import { foldNoteName } from '../../rules/note-names.ts';
import { firstOfPage, MAX_PAGE_CHARACTERS } from '../../rules/record-page.ts';
import { NO_TIME } from '../../rules/record-time.ts';
import { recordCondition } from '../filter.ts';
import { objectsOf, RECORD_COLUMNS, recordOf } from '../rows.ts';
import type { Dialect, Parameters, Sql } from '../sql.ts';

/** Bytes of the contents before the last record of a page, at most: a character of JavaScript has up to three in UTF-8. */
const MAX_BYTES_BEFORE = MAX_PAGE_CHARACTERS * 3;

export async function listRecords(
  sql: Sql,
  namespace: string,
  ns: number,
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

export async function countRecords(sql: Sql, ns: number, filter: RecordFilter): Promise<number> {
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
export function filterSelection(dialect: Dialect, filter: RecordFilter): Selection {
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
  sql: Sql,
  ns: number,
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
  sql: Sql,
  ns: number,
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
  sql: Sql,
  ns: number,
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
