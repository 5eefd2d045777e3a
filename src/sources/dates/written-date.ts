import type { DateOrder } from '../../config/sources-schema.ts';
import type { Span, Timestamp } from '../../core/types.ts';

export const DATE_ORDERS: readonly DateOrder[] = ['day-first', 'month-first'];

/** A day of the calendar, as `YYYY-MM-DD`, in each order; `null` if there is no such day. Most forms have one meaning in both. */
type Readings = Readonly<Record<DateOrder, string | null>>;

export interface FoundDate extends Span {
  readonly readings: Readings;
  /** The separator of a date such as `03-05-2024`, whose order may be either; `null` for other dates. */
  readonly separator: string | null;
}

export interface WrittenDate {
  /** `YYYY-MM-DD` in the time zone of the author. */
  readonly day: string;
  /** The day and its time in ISO 8601: midnight if the date has no time, and without a zone if it has none. */
  readonly iso: string;
  /** A date without a zone is in the time zone of this machine. */
  readonly timestamp: Timestamp;
}

/** A month, a quarter or a year. */
export interface WrittenPeriod {
  /** `2024-05`, `2024-Q2` or `2024`. */
  readonly period: string;
  readonly firstDay: string;
}

/** The order of day and month in dates with this separator; `null` if it is not known. */
export type OrderOf = (separator: string) => DateOrder | null;

interface Pattern {
  readonly pattern: RegExp;
  readonly read: (groups: Readonly<Record<string, string>>) => Readings | null;
}

const DAY = String.raw`(?<day>\d{1,2})(?:st|nd|rd|th|er|[.ºª])?`;
const MONTH = String.raw`(?<month>\p{L}{3,12})\.?`;
const YEAR = String.raw`(?<year>\d{4})(?!\d)`;

/** In the order in which they are tried. The texts are short, and each repetition has a maximum. */
const PATTERNS: readonly Pattern[] = [
  // 2024-05-16, 2024/5/16, 2024. 5. 16.
  {
    pattern:
      /(?<!\d)(?<year>\d{4})(?<separator>[-/._])\s?(?<month>\d{1,2})\k<separator>\s?(?<day>\d{1,2})(?!\d)\.?/u,
    read: ofNumbers,
  },
  {
    pattern: /(?<!\d)(?<year>\d{4})\s?[年년]\s?(?<month>\d{1,2})\s?[月월]\s?(?<day>\d{1,2})\s?[日일]/u,
    read: ofNumbers,
  },
  // 17-05-2024, 05/17/2024, 17. 5. 2024
  {
    pattern:
      /(?<![\p{L}\d]|\d[-/._])(?<first>\d{1,2})(?<separator>[-/._])\s?(?<second>\d{1,2})\k<separator>\s?(?<year>\d{4})(?!\d)/u,
    read: ({ first, second, year }) => ({
      'day-first': dayOf(year!, second!, first!),
      'month-first': dayOf(year!, first!, second!),
    }),
  },
  ...[
    String.raw`(?<!\d)${DAY}[\s-]{0,2}(?:(?:of|de)\s)?${MONTH},?[\s-]{1,2}(?:(?:de|of)\s)?${YEAR}`,
    String.raw`(?<!\p{L})${MONTH}[\s-]{0,2}${DAY},?[\s-]{1,2}${YEAR}`,
    String.raw`(?<!\d)${YEAR},?[\s-]{1,2}${MONTH}[\s-]{1,2}${DAY}(?!\d)`,
  ].map((source) => ({ pattern: new RegExp(source, 'iu'), read: ofNamedMonth })),
  // 20240516, 202405161030
  {
    pattern:
      /(?<!\d)(?<year>(?:19|20|21)\d{2})(?<month>\d{2})(?<day>\d{2})(?:(?=\d{4}(?!\d))|(?=\d{6}(?!\d))|(?!\d))/u,
    read: ofNumbers,
  },
  // 2024-W21 is the Monday of that week.
  {
    pattern: /(?<![\p{L}\d])(?<year>\d{4})-?W(?<week>\d{2})(?:-(?<weekday>[1-7]))?(?![\p{L}\d])/iu,
    read: ({ year, week, weekday = '1' }) => same(dayOfWeek(Number(year), Number(week), Number(weekday))),
  },
];

/** The first date in a text, such as the name of a file; `null` if there is none. Takes time in proportion to the length. */
export function findDate(text: string): FoundDate | null {
  for (const { pattern, read } of PATTERNS) {
    const match = pattern.exec(text);
    const readings = match === null ? null : read(match.groups as Record<string, string>);
    if (match === null || readings === null) continue;
    const [byDay, byMonth] = DATE_ORDERS.map((order) => readings[order]);
    if (byDay === null && byMonth === null) continue;
    const separator = byDay === byMonth ? null : match.groups!['separator']!;
    return { readings, separator, start: match.index, end: match.index + match[0].length };
  }
  return null;
}

