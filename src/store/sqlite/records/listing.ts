import type { SQLInputValue } from 'node:sqlite';
import type { LociRecord, Origin, Timestamp } from '../../../core/types.ts';
import type {
  ExistingRecords,
  FacetField,
  FacetValue,
  FactCategory,
  Page,
  RecordFilter,
  RecordIdentity,
  RecordSelector,
} from '../../model.ts';
import { foldNoteName } from '../../rules/note-names.ts';
import { firstOfPage } from '../../rules/record-page.ts';
import type { SearchFilter } from '../../search-model.ts';
import type { Database } from '../database/database.ts';
import { isTextList } from '../../sql/stored-json.ts';
import { recordCondition } from './filter.ts';
import { RECORD_COLUMNS, recordOf } from './rows.ts';

export function listRecords(
  db: Database,
  namespace: string,
  ns: number,
  selector: RecordSelector,
  { after, limit }: Page<number>,
): LociRecord[] {
  const { sql, parameters, sortKey = 'r.id', descending = false } = selectorCondition(selector);
  const [comparison, direction, start] = descending
    ? ['<', 'DESC', Number.MAX_SAFE_INTEGER]
    : ['>', 'ASC', 0];
  const rows = db
    .prepare(
      `SELECT ${RECORD_COLUMNS} FROM record AS r
       WHERE r.ns = ? AND ${sortKey} ${comparison} ? AND ${sql} ORDER BY ${sortKey} ${direction} LIMIT ?`,
    )
    .iterate(ns, after ?? start, ...parameters, limit);
  // What is derived of a record must not wait for one that is damaged. What is exported must be whole.
  const derives = 'scan' in selector ? selector.scan !== 'exportable' : selector.damaged !== undefined;
  return firstOfPage(rows, (row) => recordOf(namespace, row, derives ? 'is empty' : 'fails'));
}

export function countRecords(db: Database, ns: number, filter: RecordFilter): number {
  const { sql, parameters } = filterCondition(filter);
  const count = db.prepare(`SELECT count(*) AS n FROM record AS r WHERE r.ns = ? AND ${sql}`);
  return Number(count.get(ns, ...parameters)?.['n']);
}

interface ListCondition {
  readonly sql: string;
  readonly parameters: readonly SQLInputValue[];
  /** The unary plus makes SQLite find the rows with another index and sort them, which is faster for few rows. */
  readonly sortKey?: 'r.id' | '+r.id';
  readonly descending?: boolean;
}

function selectorCondition(selector: RecordSelector): ListCondition {
  if ('filter' in selector) {
    return { ...filterCondition(selector.filter), descending: selector.order !== 'oldest' };
  }
  switch (selector.scan) {
    case 'undeleted':
      return { sql: 'r.deleted_at IS NULL', parameters: [] };
    case 'stale':
      return { sql: 'r.chunking IS NOT ? AND r.deleted_at IS NULL', parameters: [selector.chunking] };
    case 'exportable':
      return { sql: '(r.expires_at IS NULL OR r.expires_at > ?)', parameters: [selector.now] };
  }
}

/** Origins that have a partial index. */
const INDEXED_ORIGINS: ReadonlySet<Origin> = new Set(['fact', 'memory']);

