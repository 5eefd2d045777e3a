import type { SQLInputValue } from 'node:sqlite';
import type { SearchFilter } from '../../search-model.ts';
import { foldTag } from '../../rules/filter.ts';
import type { Database } from '../database/database.ts';

/** Conditions on `record AS r`, and their parameters in order. */
export interface Condition {
  readonly sql: string;
  readonly parameters: readonly SQLInputValue[];
}

/** Live or deleted, and what the filter asks for. Lists travel as one JSON parameter, so that statements stay few. */
export function recordCondition(filter: SearchFilter, state: 'live' | 'deleted' = 'live'): Condition {
  const parts = [
    `r.deleted_at IS ${state === 'live' ? '' : 'NOT '}NULL`,
    '(r.expires_at IS NULL OR r.expires_at > ?)',
  ];
  const parameters: SQLInputValue[] = [filter.now];
  const oneOf = (column: string, values: readonly string[] | undefined): void => {
    if (values === undefined) return;
    parts.push(`${column} IN (SELECT value FROM json_each(?))`);
    parameters.push(JSON.stringify(values));
  };
  if (filter.project !== undefined) {
    parts.push('r.project = ?');
    parameters.push(filter.project);
  }
  oneOf('r.origin', filter.origins);
  oneOf('r.source', filter.sources);
  if (filter.exceptSources !== undefined) {
    parts.push(`NOT (r.origin IN ('vault', 'source') AND r.source IN (SELECT value FROM json_each(?)))`);
    parameters.push(JSON.stringify(filter.exceptSources));
  }
  oneOf('r.category', filter.categories);
  oneOf('r.record_type', filter.recordTypes);
  if (filter.tags !== undefined) {
    // At the beginning: `project/` of `project/active/` and of `project/`, not of `projects/`.
    parts.push(`NOT EXISTS (SELECT 1 FROM json_each(?) AS asked WHERE NOT EXISTS (
      SELECT 1 FROM json_each(r.tags) AS tag WHERE instr(fold_tag(tag.value) || '/', asked.value) = 1))`);
    parameters.push(JSON.stringify(filter.tags.map((tag) => `${foldTag(tag)}/`)));
  }
  const says = (what: 'completed' | 'undated', asked: boolean | undefined): void => {
    if (asked === undefined) return;
    parts.push(
      `(CASE WHEN json_valid(r.metadata) THEN json_type(r.metadata, '$.${what}') IS 'true' ELSE FALSE END) = ?`,
    );
    parameters.push(asked ? 1 : 0);
  };
  says('completed', filter.completed);
  says('undated', filter.undated);
  if (filter.from !== undefined) {
    parts.push('r.created_at >= ?');
    parameters.push(filter.from);
  }
  if (filter.until !== undefined) {
    parts.push('r.created_at < ?');
    parameters.push(filter.until);
  }
  return { sql: parts.join(' AND '), parameters };
}

/** A condition on `passage AS p`, with the table it needs beside it. */
export interface PassageCondition extends Condition {
  readonly join: string;
}

/** What `recordCondition` says of a passage's record; where nothing but life is asked for, without reading the record. */
export function passageCondition(db: Database, ns: number, filter: SearchFilter): PassageCondition {
  if (isSelective(filter) || hidesSources(filter)) {
    return { join: 'CROSS JOIN record AS r ON r.ns = p.ns AND r.id = p.record', ...recordCondition(filter) };
  }
  if (showsAll(db, ns, filter)) return { join: '', sql: 'TRUE', parameters: [] };
  return { join: '', sql: `p.record NOT IN (${EXPIRED})`, parameters: [ns, filter.now] };
}

/** Whether the filter lets through every passage of the namespace. */
export function showsAll(db: Database, ns: number, filter: SearchFilter): boolean {
  if (isSelective(filter) || hidesSources(filter)) return false;
  return db.prepare(`${EXPIRED} LIMIT 1`).get(ns, filter.now) === undefined;
}

/** What was deleted has no passages; what has expired keeps them until it is purged. */
const EXPIRED = 'SELECT id FROM record WHERE ns = ? AND expires_at <= ?';

/**
 * Whether the filter may hide most of what is live. If not, an index ranks alone, and what is hidden of the best is left
 * out: sources that are kept out are a small part beside vaults and memories.
 */
export function isSelective(filter: SearchFilter): boolean {
  return Object.keys(filter).some((key) => key !== 'now' && key !== 'exceptSources');
}

function hidesSources({ exceptSources = [] }: SearchFilter): boolean {
  return exceptSources.length > 0;
}
