import type { Json, Metadata, Timestamp } from '../../core/types.ts';

export interface NoteDate {
  /** `YYYY-MM-DD`, as its owner wrote it. */
  readonly day: string;
  /** Of a date without a time, midnight; without a zone, this machine's. */
  readonly timestamp: Timestamp;
}

const FIELDS = ['date', 'created', 'created_at', 'created-at', 'date created', 'creation date'];
const WRITTEN =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ]+(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?\s*(Z|[+-]\d{2}:?\d{2})?)?$/i;
/** `2026-05-01`, `2026_05_01 Planning`, `Meeting 2026.05.01`. */
const IN_NAME = /(?:^|\D)(\d{4})([-_.])(\d{2})\2(\d{2})(?!\d)/;
/** `20260501` and the timestamp names of a Zettelkasten: `202605011230 Planning`. */
const COMPACT_NAME = /^(\d{4})(\d{2})(\d{2})(?:\d{4}|\d{6})?(?!\d)/;
const YEARS = { first: 1900, last: 2200 };

/** The day a note is about: its front matter's `date` or `created`, else the day in its file's name. */
export function noteDate(frontMatter: Metadata, fileName: string): NoteDate | null {
  for (const field of FIELDS) {
    const written = fromText(frontMatter[field]);
    if (written !== null) return written;
  }
  return fromName(fileName);
}

/** What the front matter says of a note's beginning: `created` before `date`, which may name an event to come. */
export function createdDate(frontMatter: Metadata): NoteDate | null {
  for (const field of [...FIELDS.slice(1), 'date']) {
    const written = fromText(frontMatter[field]);
    if (written !== null) return written;
  }
  return null;
}

function fromText(value: Json | undefined): NoteDate | null {
  const match = typeof value === 'string' ? WRITTEN.exec(value.trim()) : null;
  if (match === null) return null;
  const [, year, month, day, hour = '0', minute = '0', second = '0', zone] = match;
  const midnight = noteDay(Number(year), Number(month), Number(day));
  if (midnight === null || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return null;
  const time = [hour, minute, second].map((part) => part.padStart(2, '0')).join(':');
  const offset = zone === undefined ? '' : zone.toUpperCase().replace(/^(.\d{2})(\d{2})$/, '$1:$2');
  return { day: midnight.day, timestamp: Date.parse(`${midnight.day}T${time}${offset}`) };
}

function fromName(fileName: string): NoteDate | null {
  const parted = IN_NAME.exec(fileName);
  if (parted !== null) return noteDay(Number(parted[1]), Number(parted[3]), Number(parted[4]));
  const compact = COMPACT_NAME.exec(fileName);
  return compact === null ? null : noteDay(Number(compact[1]), Number(compact[2]), Number(compact[3]));
}

/** `null` for a day that no calendar has. */
function noteDay(year: number, month: number, day: number): NoteDate | null {
  const midnight = new Date(year, month - 1, day);
  const exists = midnight.getMonth() === month - 1 && midnight.getDate() === day;
  if (!exists || year < YEARS.first || year > YEARS.last) return null;
  const text = [year, month, day].map((part) => String(part).padStart(2, '0')).join('-');
  return { day: text, timestamp: midnight.getTime() };
}

/** Years of four digits, as ISO 8601 writes them. */
export const TIMES: { readonly first: Timestamp; readonly last: Timestamp } = {
  first: Date.parse('0001-01-01T00:00:00Z'),
  last: Date.parse('9999-12-31T00:00:00Z'),
};

/** A file's time. Some file systems keep times that no calendar has: then the nearest that one has. */
export function timeOfFile(milliseconds: bigint): Timestamp {
  return Math.max(TIMES.first, Math.min(TIMES.last, Number(milliseconds)));
}
