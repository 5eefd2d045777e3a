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
  const { sql, parameters, order } = listCondition(filter);
  const rows = db
    .prepare(
      `SELECT ${RECORD_COLUMNS} FROM record AS r
       WHERE r.ns = ? AND ${order} < ? AND ${sql} ORDER BY ${order} DESC LIMIT ?`,
    )
    .iterate(ns, after ?? Number.MAX_SAFE_INTEGER, ...parameters, limit);
  return firstOfPage(rows, (row) => recordOf(namespace, row));
}

export function countRecords(db: Database, ns: number, filter: ListFilter<SearchFilter>): number {
  const { sql, parameters } = listCondition(filter);
  const count = db.prepare(`SELECT count(*) AS n FROM record AS r WHERE r.ns = ? AND ${sql}`);
  return Number(count.get(ns, ...parameters)?.['n']);
}

interface ListCondition {
  readonly sql: string;
  readonly parameters: readonly SQLInputValue[];
  /** With a plus, the rows are few, and are found by another index and then put in order. */
  readonly order: 'r.id' | '+r.id';
}

function listCondition({ key, keyPrefix, deleted, ...filter }: ListFilter<SearchFilter>): ListCondition {
  const { sql, parameters } = recordCondition(filter, deleted === true ? 'deleted' : 'live');
  const parts = [sql];
  const values = [...parameters];
  // Said once more as it stands in the conditions of their indexes, which a list of origins is not taken for.
  if (filter.origins?.length === 1 && filter.origins[0] === 'fact') parts.push("r.origin = 'fact'");
  if (key !== undefined) {
    parts.push('r.key = ?');
    values.push(key);
  }
  if (keyPrefix !== undefined) {
    parts.push('substr(r.key, 1, length(?)) = ?', 'r.key >= ?');
    values.push(keyPrefix, keyPrefix, keyPrefix);
    const end = behindAll(keyPrefix);
    if (end !== null) {
      parts.push('r.key < ?');
      values.push(end);
    }
  }
  const few = deleted === true || key !== undefined || (keyPrefix !== undefined && keyPrefix !== '');
  return { sql: parts.join(' AND '), parameters: values, order: few ? '+r.id' : 'r.id' };
}

const LAST_CODE_POINT = 0x10_ffff;

/** The first text behind every one that begins so, in the order of code points; `null` where there is none. */
function behindAll(prefix: string): string | null {
  const points = Array.from(prefix, (character) => character.codePointAt(0)!);
  while (points.at(-1) === LAST_CODE_POINT) points.pop();
  const last = points.pop();
  if (last === undefined) return null;
  // Halves of surrogate pairs are no characters.
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
