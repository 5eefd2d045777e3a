import { DAY_MS, localDayOf } from '../../core/time/whole-day.ts';
import type { Timestamp } from '../../core/types.ts';
import { MAX_TIME, MIN_TIME } from '../files/read-file.ts';

/** Smaller numbers are seconds: as milliseconds, they would all be before March 1973. */
const MIN_MILLISECONDS = 1e11;
/** ISO 8601, extended (`2026-11-25T10:00:00+01:00`) or basic (`20261125T100000Z`), with at least a day. */
const ISO =
  /^(?:(\d{4})-(\d{2})-(\d{2})|(\d{4})(\d{2})(\d{2}))(?:[T ](\d{2}):?(\d{2})(?::?(\d{2})(?:[.,](\d+))?)?\s?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i;
/** Seconds or milliseconds as text. No ISO 8601 date has ten or thirteen digits, a fraction or an exponent. */
const EPOCH = /^(?:\d{10}|\d{13}|-?\d{1,13}\.\d{1,20}|-?\d{1,2}(?:\.\d{1,20})?e\+?\d{1,2})$/i;

/** A printed time, in the time zone of this machine if it names none. */
export interface PrintedTime {
  readonly time: Timestamp;
  /** The beginning on this machine of the day that a time may mean: one without a time of day, or `00:00`. */
  readonly day: Timestamp | null;
  /** Whether a time of day is written. */
  readonly hasTime: boolean;
}

/** Milliseconds of the times of day that programs write for a whole day: the first of it, and the last in seconds or milliseconds. */
const WHOLE_DAY_TIMES: ReadonlySet<number> = new Set([0, 86_399_000, 86_399_999]);

/**
 * A printed time: milliseconds since 1970, seconds if the number is below 1e11, or ISO 8601. `null` for anything that is not a
 * time of the years 1 to 9999.
 */
export function readTimestamp(raw: string | number): PrintedTime | null {
  if (typeof raw === 'number') return fromNumber(raw);
  const text = raw.trim();
  return EPOCH.test(text) ? fromNumber(Number(text)) : fromIso(text);
}

function fromNumber(number: number): PrintedTime | null {
  const time = Math.round(Math.abs(number) < MIN_MILLISECONDS ? number * 1000 : number);
  return inRange({ time, day: time % DAY_MS === 0 ? localDayOf(time) : midnightHere(time), hasTime: true });
}

function fromIso(text: string): PrintedTime | null {
  const match = ISO.exec(text);
  if (match === null) return null;
  const [year = 0, month = 0, day = 0] = (match[1] === undefined ? match.slice(4, 7) : match.slice(1, 4)).map(
    Number,
  );
  const [hour, minute, second] = [match[7], match[8], match[9]].map((part) => Number(part ?? 0)) as [
    number,
    number,
    number,
  ];
  if (hour > 23 || minute > 59 || second > 59) return null;
  const millisecond = Math.floor(Number(`0.${match[10] ?? '0'}`) * 1000);
  const utc = new Date(0);
  utc.setUTCFullYear(year, month - 1, day);
  if (utc.getUTCMonth() !== month - 1 || utc.getUTCDate() !== day) return null;
  const offset = offsetOf(match[11]);
  if (offset === null) return null;
  const localDay = localDayOf(utc.getTime());
  if (match[7] === undefined) return inRange({ time: localDay, day: localDay, hasTime: false });
  const time =
    offset === 'local'
      ? new Date(localDay).setHours(hour, minute, second, millisecond)
      : utc.setUTCHours(hour, minute, second, millisecond) - offset;
  const isOfDay = WHOLE_DAY_TIMES.has(((hour * 60 + minute) * 60 + second) * 1000 + millisecond);
  return inRange({ time, day: isOfDay ? localDay : midnightHere(time), hasTime: true });
}

/** Programs also write a day as the time at which it begins on this machine. */
function midnightHere(time: Timestamp): Timestamp | null {
  return new Date(time).setHours(0, 0, 0, 0) === time ? time : null;
}

/** Milliseconds east of Greenwich. */
function offsetOf(zone: string | undefined): number | 'local' | null {
  if (zone === undefined) return 'local';
  if (zone.toUpperCase() === 'Z') return 0;
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(3).replace(':', ''))];
  if (hours > 23 || minutes > 59) return null;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}

function inRange(printed: PrintedTime): PrintedTime | null {
  return printed.time >= MIN_TIME && printed.time <= MAX_TIME ? printed : null;
}
