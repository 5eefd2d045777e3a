import type { Timestamp } from '../../core/types.ts';
import { isUndatedNote } from './record-time.ts';
import type { PassageScore, RecordHeader, SearchFilter } from '../search-model.ts';
import { matchesGlob } from './path-glob.ts';

export function isLive({ deletedAt, expiresAt }: RecordHeader, now: Timestamp): boolean {
  return deletedAt === null && (expiresAt === null || expiresAt > now);
}

/** Whether a record passes the filter; SQLite's `recordCondition` says the same in SQL. */
export function admits(record: RecordHeader, filter: SearchFilter): boolean {
  return (
    isLive(record, filter.now) &&
    (filter.project === undefined || record.project === filter.project) &&
    (filter.origins === undefined || filter.origins.includes(record.origin)) &&
    (filter.sources === undefined || filter.sources.includes(record.source)) &&
    (filter.trust === undefined || filter.trust.includes(record.trust)) &&
    !(isSourced(record) && filter.excludedSources?.includes(record.source)) &&
    (filter.categories === undefined || filter.categories.includes(record.category)) &&
    (filter.recordTypes === undefined || filter.recordTypes.includes(record.recordType)) &&
    (filter.tags ?? []).every((tag) => hasTag(record, tag)) &&
    !(filter.excludedTags ?? []).some((tag) => hasTag(record, tag)) &&
    (filter.paths ?? []).every((glob) => isAtPath(record, glob)) &&
    !(filter.excludedPaths ?? []).some((glob) => isAtPath(record, glob)) &&
    !filter.excludedRecords?.includes(record.id) &&
    hasFlag(record, 'completed', filter.completed) &&
    hasFlag(record, 'undated', filter.undated) &&
    !(isUndatedNote(record) && (filter.from ?? filter.until) !== undefined) &&
    (filter.from === undefined || record.createdAt >= filter.from) &&
    (filter.until === undefined || record.createdAt < filter.until)
  );
}

function hasFlag({ metadata }: RecordHeader, flag: string, expected: boolean | undefined): boolean {
  return expected === undefined || (metadata[flag] === true) === expected;
}

/** Whether a vault or a source delivered the record. */
export function isSourced({ origin }: Pick<RecordHeader, 'origin'>): boolean {
  return origin === 'vault' || origin === 'source';
}

/** `project` includes `project` and `project/active`, but not `projects`. */
function hasTag({ tags }: RecordHeader, tag: string): boolean {
  const folded = `${foldTag(tag)}/`;
  return tags.some((each) => `${foldTag(each)}/`.startsWith(folded));
}

function isAtPath({ origin, key }: RecordHeader, glob: string): boolean {
  return origin === 'vault' && key !== null && matchesGlob(foldTag(glob), foldTag(key));
}

/** The form in which tags and paths are compared: lower case, with composed characters. */
export function foldTag(tag: string): string {
  return tag.normalize('NFC').toLowerCase();
}

/** The order of queries by time, whose scores are times. */
export function nearestTo(now: Timestamp): (a: PassageScore, b: PassageScore) => number {
  return (a, b) => Math.abs(a.score - now) - Math.abs(b.score - now) || a.passage - b.passage;
}