/** The day of a date; `null` if its order is not known and both orders are days. With dots, the day is first unless the order says else. */
export function dayIn({ readings, separator }: FoundDate, orderOf: OrderOf): string | null {
  const [byDay, byMonth] = DATE_ORDERS.map((order) => readings[order]);
  if (byDay === byMonth || byMonth === null) return byDay!;
  if (byDay === null) return byMonth!;
  const order = orderOf(separator!) ?? (separator === '.' ? 'day-first' : null);
  return order === null ? null : readings[order];
}

/** The order that a date shows, because only one of both is a day; `null` if it shows none. */
export function shownOrder({ readings, separator }: FoundDate): DateOrder | null {
  if (separator === null) return null;
  const [first, second] = DATE_ORDERS.filter((order) => readings[order] !== null);
  return second === undefined ? first! : null;
}

const [MIN_YEAR, MAX_YEAR] = [1900, 2200];

/** `null` for a day that does not exist. */
function dayOf(yearText: string, monthText: string, dayText: string): string | null {
  const [year, month, day] = [Number(yearText), Number(monthText), Number(dayText)];
  const time = new Date(Date.UTC(year, month - 1, day));
  const exists = time.getUTCMonth() === month - 1 && time.getUTCDate() === day;
  return exists && year >= MIN_YEAR && year <= MAX_YEAR ? time.toISOString().slice(0, 10) : null;
}

function same(day: string | null): Readings {
  return { 'day-first': day, 'month-first': day };
}

function ofNumbers({ year, month, day }: Readonly<Record<string, string>>): Readings {
  return same(dayOf(year!, month!, day!));
}

function ofNamedMonth({ year, month, day }: Readonly<Record<string, string>>): Readings | null {
  const number = monthNamed(month!);
  return number === null ? null : same(dayOf(year!, String(number), day!));
}

/** The first week of a year is that of 4 January (ISO 8601). */
function dayOfWeek(year: number, week: number, weekday: number): string | null {
  const fourth = new Date(Date.UTC(year, 0, 4));
  const offset = (week - 1) * 7 + weekday - 1 - ((fourth.getUTCDay() + 6) % 7);
  const day = new Date(Date.UTC(year, 0, 4 + offset));
  const thursday = new Date(Date.UTC(year, 0, 4 + offset + 4 - weekday));
  return week >= 1 && thursday.getUTCFullYear() === year ? day.toISOString().slice(0, 10) : null;
}

/** `2024-05`, `2024/5`, `2024.05`, `2024年5月`; `2024-Q2`, `Q2 2024`; `May 2024`, `2024 mai`; `2024`. */
const PERIODS: readonly RegExp[] = [
  /^(?<year>\d{4})(?:\s?[-/._]\s?|\s?[年년]\s?)(?<month>\d{1,2})\s?[月월]?$/u,
  /^(?<year>\d{4})[-/._\s]{0,3}Q(?<quarter>[1-4])$/iu,
  /^Q(?<quarter>[1-4])[-/._\s]{1,3}(?<year>\d{4})$/iu,
  /^(?<name>\p{L}{3,12})\.?,?[-/._\s]{1,3}(?<year>\d{4})$/u,
  /^(?<year>\d{4}),?[-/._\s]{1,3}(?<name>\p{L}{3,12})$/u,
  /^(?<year>\d{4})[年년]?$/u,
];
/** The beginning of a name that is a month or a quarter, before other words: `2024-05 Review`. */
const LEADING_PERIOD = /^(\d{4}-(?:\d{2}|Q[1-4]))(?=[\s,–—_]|\s?-\s)/iu;

/** The month, quarter or year that fills a text, or begins the name of a file; `null` if there is none. */
export function readPeriod(text: string): WrittenPeriod | null {
  const written = unwrapped(text);
  if (written.length > MAX_LENGTH) return null;
  const whole = LEADING_PERIOD.exec(written)?.[1] ?? written;
  for (const pattern of PERIODS) {
    const { year, month, quarter, name } = pattern.exec(whole)?.groups ?? {};
    if (year === undefined) continue;
    const named = name === undefined ? null : monthNamed(name);
    if (name !== undefined && named === null) continue;
    const number = quarter === undefined ? (named ?? Number(month ?? 1)) : 3 * Number(quarter) - 2;
    const firstDay = dayOf(year, String(number), '1');
    if (firstDay === null) continue;
    if (quarter !== undefined) return { period: `${year}-Q${quarter}`, firstDay };
    return { period: month === undefined && named === null ? year : firstDay.slice(0, 7), firstDay };
  }
  return null;
}

