import type { LociRecord, Timestamp } from '../types.ts';

/*
 * A document of a source may be of a day without a time: a todo that is due on Saturday is due on Saturday in every time zone. The
 * `createdAt` of such a record is the beginning of its day in the time zone of this process; stored and exported is the beginning in UTC.
 */

export const DAY_MS = 86_400_000;

type Dated = Pick<LociRecord, 'origin' | 'metadata' | 'createdAt'>;

/** Whether the record is of a day without a time. */
export function isOfWholeDay({ origin, metadata }: Pick<Dated, 'origin' | 'metadata'>): boolean {
  return origin === 'source' && metadata['wholeDay'] === true;
}

/** The `createdAt` of a record as it is stored, which does not depend on the time zone. */
export function storedTime(record: Dated): Timestamp {
  return isOfWholeDay(record) ? utcDayOf(record.createdAt) : record.createdAt;
}

/** The `createdAt` of a record in this time zone, from what is stored. */
export function localTime(record: Dated): Timestamp {
  return isOfWholeDay(record) ? localDayOf(record.createdAt) : record.createdAt;
}

/** The beginning in this time zone of a day that is given by its beginning in UTC. */
export function localDayOf(utcDay: Timestamp): Timestamp {
  const day = new Date(utcDay);
  const local = new Date(2000, 0, 1);
  // The constructor would read the years 0 to 99 as those after 1900.
  local.setFullYear(day.getUTCFullYear(), day.getUTCMonth(), day.getUTCDate());
  return local.setHours(0, 0, 0, 0);
}

/** `2026-05-02` for a time of that day in this time zone. */
export function dayText(time: Timestamp): string {
  const local = new Date(time);
  const parts = [local.getMonth() + 1, local.getDate()].map((part) => String(part).padStart(2, '0'));
  return [String(local.getFullYear()).padStart(4, '0'), ...parts].join('-');
}

/** `9 March 2026` for `2026-03-09`. */
export function dayInWords(day: string): string {
  const style = { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' } as const;
  return new Date(day).toLocaleDateString('en-GB', style);
}

/** The beginning in UTC of the first day that begins in this time zone at this time or later. */
export function firstUtcDayFrom(time: Timestamp): Timestamp {
  const day = utcDayOf(time);
  return localDayOf(day) >= time ? day : day + DAY_MS;
}

/** The beginning in UTC of the day on which a time is in this time zone. */
export function utcDayOf(localTime: Timestamp): Timestamp {
  const local = new Date(localTime);
  return new Date(0).setUTCFullYear(local.getFullYear(), local.getMonth(), local.getDate());
}
