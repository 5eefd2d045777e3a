import type { Timestamp } from '../../core/types.ts';
import type { FacetField, FacetValue } from '../facets.ts';
import type { SearchFilter } from '../store.ts';
import type { Database } from './database.ts';
import { recordCondition } from './filter.ts';

/** Where a field's values stand, and what to read them from. */
const PLACES: Readonly<Record<FacetField, readonly [column: string, from: string]>> = {
  project: ['r.project', 'record AS r'],
  origin: ['r.origin', 'record AS r'],
  source: ['r.source', 'record AS r'],
  category: ['r.category', 'record AS r'],
  recordType: ['r.record_type', 'record AS r'],
  tag: ['tag.value', 'record AS r, json_each(r.tags) AS tag'],
};

export function facet(db: Database, ns: number, field: FacetField, filter: SearchFilter): FacetValue[] {
  const [column, from] = PLACES[field];
  const { sql, parameters } = recordCondition(filter);
  return db
    .prepare(
      `SELECT ${column} AS value, count(DISTINCT r.id) AS n FROM ${from} WHERE r.ns = ? AND ${sql}
       GROUP BY ${column} ORDER BY n DESC, ${column}`,
    )
    .all(ns, ...parameters)
    .map((row) => ({ value: row['value'] as string, records: row['n'] as number }));
}

export function writtenWith(db: Database, ns: number, contentHash: string, now: Timestamp): number[] {
  const { sql, parameters } = recordCondition({ now });
  return db
    .prepare(
      `SELECT r.id FROM record AS r
       WHERE r.ns = ? AND r.content_hash = ? AND r.origin = 'memory' AND ${sql} ORDER BY r.id`,
    )
    .all(ns, contentHash, ...parameters)
    .map((row) => row['id'] as number);
}