function filterCondition(filter: RecordFilter): ListCondition {
  const { key, keyPrefix, contentHash, noteName, deleted = false, ...rest } = filter;
  const { sql, parameters } = recordCondition(rest, deleted ? 'deleted' : 'live');
  const parts = [sql];
  const values = [...parameters];
  const and = (condition: string, ...parameterValues: readonly SQLInputValue[]): void => {
    parts.push(condition);
    values.push(...parameterValues);
  };
  const [origin, ...others] = rest.origins ?? [];
  // SQLite uses a partial index only if its condition appears literally, and not for a list of origins.
  if (origin !== undefined && others.length === 0 && INDEXED_ORIGINS.has(origin))
    and(`r.origin = '${origin}'`);
  if (key !== undefined) and('r.key = ?', key);
  const hasKey = key !== undefined || (keyPrefix ?? '') !== '';
  if (hasKey && origin !== undefined && rest.origins?.includes('fact') !== true) and("r.origin <> 'fact'");
  if (keyPrefix !== undefined) {
    and('substr(r.key, 1, length(?)) = ? AND r.key >= ?', keyPrefix, keyPrefix, keyPrefix);
    const end = firstAfterPrefix(keyPrefix);
    if (end !== null) and('r.key < ?', end);
  }
  if (contentHash !== undefined) and('r.content_hash = ?', contentHash);
  if (noteName !== undefined) {
    const ids = `SELECT n.record FROM name AS n WHERE n.ns = r.ns AND n.kind = 'note' AND n.name = ?`;
    and(`r.id IN (${ids})`, foldNoteName(noteName));
  }
  const isSelective = hasKey || contentHash !== undefined || noteName !== undefined;
  return { sql: parts.join(' AND '), parameters: values, sortKey: deleted || isSelective ? '+r.id' : 'r.id' };
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

export function factCategories(db: Database, ns: number, now: Timestamp, recent: number): FactCategory[] {
  const live = `ns = ? AND origin = 'fact' AND deleted_at IS NULL AND (expires_at IS NULL OR expires_at > ?)`;
  const keys = db.prepare(
    `SELECT key FROM record WHERE ${live} AND category = ? ORDER BY updated_at DESC, id DESC LIMIT ?`,
  );
  return db
    .prepare(
      `SELECT category AS name, count(*) AS n FROM record WHERE ${live} GROUP BY category ORDER BY category`,
    )
    .all(ns, now)
    .map((row) => {
      const name = row['name'] as string;
      return {
        name,
        count: row['n'] as number,
        recentKeys: keys.all(ns, now, name, recent).map(({ key }) => (key ?? '') as string),
      };
    });
}

/** The column of a field, and the tables to read it from. */
const FACET_COLUMNS: Readonly<Record<FacetField, readonly [column: string, from: string]>> = {
  project: ['r.project', 'record AS r'],
  origin: ['r.origin', 'record AS r'],
  source: ['r.source', 'record AS r'],
  category: ['r.category', 'record AS r'],
  recordType: ['r.record_type', 'record AS r'],
  tag: ['tag.value', `record AS r, json_each(iif(${isTextList('r.tags')}, r.tags, '[]')) AS tag`],
};

export function facet(db: Database, ns: number, field: FacetField, filter: SearchFilter): FacetValue[] {
  const [column, from] = FACET_COLUMNS[field];
  const { sql, parameters } = recordCondition(filter);
  return db
    .prepare(
      `SELECT ${column} AS value, count(DISTINCT r.id) AS n FROM ${from} WHERE r.ns = ? AND ${sql}
       GROUP BY ${column} ORDER BY n DESC, ${column}`,
    )
    .all(ns, ...parameters)
    .map((row) => ({ value: row['value'] as string, records: row['n'] as number }));
}

export function findExisting(
  db: Database,
  ns: number,
  identities: readonly RecordIdentity[],
): ExistingRecords[] {
  const byUuid = db.prepare('SELECT id FROM record WHERE ns = ? AND uuid = ?');
  const fact = db.prepare(
    "SELECT id FROM record WHERE ns = ? AND category = ? AND key = ? AND uuid <> ? AND origin = 'fact' AND deleted_at IS NULL",
  );
  const document = db.prepare(
    "SELECT id FROM record WHERE ns = ? AND source = ? AND key = ? AND uuid <> ? AND origin <> 'fact'",
  );
  return identities.map(({ uuid, origin, source = null, category = null, key = null }) => {
    const [byKey, scope] = origin === 'fact' ? [fact, category] : [document, source];
    const sameKey = key === null ? undefined : byKey.get(ns, scope, key, uuid);
    return {
      sameUuid: (byUuid.get(ns, uuid)?.['id'] ?? null) as number | null,
      sameKey: (sameKey?.['id'] ?? null) as number | null,
    };
  });
}
