import type { SQLInputValue } from 'node:sqlite';
import type { LociRecord, Timestamp } from '../../core/types.ts';
import { firstOfPage } from '../derivation.ts';
import type { FactCategory, ListFilter } from '../listing.ts';
import type { Page } from '../page.ts';
import type { SearchFilter } from '../store.ts';
import type { Database } from './database.ts';
import { recordCondition } from './filter.ts';
import { RECORD_COLUMNS, recordOf } from './rows.ts';

export function listRecords(
  db: Database,
  namespace: string,
  ns: number,
  filter: ListFilter<SearchFilter>,
  { after, limit }: Page<number>,
): LociRecord[] {
  const { sql, parameters } = listCondition(filter);
  const rows = db
    .prepare(
      `SELECT ${RECORD_COLUMNS} FROM record AS r WHERE r.ns = ? AND r.id < ? AND ${sql} ORDER BY r.id DESC LIMIT ?`,
    )
    .iterate(ns, after ?? Number.MAX_SAFE_INTEGER, ...parameters, limit);
  return firstOfPage(rows, (row) => recordOf(namespace, row));
}

export function countRecords(db: Database, ns: number, filter: ListFilter<SearchFilter>): number {
  const { sql, parameters } = listCondition(filter);
  const count = db.prepare(`SELECT count(*) AS n FROM record AS r WHERE r.ns = ? AND ${sql}`);
  return Number(count.get(ns, ...parameters)?.['n']);
}

function listCondition({ key, keyPrefix, deleted, ...filter }: ListFilter<SearchFilter>): {
  sql: string;
  parameters: SQLInputValue[];
} {
  const { sql, parameters } = recordCondition(filter);
  const parts = [deleted === true ? sql.replace('r.deleted_at IS NULL', 'r.deleted_at IS NOT NULL') : sql];
  const values = [...parameters];
  if (key !== undefined) {
    parts.push('r.key = ?');
    values.push(key);
  }
  if (keyPrefix !== undefined) {
    parts.push('substr(r.key, 1, length(?)) = ?');
    values.push(keyPrefix, keyPrefix);
  }
  return { sql: parts.join(' AND '), parameters: values };
}

export function factCategories(db: Database, ns: number, now: Timestamp, recent: number): FactCategory[] {
  const live = "ns = ? AND origin = 'fact' AND deleted_at IS NULL AND expires_at > ?";
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
        recentKeys: keys.all(ns, now, name, recent).map(({ key }) => key as string),
      };
    });
}
