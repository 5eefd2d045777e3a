import { CREATED_FIELDS } from '../../core/time/created-fields.ts';
import type { Json, Metadata, Timestamp } from '../../core/types.ts';

interface NoteDate {
  /** `YYYY-MM-DD` in the time zone of the author. */
  readonly day: string;
  /** Midnight if the date has no time; in the time zone of this machine if it has no zone. */
  readonly timestamp: Timestamp;
}

const DATE_FIELDS = ['date', ...CREATED_FIELDS];
const DATE_OR_TIME =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ]+(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?\s*(Z|[+-]\d{2}:?\d{2})?)?$/i;
/** `2026-05-01`, `2026_05_01 Planning`, `Meeting 2026.05.01`. */
const DATE_IN_NAME = /(?:^|\D)(\d{4})([-_.])(\d{2})\2(\d{2})(?!\d)/;
/** `20260501` and the timestamp names of a Zettelkasten: `202605011230 Planning`. */
const COMPACT_DATE_IN_NAME = /^(\d{4})(\d{2})(\d{2})(?:\d{4}|\d{6})?(?!\d)/;
const [MIN_YEAR, MAX_YEAR] = [1900, 2200];

/** The day that a note is about: `date` or `created` in its front matter, or else the day in the name of its file. */
export function noteDate(frontMatter: Metadata, fileName: string): NoteDate | null {
  return firstDate(frontMatter, DATE_FIELDS) ?? dateInName(fileName);
}

/** When a note was created, by its front matter. `date` comes last, because it may be the day of a coming event. */
export function createdDate(frontMatter: Metadata): NoteDate | null {
  return firstDate(frontMatter, [...CREATED_FIELDS, 'date']);
}

const CHANGED_FIELDS = [
  'updated',
  'modified',
  'updated_at',
  'modified_at',
  'updated-at',
  'modified-at',
  'last_modified',
  'last-modified',
  'last modified',
  'last updated',
  'date modified',
  'lastmod',
];

/** When a note was last changed, by its front matter. */
export function changedDate(frontMatter: Metadata): NoteDate | null {
  return firstDate(frontMatter, CHANGED_FIELDS);
}

function firstDate(frontMatter: Metadata, fields: readonly string[]): NoteDate | null {
  for (const field of fields) {
    const date = parseDate(frontMatter[field]);
    if (date !== null) return date;
  }
  return null;
}

function parseDate(value: Json | undefined): NoteDate | null {
  const match = typeof value === 'string' ? DATE_OR_TIME.exec(value.trim()) : null;
  if (match === null) return null;
  const [, year, month, day, hour = '0', minute = '0', second = '0', zone] = match;
  const midnight = noteDay(Number(year), Number(month), Number(day));
  if (midnight === null || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return null;
  const time = [hour, minute, second].map((part) => part.padStart(2, '0')).join(':');
  const offset = zone === undefined ? '' : zone.toUpperCase().replace(/^(.\d{2})(\d{2})$/, '$1:$2');
  return { day: midnight.day, timestamp: Date.parse(`${midnight.day}T${time}${offset}`) };
}

function dateInName(fileName: string): NoteDate | null {
  const separated = DATE_IN_NAME.exec(fileName);
  if (separated !== null) return noteDay(Number(separated[1]), Number(separated[3]), Number(separated[4]));
  const compact = COMPACT_DATE_IN_NAME.exec(fileName);
  return compact === null ? null : noteDay(Number(compact[1]), Number(compact[2]), Number(compact[3]));
}

/** Returns `null` for a day that does not exist. */
function noteDay(year: number, month: number, day: number): NoteDate | null {
  const midnight = new Date(year, month - 1, day);
  const exists = midnight.getMonth() === month - 1 && midnight.getDate() === day;
  if (!exists || year < MIN_YEAR || year > MAX_YEAR) return null;
  const text = [year, month, day].map((part) => String(part).padStart(2, '0')).join('-');
  return { day: text, timestamp: midnight.getTime() };
}

/** ISO 8601 writes years with four digits. */
export const MIN_TIME = Date.parse('0001-01-01T00:00:00Z');
export const MAX_TIME = Date.parse('9999-12-31T00:00:00Z');

/** Limits the time of a file to what ISO 8601 can write. Some file systems store times outside of that. */
export function timeOfFile(milliseconds: bigint): Timestamp {
  return Math.max(MIN_TIME, Math.min(MAX_TIME, Number(milliseconds)));
}