/** Longer texts are no dates. In UTF-16 units. */
const MAX_LENGTH = 100;
/** Seconds or milliseconds since 1970. Ten digits from 1900000000 may also be a day and an hour. */
const EPOCH = /^(?:1[0-8]\d{8}|\d{13})$/;
/** `[[2024-05-16]]`, `[[Daily/2024-05-16|yesterday]]`, `<2024-05-16 Thu>` */
const LINK = /^!?\[\[([^\]|#]+)(?:[|#][^\]]*)?\]\]$/;
const ACTIVE = /^<(.*)>$/;
const WORD = /\p{L}+/gu;
const TIME =
  /^(?:T|[\s,]{1,3}(?:at\s|um\s|[@|-]\s)?)(?<hour>\d{1,2})(?::(?<minute>\d{2})(?::(?<second>\d{2})(?:[.,]\d{1,9})?)?|(?=\s?[ap]\.?m\b))(?:\s?(?<half>[ap])\.?m\.?(?![\p{L}]))?(?:\s?(?:Uhr|h)\b)?/iu;
const BASIC_TIME = /^T?(?<hour>\d{2})(?<minute>\d{2})(?<second>\d{2})?(?:[.,]\d{1,9})?/;
const ZONE = /^\s?(?:GMT|UTC)?(?<zone>Z|[+-]\d{2}(?::?\d{2})?)?$/i;

/** A date that fills a text, as plugins and people write it; `ambiguous` if the order of day and month is not known. */
export function readDate(text: string, orderOf: OrderOf): WrittenDate | 'ambiguous' | null {
  const parsed = parseDate(text);
  if (parsed === null) return null;
  const day = dayIn(parsed.date, orderOf);
  return day === null ? 'ambiguous' : writtenDate(day, parsed.time);
}

export function writtenDate(day: string, time = '00:00:00'): WrittenDate {
  const iso = `${day}T${time}`;
  return { day, iso, timestamp: Date.parse(iso) };
}

/** The date that fills a text, and its time in ISO 8601; `null` if there is anything else in the text. */
export function parseDate(text: string): { readonly date: FoundDate; readonly time: string } | null {
  const written = unwrapped(text);
  if (written.length > MAX_LENGTH) return null;
  if (EPOCH.test(written)) return ofEpoch(Number(written) * (written.length === 10 ? 1000 : 1));
  const found = findDate(written);
  if (found === null) return null;
  const before = withoutWeekdays(written.slice(0, found.start));
  const after = withoutWeekdays(written.slice(found.end));
  if (/[^\s,(]/u.test(before.rest)) return null;
  const time = timeOf(after.rest.replace(/^[\s,]*[()]+/u, ' ').trimEnd());
  if (time === null) return null;
  const weekday = before.weekday ?? after.weekday;
  return { date: weekday === null ? found : onWeekday(found, weekday), time };
}

/** The written day and time on the clock of this machine: a date of a note is a day, wherever it was written. */
export function onLocalDay(date: WrittenDate): WrittenDate {
  const iso = date.iso.replace(/(?<=T.*)(?:Z|[+-]\d{2}:\d{2})$/, '');
  return { ...date, iso, timestamp: Date.parse(iso) };
}

function unwrapped(text: string): string {
  const plain = text.trim();
  const inner = (LINK.exec(plain)?.[1] ?? ACTIVE.exec(plain)?.[1] ?? plain).trim();
  const isPath = LINK.test(plain) && !/^[\d/]+$/.test(inner);
  return isPath ? inner.slice(inner.lastIndexOf('/') + 1) : inner;
}

function ofEpoch(timestamp: Timestamp): ReturnType<typeof parseDate> {
  const local = new Date(timestamp);
  const day = dayOf(String(local.getFullYear()), String(local.getMonth() + 1), String(local.getDate()));
  const time = timeText(local.getHours(), local.getMinutes(), local.getSeconds());
  return day === null ? null : { date: { readings: same(day), separator: null, start: 0, end: 0 }, time };
}

function withoutWeekdays(text: string): { readonly rest: string; readonly weekday: number | null } {
  let weekday: number | null = null;
  const rest = text.replaceAll(WORD, (word) => {
    const number = weekdayNamed(word);
    weekday ??= number;
    return number === null ? word : '';
  });
  return { rest: rest === text ? text : rest.replace(/^\s*[.]/, ''), weekday };
}

/** Chooses the reading that is on the weekday, where only one of them is. */
function onWeekday(found: FoundDate, weekday: number): FoundDate {
  const isOn = (day: string | null): boolean => day !== null && new Date(day).getUTCDay() === weekday;
  const [byDay, byMonth] = DATE_ORDERS.map((order) => isOn(found.readings[order]));
  if (found.separator === null || byDay === byMonth) return found;
  const order = byDay === true ? 'month-first' : 'day-first';
  return { ...found, readings: { ...found.readings, [order]: null } };
}

/** The time after a date in ISO 8601; midnight if there is none, and `null` if the text is no time. */
function timeOf(text: string): string | null {
  if (text.trim() === '') return '00:00:00';
  const match = TIME.exec(text) ?? BASIC_TIME.exec(text);
  if (match === null) return null;
  const { hour = '', minute = '0', second = '0', half } = match.groups!;
  const zone = ZONE.exec(text.slice(match[0].length).replace(/\s*[([][^)\]]*[)\]]$/, ''));
  const hours = hoursOf(Number(hour), half?.toLowerCase());
  if (zone === null || hours === null || Number(minute) > 59 || Number(second) > 59) return null;
  return timeText(hours, Number(minute), Number(second)) + offsetOf(zone);
}

function timeText(...parts: readonly number[]): string {
  return parts.map((part) => String(part).padStart(2, '0')).join(':');
}

/** `22:30 PM`, which a mistaken template prints, is half past ten. */
function hoursOf(hour: number, half: string | undefined): number | null {
  if (hour > 23 || (half === 'a' && hour > 12)) return null;
  if (half === undefined || hour > 12) return hour;
  return (hour % 12) + (half === 'p' ? 12 : 0);
}

function offsetOf([text, zone]: RegExpExecArray): string {
  if (zone === undefined) return /GMT|UTC/i.test(text) ? 'Z' : '';
  if (zone.length === 3) return `${zone}:00`;
  return zone.toUpperCase().replace(/^(.\d{2})(\d{2})$/, '$1:$2');
}

/** The languages whose words for months and weekdays are read. */
const LANGUAGES = 'en en-GB de fr es pt it nl pl sv da nb ru ja zh ko'.split(' ');
/** Languages whose abbreviated months are read. Elsewhere, words such as `set` and `ago` stand beside numbers too. */
const ABBREVIATING = new Set(['en', 'en-GB', 'de', 'fr', 'nl']);

/** The number of a month, from 1, by its name or abbreviation; `null` for another word. */
function monthNamed(word: string): number | null {
  months ??= wordTable(12, (index) => Date.UTC(2024, index, 1), monthForms);
  return months.get(plain(word)) ?? null;
}

/** The number of a weekday, from 0 for Sunday, by its name or abbreviation; `null` for another word, and for the name of a month. */
function weekdayNamed(word: string): number | null {
  // The letters of ISO 8601 are no words. To make the tables takes 30 ms.
  if (/^[TZ]$/i.test(word)) return null;
  // 7 January 2024 was a Sunday.
  weekdays ??= wordTable(7, (index) => Date.UTC(2024, 0, 7 + index), weekdayForms);
  return monthNamed(word) === null ? (weekdays.get(plain(word)) ?? null) : null;
}

type WordTable = ReadonlyMap<string, number | null>;
let months: WordTable | undefined;
let weekdays: WordTable | undefined;

/** The forms of a month alone and beside a day, which some languages inflect. */
function monthForms(language: string): Intl.DateTimeFormatOptions[] {
  const styles = ABBREVIATING.has(language) ? (['long', 'short'] as const) : (['long'] as const);
  return styles.flatMap((month) => [{ month }, { month, day: 'numeric' }]);
}

function weekdayForms(): Intl.DateTimeFormatOptions[] {
  return [{ weekday: 'long' }, { weekday: 'short' }];
}

/** A word that has two meanings has none: `listopad` is October in one language and November in another. */
function wordTable(
  size: number,
  timeOf: (index: number) => number,
  formsOf: (language: string) => Intl.DateTimeFormatOptions[],
): WordTable {
  const table = new Map<string, number | null>();
  const first = size === 12 ? 1 : 0;
  for (const language of LANGUAGES)
    for (const form of formsOf(language)) {
      const format = new Intl.DateTimeFormat(language, { ...form, timeZone: 'UTC' });
      for (let index = 0; index < size; index++) {
        const parts = format.formatToParts(timeOf(index));
        const word = plain(parts.find(({ type }) => type in form && type !== 'day')?.value ?? '');
        if (!/\p{L}/u.test(word)) continue;
        const number = index + first;
        table.set(word, (table.get(word) ?? number) === number ? number : null);
      }
    }
  return table;
}

function plain(word: string): string {
  return word.normalize('NFC').toLowerCase().replaceAll('.', '');
}
