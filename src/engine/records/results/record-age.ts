import { formatAge } from '../../../core/time/age.ts';
import type { LociRecord, Timestamp } from '../../../core/types.ts';
import { modifiedDate } from '../../../sources/dates/note-dates.ts';

/**
 * The age of a record as it is shown: since it was created, or since a note says of itself that it was changed. The time of the file
 * does not count, since a synchronisation or a copy changes it. Ranking uses the creation alone.
 */
export function recordAge(
  { createdAt, metadata }: Pick<LociRecord, 'createdAt' | 'metadata'>,
  now: Timestamp,
): string {
  const changedAt = modifiedDate(metadata)?.timestamp;
  const isLater = changedAt !== undefined && changedAt > createdAt && changedAt <= now;
  return formatAge(isLater ? changedAt : createdAt, now);
}
