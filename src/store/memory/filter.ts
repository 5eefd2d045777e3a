import type { LociRecord, Timestamp } from '../../core/types.ts';
import type { SearchFilter } from '../store.ts';
import { foldTag } from '../tags.ts';

export function isLive({ deletedAt, expiresAt }: LociRecord, now: Timestamp): boolean {
  return deletedAt === null && (expiresAt === null || expiresAt > now);
}

export function admits(record: LociRecord, filter: SearchFilter): boolean {
  const tags = record.tags.map((tag) => `${foldTag(tag)}/`);
  return (
    isLive(record, filter.now) &&
    (filter.project === undefined || record.project === filter.project) &&
    (filter.origins === undefined || filter.origins.includes(record.origin)) &&
    (filter.sources === undefined || filter.sources.includes(record.source)) &&
    (filter.categories === undefined || filter.categories.includes(record.category)) &&
    (filter.recordTypes === undefined || filter.recordTypes.includes(record.recordType)) &&
    (filter.tags === undefined ||
      filter.tags.every((tag) => tags.some((held) => held.startsWith(`${foldTag(tag)}/`)))) &&
    (filter.from === undefined || record.createdAt >= filter.from) &&
    (filter.until === undefined || record.createdAt < filter.until)
  );
}
