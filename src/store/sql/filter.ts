import { DAY_MS, firstUtcDayFrom } from '../../core/time/whole-day.ts';
import { foldTag } from '../rules/filter.ts';
import type { SearchFilter } from '../search-model.ts';
import type { Dialect, Parameters, Sql } from './sql.ts';

/** Conditions on `record AS r`, and their parameters. */
export interface Condition {
  readonly sql: string;
  readonly parameters: Parameters;
}

/** Whether the record `r` is of a day without a time: see `core/time/whole-day.ts`. */
export function isOfWholeDay({ isTrue }: Dialect): string {
  return `(CASE WHEN r.origin = 'source' THEN ${isTrue('r.metadata', 'wholeDay')} ELSE FALSE END)`;
}

/**
 * The conditions of a filter on live or deleted records. A list is one parameter, so that few statements are prepared.
 * @param isDated whether a range of time leaves notes without a date out
 */
export function recordCondition(
  dialect: Dialect,
  filter: SearchFilter,
  state: 'live' | 'deleted' = 'live',
  isDated = true,
): Condition {
  const parts = [
    `r.deleted_at IS ${state === 'live' ? '' : 'NOT '}NULL`,
    '(r.expires_at IS NULL OR r.expires_at > :now)',
  ];
  const parameters: Record<string, Parameters[string]> = { now: filter.now };
  const { project, excludedSources, tags, excludedTags, paths, excludedPaths, excludedRecords } = filter;
  const oneOf = (column: string, name: string, values: readonly string[] | undefined): void => {
    if (values === undefined) return;
    parts.push(dialect.isIn(column, name));
    parameters[name] = values;
  };
  if (project !== undefined) {
    parts.push('r.project = :project');
    parameters['project'] = project;
  }
  oneOf('r.origin', 'origins', filter.origins);
  oneOf('r.source', 'sources', filter.sources);
  oneOf('r.trust', 'trust', filter.trust);
  if (excludedSources !== undefined) {
    parts.push(`NOT (r.origin IN ('vault', 'source') AND ${dialect.isIn('r.source', 'excludedSources')})`);
    parameters['excludedSources'] = excludedSources;
  }
  oneOf('r.category', 'categories', filter.categories);
  oneOf('r.record_type', 'recordTypes', filter.recordTypes);
  // The slash makes `project/` a prefix of `project/active/` and of `project/`, but not of `projects/`.
  const noneOf = (name: string, values: readonly string[], not: '' | 'NOT'): void => {
    parts.push(`NOT EXISTS (SELECT 1 FROM ${dialect.list(name, 'text')} AS given WHERE ${not} EXISTS (
      SELECT 1 FROM ${dialect.entries('r.tags')} AS tag
      WHERE substr(${dialect.foldTag('tag.value')} || '/', 1, length(given.value)) = given.value))`);
    parameters[name] = values.map((each) => `${foldTag(each)}/`);
  };
  if (tags !== undefined) noneOf('tags', tags, 'NOT');
  if (excludedTags !== undefined) noneOf('excludedTags', excludedTags, '');
  const atPath = (name: string, globs: readonly string[] = [], not: '' | 'NOT'): void => {
    for (const [i, glob] of globs.entries()) {
      const matches = dialect.matchesGlob('r.key', `${name}${String(i)}`);
      parts.push(
        `${not} (CASE WHEN r.origin = 'vault' AND r.key IS NOT NULL THEN ${matches} ELSE FALSE END)`,
      );
      parameters[`${name}${String(i)}`] = dialect.globParameter(foldTag(glob));
    }
  };
  atPath('path', paths, '');
  atPath('excludedPath', excludedPaths, 'NOT');
  if (excludedRecords !== undefined) {
    parts.push(`NOT ${dialect.isIn('r.id', 'excludedRecords')}`);
    parameters['excludedRecords'] = excludedRecords;
  }
  const flag = (name: 'completed' | 'undated', value: boolean | undefined): void => {
    if (value !== undefined) parts.push(`${value ? '' : 'NOT '}${dialect.isTrue('r.metadata', name)}`);
  };
  // The first comparison, which admits what any time zone would, limits what the database reads of the index by time.
  const bound = (sign: '>=' | '<', name: 'from' | 'until', time: number | undefined): void => {
    if (time === undefined) return;
    parts.push(
      `r.created_at ${sign} :${name}Any`,
      `r.created_at ${sign} CASE WHEN ${isOfWholeDay(dialect)} THEN :${name}Day ELSE :${name} END`,
    );
    parameters[`${name}Any`] = time + (sign === '<' ? DAY_MS : -DAY_MS);
    parameters[`${name}Day`] = firstUtcDayFrom(time);
    parameters[name] = time;
  };
  flag('completed', filter.completed);
  flag('undated', filter.undated);
  if (isDated && (filter.from ?? filter.until) !== undefined)
    parts.push(`(r.origin <> 'vault' OR NOT ${dialect.isTrue('r.metadata', 'undated')})`);
  bound('>=', 'from', filter.from);
  bound('<', 'until', filter.until);
  return { sql: parts.join(' AND '), parameters };
}

/** The filter of a search as conditions for its indexes. */
export interface PassageFilter {
  /** The condition on `record AS r`. */
  readonly record: Condition;
  /** A condition on `passage AS p`, which also needs `join`. It reads no records if the filter only hides expired ones. */
  readonly passage: Condition & { readonly join: string };
  /** Whether every passage of the namespace passes the filter. */
  readonly admitsAll: boolean;
  /**
   * Whether the filter may hide most live records. If not, an index ranks without it, and the hidden ones are removed from
   * the best results: excluded sources are a small part of the store.
   */
  readonly isSelective: boolean;
}

/** @param hasExpired whether the namespace has records that are hidden because they have expired at the time of the filter */
export function passageFilter(dialect: Dialect, filter: SearchFilter, hasExpired: boolean): PassageFilter {
  const record = recordCondition(dialect, filter);
  const isSelective = Object.keys(filter).some((key) => key !== 'now' && key !== 'excludedSources');
  const readsRecords = isSelective || (filter.excludedSources ?? []).length > 0;
  const join = `${dialect.join} record AS r ON r.ns = p.ns AND r.id = p.record`;
  const notExpired = { sql: `p.record NOT IN (${EXPIRED})`, parameters: { now: filter.now } };
  const hidden = hasExpired ? notExpired : { sql: 'TRUE', parameters: {} };
  return {
    record,
    passage: readsRecords ? { join, ...record } : { join: '', ...hidden },
    admitsAll: !readsRecords && !hasExpired,
    isSelective,
  };
}

/** Expired records have passages until they are purged. Deleted ones have none. */
const EXPIRED = 'SELECT id FROM record WHERE ns = :ns AND expires_at <= :now';

export async function hasExpired(sql: Sql, ns: number, now: number): Promise<boolean> {
  return (await sql.get(`${EXPIRED} LIMIT 1`, { ns, now })) !== undefined;
}
