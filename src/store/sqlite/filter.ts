import type { SQLInputValue } from 'node:sqlite';
import type { SearchFilter } from '../store.ts';

/** Conditions on `record AS r`, and their parameters in order. */
export interface Condition {
  readonly sql: string;
  readonly parameters: readonly SQLInputValue[];
}

/** Live, and what the filter asks for. Lists travel as one JSON parameter, so that statements stay few. */
export function recordCondition(filter: SearchFilter): Condition {
  const parts = ['r.deleted_at IS NULL', '(r.expires_at IS NULL OR r.expires_at > ?)'];
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
  oneOf('r.category', filter.categories);
  oneOf('r.record_type', filter.recordTypes);
  for (const tag of filter.tags ?? []) {
    parts.push('EXISTS (SELECT 1 FROM json_each(r.tags) WHERE lower_case(value) = ?)');
    parameters.push(tag.toLowerCase());
  }
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

/** Whether the filter hides live records at all; if not, an index can answer alone. */
export function isSelective(filter: SearchFilter): boolean {
  return Object.keys(filter).some((key) => key !== 'now');
}
