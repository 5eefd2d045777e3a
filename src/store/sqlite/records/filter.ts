import type { SQLInputValue } from 'node:sqlite';
import { DAY_MS, firstUtcDayFrom } from '../../../core/time/whole-day.ts';
import type { SearchFilter } from '../../search-model.ts';
import { foldTag } from '../../rules/filter.ts';
import type { Database } from '../database/database.ts';

/** The tags of `record AS r`; none where the stored list is damaged. */
const TAGS = "iif(json_valid(r.tags), r.tags, '[]')";

/** Conditions on `record AS r`, and their parameters in order. */
interface Condition {
  readonly sql: string;
  readonly parameters: readonly SQLInputValue[];
}

/** Whether the record `r` is of a day without a time: see `core/time/whole-day.ts`. */
export const IS_OF_WHOLE_DAY = `(CASE WHEN r.origin = 'source' AND json_valid(r.metadata)
  THEN json_type(r.metadata, '$.wholeDay') IS 'true' ELSE FALSE END)`;

/** The conditions of a filter on live or deleted records. A list is one JSON parameter, so that few statements are prepared. */
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
  if (filter.excludedSources !== undefined) {
    parts.push(`NOT (r.origin IN ('vault', 'source') AND r.source IN (SELECT value FROM json_each(?)))`);
    parameters.push(JSON.stringify(filter.excludedSources));
  }
  oneOf('r.category', filter.categories);
  oneOf('r.record_type', filter.recordTypes);
  if (filter.tags !== undefined) {
    // The slash makes `project/` a prefix of `project/active/` and of `project/`, but not of `projects/`.
    parts.push(`NOT EXISTS (SELECT 1 FROM json_each(?) AS required WHERE NOT EXISTS (
      SELECT 1 FROM json_each(${TAGS}) AS tag WHERE instr(fold_tag(tag.value) || '/', required.value) = 1))`);
    parameters.push(JSON.stringify(filter.tags.map((tag) => `${foldTag(tag)}/`)));
  }
  const flag = (name: 'completed' | 'undated', value: boolean | undefined): void => {
    if (value === undefined) return;
    parts.push(
      `(CASE WHEN json_valid(r.metadata) THEN json_type(r.metadata, '$.${name}') IS 'true' ELSE FALSE END) = ?`,
    );
    parameters.push(value ? 1 : 0);
  };
  // The first comparison, which admits what any time zone would, limits what SQLite reads of the index by time.
  const bound = (sign: '>=' | '<', time: number | undefined): void => {
    if (time === undefined) return;
    parts.push(
      `r.created_at ${sign} ?`,
      `r.created_at ${sign} CASE WHEN ${IS_OF_WHOLE_DAY} THEN ? ELSE ? END`,
    );
    parameters.push(time + (sign === '<' ? DAY_MS : -DAY_MS), firstUtcDayFrom(time), time);
  };
  flag('completed', filter.completed);
  flag('undated', filter.undated);
  bound('>=', filter.from);
  bound('<', filter.until);
  return { sql: parts.join(' AND '), parameters };
}

/** A condition on `passage AS p`, with the join that it needs. */
interface PassageCondition extends Condition {
  readonly join: string;
}

/** The condition for the records of passages. It reads no records if the filter only hides expired ones. */
export function passageCondition(db: Database, ns: number, filter: SearchFilter): PassageCondition {
  if (isSelective(filter) || excludesAnySource(filter)) {
    return { join: 'CROSS JOIN record AS r ON r.ns = p.ns AND r.id = p.record', ...recordCondition(filter) };
  }
  if (admitsAll(db, ns, filter)) return { join: '', sql: 'TRUE', parameters: [] };
  return { join: '', sql: `p.record NOT IN (${EXPIRED})`, parameters: [ns, filter.now] };
}

/** Whether every passage of the namespace passes the filter. */
export function admitsAll(db: Database, ns: number, filter: SearchFilter): boolean {
  if (isSelective(filter) || excludesAnySource(filter)) return false;
  return db.prepare(`${EXPIRED} LIMIT 1`).get(ns, filter.now) === undefined;
}

/** Expired records have passages until they are purged. Deleted ones have none. */
const EXPIRED = 'SELECT id FROM record WHERE ns = ? AND expires_at <= ?';

/**
 * Whether the filter may hide most live records. If not, an index ranks without it, and the hidden ones are removed from the
 * best results: excluded sources are a small part of the store.
 */
export function isSelective(filter: SearchFilter): boolean {
  return Object.keys(filter).some((key) => key !== 'now' && key !== 'excludedSources');
}

function excludesAnySource({ excludedSources = [] }: SearchFilter): boolean {
  return excludedSources.length > 0;
}
