import type { Timestamp } from '../core/types.ts';
import type { RecordHeader, SearchFilter } from './store.ts';
import { foldTag } from './tags.ts';

export function isLive({ deletedAt, expiresAt }: RecordHeader, now: Timestamp): boolean {
  return deletedAt === null && (expiresAt === null || expiresAt > now);
}

/** What SQL says of a record in `sqlite/filter.ts`. */
export function admits(record: RecordHeader, filter: SearchFilter): boolean {
  return (
    isLive(record, filter.now) &&
    (filter.project === undefined || record.project === filter.project) &&
    (filter.origins === undefined || filter.origins.includes(record.origin)) &&
    (filter.sources === undefined || filter.sources.includes(record.source)) &&
    !(isSourced(record) && filter.exceptSources?.includes(record.source)) &&
    (filter.categories === undefined || filter.categories.includes(record.category)) &&
    (filter.recordTypes === undefined || filter.recordTypes.includes(record.recordType)) &&
    (filter.tags === undefined || hasTags(record, filter.tags)) &&
    says(record, 'completed', filter.completed) &&
    says(record, 'undated', filter.undated) &&
    (filter.from === undefined || record.createdAt >= filter.from) &&
    (filter.until === undefined || record.createdAt < filter.until)
  );
}

/** Whether its metadata says so, where that is asked. */
function says({ metadata }: RecordHeader, what: string, asked: boolean | undefined): boolean {
  return asked === undefined || (metadata[what] === true) === asked;
}

/** By a vault or a source, not written by an agent. */
export function isSourced({ origin }: Pick<RecordHeader, 'origin'>): boolean {
  return origin === 'vault' || origin === 'source';
}

/** `project/` is of `project/active/` and of `project/`, not of `projects/`. */
function hasTags(record: RecordHeader, asked: readonly string[]): boolean {
  const held = record.tags.map((tag) => `${foldTag(tag)}/`);
  return asked.every((tag) => held.some((one) => one.startsWith(`${foldTag(tag)}/`)));
}
