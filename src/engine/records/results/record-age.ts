import { formatAge } from '../../../core/time/age.ts';
import { upcomingDay } from '../../../core/time/calendar.ts';
import { isOfWholeDay } from '../../../core/time/whole-day.ts';
import type { LociRecord, Timestamp } from '../../../core/types.ts';
import { modifiedDate } from '../../../sources/dates/note-dates.ts';
import { isUndatedNote } from '../../../store/rules/record-time.ts';

/** The age of a note of which only the time of its file is known, and that is the time of a copy. */
export const NO_DATE = 'no date';

/**
 * The age of a record as it is shown: since it was created, or since a note says of itself that it was changed. The time of the file
 * does not count, since a synchronisation or a copy changes it. Ranking uses the creation alone.
 */
export function recordAge(
  record: Pick<LociRecord, 'origin' | 'createdAt' | 'metadata'>,
  now: Timestamp,
): string {
  if (isUndatedNote(record)) return NO_DATE;
  const { createdAt, metadata } = record;
  const changedAt = modifiedDate(metadata)?.timestamp;
  const isLater = changedAt !== undefined && changedAt > createdAt && changedAt <= now;
  if (isLater) return formatAge(changedAt, now);
  // A whole day has no hours that could have passed.
  const day = isOfWholeDay(record) ? upcomingDay(createdAt, now)?.day : undefined;
  return day === 'today' || day === 'tomorrow' ? day : formatAge(createdAt, now);
}
