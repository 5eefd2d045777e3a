import type { Timestamp } from '../../core/types.ts';
import { MAX_TIME, MIN_TIME } from '../files/file-time.ts';

/** Smaller numbers are seconds: as milliseconds, they would all be before March 1973. */
const MIN_MILLISECONDS = 1e11;
/** ISO 8601, extended (`2026-11-25T10:00:00+01:00`) or basic (`20261125T100000Z`), with at least a day. */
const ISO =
  /^(?:(\d{4})-(\d{2})-(\d{2})|(\d{4})(\d{2})(\d{2}))(?:[T ](\d{2}):?(\d{2})(?::?(\d{2})(?:[.,](\d+))?)?\s?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i;
/** Seconds or milliseconds as text. No ISO 8601 date has ten or thirteen digits, a fraction or an exponent. */
const EPOCH = /^(?:\d{10}|\d{13}|-?\d{1,13}\.\d{1,20}|-?\d{1,2}(?:\.\d{1,20})?e\+?\d{1,2})$/i;

/**
 * A printed time: milliseconds since 1970, seconds if the number is below 1e11, or ISO 8601. A date without a time, and a time
 * without a zone, are in the time zone of this machine. `null` for anything that is not a time of the years 1 to 9999.
 */
export function readTimestamp(raw: string | number): Timestamp | null {
  if (typeof raw === 'number') return fromNumber(raw);
  const text = raw.trim();
  return EPOCH.test(text) ? fromNumber(Number(text)) : fromIso(text);
}

function fromNumber(number: number): Timestamp | null {
  return inRange(Math.round(Math.abs(number) < MIN_MILLISECONDS ? number * 1000 : number));
}

function fromIso(text: string): Timestamp | null {
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
  if (offset === 'local') {
    const local = new Date(2000, 0, 1);
    local.setFullYear(year, month - 1, day);
    local.setHours(hour, minute, second, millisecond);
    return inRange(local.getTime());
  }
  return offset === null ? null : inRange(utc.setUTCHours(hour, minute, second, millisecond) - offset);
}

/** Milliseconds east of Greenwich. */
function offsetOf(zone: string | undefined): number | 'local' | null {
  if (zone === undefined) return 'local';
  if (zone.toUpperCase() === 'Z') return 0;
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(3).replace(':', ''))];
  if (hours > 23 || minutes > 59) return null;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}

function inRange(time: number): Timestamp | null {
  return time >= MIN_TIME && time <= MAX_TIME ? time : null;
}
