import path from 'node:path';
import { parseDate, dayIn } from '../dates/written-date.ts';
import type { Link } from '../markdown/scan-links.ts';
import type { LogseqGraph } from './graph.ts';

/** The form in which names of pages are compared. A `#` within a name has no spaces around it, because links lose them. */
export function foldPageName(name: string): string {
  const plain = name.normalize('NFC').toLowerCase();
  return plain.replaceAll(/\s*#\s*/g, '#').replaceAll(/^[\s/]+|[\s/]+$/g, '');
}

/** How a page is called by its file: its title unless it has another one, `YYYY-MM-DD` for a journal, and further names. */
interface PageFile {
  readonly title: string;
  readonly day: string | null;
  readonly names: readonly string[];
}

/** Reads the name of a file in both formats of Logseq: `Garden___Pond.md`, `Garden%2FPond.md`, and `Garden.Pond.md` of old graphs. */
export function pageFileOf(key: string, graph: LogseqGraph): PageFile {
  const name = path.posix.basename(key).replace(/\.[^.]*$/, '');
  const day = key.startsWith(`${graph.journals}/`) ? dayOfTitle(name, graph.fileFormat) : null;
  if (day !== null) return { title: titleOfDay(day, graph.titleFormat), day, names: [day, name] };
  const decoded = decodePercent(name.replaceAll('___', '/'));
  const title = decoded.split('/').filter(Boolean).join('/');
  return {
    title: title === '' ? name : title,
    day: null,
    names: graph.hasDottedNames && decoded.includes('.') ? [decodePercent(name.replaceAll('.', '/'))] : [],
  };
}

/** Decodes each run of escapes that is valid UTF-8: `100%` stays. */
function decodePercent(name: string): string {
  return name.replaceAll(/(?:%[\da-f]{2})+/gi, (escaped) => {
    try {
      return decodeURIComponent(escaped);
    } catch {
      return escaped;
    }
  });
}

/** The page that a link means, as `foldPageName` has it; a day for the journal of that day; `null` for a link to a file. */
export function pageOfLink({ target, heading, block }: Link, { titleFormat }: LogseqGraph): string | null {
  if (/^\.{1,2}\/|\.(?:md|markdown|canvas|txt)$/i.test(target)) return null;
  const anchor = heading ?? (block === undefined ? null : `^${block}`);
  const name = foldPageName(anchor === null ? target : `${target}#${anchor}`);
  return name === '' ? null : (dayOfTitle(name, titleFormat) ?? name);
}

/** Longer texts are no titles of journals. */
const MAX_TITLE_LENGTH = 60;
/** A number, or a week. */
const NO_TITLE = /^(?!\d{8}$)\d+$|\d-?w\d/i;

/**
 * The day that a title of a journal names, in any usual format; `null` for other titles.
 * @param format tells whether the day or the month is first where a title leaves it open
 */
export function dayOfTitle(title: string, format: string): string | null {
  if (title.length > MAX_TITLE_LENGTH || !/\d/.test(title) || NO_TITLE.test(title)) return null;
  const parsed = parseDate(title);
  if (parsed?.time !== '00:00:00') return null;
  return dayIn(parsed.date, (separator) => {
    if (separator === '.') return 'day-first';
    const [day, month] = [format.indexOf('d'), format.indexOf('M')];
    return day >= 0 && day < month ? 'day-first' : 'month-first';
  });
}

const FORMAT = /'([^']*)'|y+|M+|do|d+|E+|[^'yMdE]+|'/g;

/** The title of the journal of a day in a format of Joda-Time, as Logseq's settings have it. */
export function titleOfDay(day: string, format: string): string {
  const date = new Date(`${day}T00:00:00Z`);
  const named = (options: Intl.DateTimeFormatOptions): string =>
    date.toLocaleDateString('en-US', { ...options, timeZone: 'UTC' });
  return format.replaceAll(FORMAT, (part: string, literal: string | undefined) => {
    if (literal !== undefined) return literal;
    const [year = '', month = '', dayOfMonth = ''] = day.split('-');
    if (part.startsWith('y')) return part.length === 2 ? year.slice(2) : year;
    if (part.startsWith('M') && part.length > 2)
      return named({ month: part.length === 3 ? 'short' : 'long' });
    if (part.startsWith('E')) return named({ weekday: part.length < 4 ? 'short' : 'long' });
    if (part === 'do') return ordinal(Number(dayOfMonth));
    const number = part.startsWith('M') ? month : part.startsWith('d') ? dayOfMonth : null;
    if (number === null) return part;
    return part.length === 1 ? String(Number(number)) : number;
  });
}

function ordinal(number: number): string {
  const isTeen = number >= 11 && number <= 13;
  return `${String(number)}${(isTeen ? undefined : ['', 'st', 'nd', 'rd'][number % 10]) || 'th'}`;
}
