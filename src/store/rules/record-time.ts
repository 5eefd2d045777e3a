import { isOfWholeDay, storedTime } from '../../core/time/whole-day.ts';
import type { Metadata, Timestamp } from '../../core/types.ts';
import type { RecordHeader } from '../search-model.ts';

const DAILY_FILE = /^memory\/(?:.*\/)?[^/]*\d{4}-\d{2}-\d{2}[^/]*\.md$/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** The time of a note without a date in the timeline: before all times, the first that a `Date` can have. */
export const NO_TIME: Timestamp = -8.64e15;

/**
 * The time of a record in the timeline: its own date if it has one (the day of a note, the start of an event, the day on which a
 * todo is due), otherwise its last update; `NO_TIME` for a note without a date. Does not depend on the time zone, so that the order is the same on every machine.
 */
export function recordTime({
  origin,
  metadata,
  createdAt,
  updatedAt,
}: Pick<RecordHeader, 'origin' | 'metadata' | 'createdAt' | 'updatedAt'>): Timestamp {
  if (isUndatedNote({ origin, metadata })) return NO_TIME;
  if (isOfWholeDay({ origin, metadata })) return storedTime({ origin, metadata, createdAt }) + NOON_MS;
  if (origin === 'source') return metadata['undated'] === true ? updatedAt : createdAt;
  const day = dayOf(metadata);
  if (day === null) return isDailyFile(metadata) ? createdAt : updatedAt;
  // `createdAt` is a time on another day where a note was not created on the day that it is about.
  const { created = day } = metadata;
  return created === day ? createdAt : noonOf(day);
}

/**
 * The time of a record by what it says itself: `null` for a note or a part of a file of which only the time of the file is known, and
 * for what a source has, whose times are those of events and deadlines.
 */
export function writtenTime(record: Parameters<typeof recordTime>[0]): Timestamp | null {
  const { origin, metadata } = record;
  if (origin === 'source' || origin === 'audit') return null;
  const isOfFile = origin === 'vault' || typeof metadata['file'] === 'string';
  const { modified } = metadata;
  const day = dayOf(metadata);
  if (typeof modified === 'string' && !isAboutDay(metadata)) {
    const changed = Date.parse(modified);
    if (!Number.isNaN(changed)) return changed;
  }
  return isOfFile && day === null && !isDailyFile(metadata) ? null : recordTime(record);
}

/** Whether a note says what was true on a day, such as that of a meeting, whenever it was written and changed. */
export function isAboutDay(metadata: Metadata): boolean {
  const day = dayOf(metadata);
  return day !== null && metadata['created'] !== day;
}

/** Whether all that is known of the time of a note is when a program wrote its file: `createdAt` then says nothing. */
export function isUndatedNote({ origin, metadata }: Pick<RecordHeader, 'origin' | 'metadata'>): boolean {
  return origin === 'vault' && metadata['undated'] === true;
}

/** The day that a note is about, such as `2026-05-01`; `null` if it has none. */
export function dayOf({ date }: Metadata): string | null {
  return typeof date === 'string' && DAY.test(date) && !Number.isNaN(noonOf(date)) ? date : null;
}

/** A part of a file of an OpenClaw agent, which has the day in the name of its file as the time of its creation. */
function isDailyFile({ file }: Metadata): boolean {
  return typeof file === 'string' && DAILY_FILE.test(file);
}

const NOON_MS = 12 * 3_600_000;

/** Noon in UTC is on the same day in nearly all time zones. */
function noonOf(day: string): Timestamp {
  return Date.parse(`${day}T12:00Z`);
}
