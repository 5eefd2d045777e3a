import { Chrono, configuration, type ParsedResult, type Parser } from 'chrono-node/en';
import { analyze } from '../../core/text/analyze.ts';
import type { Timestamp } from '../../core/types.ts';
import { DATE_ORDERS, dayIn, findDate } from '../../sources/dates/written-date.ts';
import type { TextTerm } from '../../store/search-model.ts';
import type { QueryTerm } from './parse.ts';

const MONTH =
  /\b(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b/i;
const NUMBERS = 'one two three four five six seven eight nine ten eleven twelve'.split(' ');
const SPAN = `(\\d{1,4}|an?|(?:a )?few|(?:a )?couple(?: of)?|${NUMBERS.join('|')})\\s+(day|week|month|year)s?`;
/** "In a month ago" is of the past, although "in a month" is not. */
const AMOUNT = new RegExp(`\\b(?:in\\s+)?${SPAN}\\s+(ago|later|from now)\\b|\\bin\\s+${SPAN}\\b`, 'i');
/** "The past two weeks", and "in the last month", which ends today. */
const UNTIL_NOW = new RegExp(
  `\\b(?:last|past|previous)\\s+${SPAN}\\b|\\b(?:in|over|during|within|for)\\s+the\\s+(?:last|past)\\s+(day|week|month|year)\\b`,
  'i',
);
const WEEKDAYS = 'sunday monday tuesday wednesday thursday friday saturday'.split(' ');
const WEEKDAY_AGO = new RegExp(
  `\\b(an?|(?:a )?couple(?: of)?|\\d{1,2}|${NUMBERS.join('|')})\\s+(${WEEKDAYS.join('|')})s?\\s+ago\\b`,
  'i',
);
const NEXT = /\bnext\b/i;
const LAST = /\b(?:last|past)\b/i;
const WEEKEND = /\b(this|next|last|past)\s+weekend\b/i;

/**
 * "Ten days ago", "in a week". Chrono's own parsers of amounts accept far more, but compiling their regular expressions
 * blocks the process for a third of a second (chrono-node 2.10).
 */
const AMOUNTS: Parser = {
  pattern: () => AMOUNT,
  extract: (context, match) => {
    const past = match[3]?.toLowerCase() === 'ago';
    const amount = amountOf(match[1] ?? match[4] ?? '') * (past ? -1 : 1);
    const unit = (match[2] ?? match[5] ?? '').toLowerCase();
    const date = new Date(context.refDate);
    if (unit === 'day' || unit === 'week') date.setDate(date.getDate() + amount * (unit === 'week' ? 7 : 1));
    else
      date.setFullYear(
        date.getFullYear() + (unit === 'year' ? amount : 0),
        date.getMonth() + (unit === 'month' ? amount : 0),
        1,
      );
    const components = context.createParsingComponents({ year: date.getFullYear() });
    if (unit === 'year') return components.imply('month', 1).imply('day', 1);
    components.assign('month', date.getMonth() + 1);
    return unit === 'month' ? components.imply('day', 1) : components.assign('day', date.getDate());
  },
};

/** "The past two weeks": from so long ago until today. */
const SPANS_UNTIL_NOW: Parser = {
  pattern: () => UNTIL_NOW,
  extract: (context, match) => {
    const amount = amountOf(match[1] ?? 'a');
    const unit = (match[2] ?? match[3] ?? '').toLowerCase();
    const today = dayOf(context.refDate, 0);
    const from = new Date(today);
    if (unit === 'month') from.setMonth(from.getMonth() - amount);
    else if (unit === 'year') from.setFullYear(from.getFullYear() - amount);
    else from.setDate(from.getDate() - amount * (unit === 'week' ? 7 : 1));
    return resultOf(context, match, from, today);
  },
};

/** "Two Saturdays ago": the last one that is over is one ago. */
const WEEKDAYS_AGO: Parser = {
  pattern: () => WEEKDAY_AGO,
  extract: (context, match) => {
    const weekday = WEEKDAYS.indexOf(match[2]!.toLowerCase());
    const since = (context.refDate.getDay() - weekday + 7) % 7 || 7;
    const day = dayOf(context.refDate, -since - 7 * (amountOf(match[1]!) - 1));
    return context.createParsingComponents(partsOf(day));
  },
};

function amountOf(text: string): number {
  const word = text.toLowerCase();
  if (word.includes('few')) return 3;
  if (word.includes('couple')) return 2;
  const number = NUMBERS.indexOf(word) + 1;
  return number > 0 ? number : word.startsWith('a') ? 1 : Number(word);
}

/** "This weekend": Chrono only reads the word "weekend". */
const WEEKENDS: Parser = {
  pattern: () => WEEKEND,
  extract: (context, match) => {
    const weeks = NEXT.test(match[0]) ? 1 : LAST.test(match[0]) ? -1 : 0;
    const saturday = dayOf(mondayOf(context.refDate), weeks * 7 + 5);
    const sunday = dayOf(saturday, 1);
    return resultOf(context, match, saturday, sunday);
  },
};

/** A range of whole days. */
function resultOf(
  context: Parameters<Parser['extract']>[0],
  match: RegExpMatchArray,
  first: Date,
  last: Date,
): ReturnType<(typeof context)['createParsingResult']> {
  const result = context.createParsingResult(match.index ?? 0, match[0], partsOf(first));
  result.end = context.createParsingComponents(partsOf(last));
  return result;
}

function partsOf(day: Date): { year: number; month: number; day: number } {
  return { year: day.getFullYear(), month: day.getMonth() + 1, day: day.getDate() };
}

const { parsers, refiners } = configuration.createCasualConfiguration();
const lightParsers = [
  AMOUNTS,
  SPANS_UNTIL_NOW,
  WEEKDAYS_AGO,
  WEEKENDS,
  ...parsers.filter((parser) => !parser.constructor.name.includes('TimeUnit')),
];
const withoutMonthParsers = lightParsers.filter((parser) => !parser.constructor.name.includes('MonthName'));
const chrono = new Chrono({ parsers: lightParsers, refiners });
const chronoWithoutMonths = new Chrono({ parsers: withoutMonthParsers, refiners });

/** The parsers of month names take long to compile as well: only queries that name a month need them. */
function chronoFor(query: string): Chrono {
  return MONTH.test(query) ? chrono : chronoWithoutMonths;
}

function mondayOf(day: Date): Date {
  return dayOf(day, -((day.getDay() + 6) % 7));
}

function dayOf(date: Date, days: number): Date {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + days);
}

/** Days that texts name by a word: of each year, or of the year after the word. */
const HOLIDAYS: readonly (readonly [name: string, dayIn: (year: number) => Date])[] = [
  ["new year[’']?s eve", (year) => new Date(year, 11, 31)],
  ["new year[’']?s(?: day)?", (year) => new Date(year, 0, 1)],
  ["valentine[’']?s(?: day)?", (year) => new Date(year, 1, 14)],
  ["st\\.? patrick[’']?s(?: day)?", (year) => new Date(year, 2, 17)],
  ['good friday', (year) => dayOf(easter(year), -2)],
  ['easter(?: sunday)?', easter],
  ["mother[’']?s day", (year) => nthWeekday(year, 4, 0, 2)],
  ['memorial day', (year) => dayOf(nthWeekday(year, 5, 1, 1), -7)],
  ["father[’']?s day", (year) => nthWeekday(year, 5, 0, 3)],
  ['independence day', (year) => new Date(year, 6, 4)],
  ['labou?r day', (year) => nthWeekday(year, 8, 1, 1)],
  ['halloween', (year) => new Date(year, 9, 31)],
  ['thanksgiving', (year) => nthWeekday(year, 10, 4, 4)],
  ['black friday', (year) => dayOf(nthWeekday(year, 10, 4, 4), 1)],
  ['christmas eve', (year) => new Date(year, 11, 24)],
  ['christmas(?: day)?', (year) => new Date(year, 11, 25)],
  ['boxing day', (year) => new Date(year, 11, 26)],
];
const HOLIDAY = new RegExp(
  `\\b(?:(last|this|next)\\s+)?(?:${HOLIDAYS.map(([name]) => `(${name})`).join('|')})(?![\\p{L}’'])(?:\\s+(?:of\\s+)?((?:19|20)\\d{2}))?`,
  'giu',
);

/** @param month from 0 @param weekday from 0, Sunday @param nth from 1 */
function nthWeekday(year: number, month: number, weekday: number, nth: number): Date {
  const first = new Date(year, month, 1);
  return dayOf(first, ((weekday - first.getDay() + 7) % 7) + 7 * (nth - 1));
}

/** Easter Sunday of the Gregorian calendar (the anonymous algorithm, Nature, 20 April 1876). */
function easter(year: number): Date {
  const [a, b, c] = [year % 19, Math.floor(year / 100), year % 100];
  const d = (19 * a + b - Math.floor(b / 4) - Math.floor((b - Math.floor((b + 8) / 25) + 1) / 3) + 15) % 30;
  const e = (32 + 2 * (b % 4) + 2 * Math.floor(c / 4) - d - (c % 4)) % 7;
  const f = d + e - 7 * Math.floor((a + 11 * d + 22 * e) / 451) + 114;
  return new Date(year, Math.floor(f / 31) - 1, (f % 31) + 1);
}

/** A day, week, month or year that a query names. */
export interface DateRange {
  readonly text: string;
  readonly from: Timestamp;
  /** Exclusive. */
  readonly until: Timestamp;
  /** The time before and after it that may be meant too, in milliseconds: "a month ago" is rarely exact. 0 unless given. */
  readonly marginMs?: number;
  /** Relative to today and at most a month long: "yesterday", "last week". No record has these words in its text. */
  readonly relative: boolean;
}

const MAY_NAME_A_DATE = new RegExp(
  `\\d|(?:day|week|weekend|month|year|tomorrow|tonight|morning|evening|ago|spring|summer|autumn|winter)s?\\b|${MONTH.source}`,
  'i',
);
/** A count of what happened "last month" includes this month. */
const COUNTS = /\bhow (?:many|much|often)\b/i;
const LAST_UNIT = /^(?:in\s+)?(?:the\s+)?last (?:week|month|year)$/i;
/** "How many hours do I sleep in a day?" asks for a rate, and not for tomorrow. */
const RATE = /^in an? (?:day|week|month|year)$/i;
/** Names of months and days that are also ordinary words. A match that consists of one of them alone is not a date. */
const AMBIGUOUS = /^(?:march|may|sun|sat|mar|dec|mon)$/;
const WEEK = /\bweeks?\b/i;
const THIS = /\bthis\b/i;
const YEAR = /(?<=\b(?:in|of|since|during|from|summer|winter|spring|autumn|year)\s)(?:19|20)\d{2}(?![\w-])/gi;
const RELATIVE = /\b(?:yesterday|today|tonight|tomorrow|ago|last|past|this|next)\b/i;
/** Longer than any month. */
const MAX_RELATIVE_MS = 32 * 86_400_000;
/** `19.05.2024`, `05/19/24`, `20240519`. */
const NUMERIC = /(?<![\p{L}\d.,/-])(?:(\d{1,2}([-/.])\d{1,2}\2)(\d{4}|\d{2})|\d{8})(?![\p{L}\d]|[.,/-]\d)/gu;
const MAX_RANGES = 20;
/** Longer queries are not read for dates. UTF-16 code units. */
const MAX_LENGTH = 500;

/**
 * Dates named in a query, in local time. Relative ones are counted from `now`: this week includes today. A weekday, or a
 * day or month without a year, gives two ranges: the last one that has begun and the one after it, since notes are about
 * the past and calendars about the future. "Last" and "next" choose one of them. So does a date such as `03-05-2024`, which may
 * begin with the day or with the month.
 */
export function detectDates(query: string, now: Timestamp): DateRange[] {
  if (query.length > MAX_LENGTH) return [];
  const today = new Date(now);
  const named = [...numericDays(query), ...holidays(query, today)];
  if (named.length === 0 && !MAY_NAME_A_DATE.test(query)) return [];
  const tomorrow = dayOf(today, 1);
  const isCount = COUNTS.test(query);
  const found = chronoFor(query)
    .parse(query, today)
    .filter(({ text, index }) => !AMBIGUOUS.test(text) && !named.some((day) => overlaps(day, text, index)))
    .filter(({ text }) => !(isCount && RATE.test(text)));
  const ranges = found.flatMap(({ text, start, end }) =>
    rangesOf(text, start, end ?? null, today).map(([begin, end]): DateRange => {
      const isUntilNow = isCount && LAST_UNIT.test(text);
      const [from, until] = [begin.getTime(), (isUntilNow ? tomorrow : end).getTime()];
      const relative = RELATIVE.test(text) && end.getTime() - from < MAX_RELATIVE_MS;
      const isPast = relative && until <= tomorrow.getTime();
      return { text, from, until, marginMs: isPast ? marginOf(text, end.getTime() - from) : 0, relative };
    }),
  );
  const years = [...query.matchAll(YEAR)].filter(
    ({ 0: text, index }) => ![...found, ...named].some((date) => overlaps(date, text, index)),
  );
  const ofYears = years.map(([text]) => ({
    text,
    from: new Date(Number(text), 0, 1).getTime(),
    until: new Date(Number(text) + 1, 0, 1).getTime(),
    relative: false,
  }));
  return unique([...named.flatMap(({ ranges }) => ranges), ...ranges, ...ofYears]);
}

const DAY_MS = 86_400_000;

/** A day for "four days ago", days for a week, a week for a month. */
function marginOf(text: string, lengthMs: number): number {
  const days = lengthMs / DAY_MS;
  if (days > 27) return 7 * DAY_MS;
  if (days > 6) return 3 * DAY_MS;
  return /\bago$/i.test(text) ? DAY_MS : 0;
}

/** A day in figures, or a holiday. */
interface NamedDay {
  readonly text: string;
  readonly index: number;
  readonly ranges: readonly DateRange[];
}

/** With a range for each order of day and month that makes it a day, unless its separator says the order. */
function numericDays(query: string): NamedDay[] {
  return [...query.matchAll(NUMERIC)].flatMap(({ 0: text, 1: start, 3: year, index }) => {
    const date = findDate(year?.length === 2 ? `${start!}20${year}` : text);
    if (date === null) return [];
    const day = dayIn(date, () => null);
    const days = day === null ? DATE_ORDERS.flatMap((order) => date.readings[order] ?? []) : [day];
    const ranges = days.map((each) => wholeDay(text, new Date(`${each}T00:00:00`)));
    return [{ text, index, ranges }];
  });
}

/**
 * Each gives the last one that has begun and the one after it, unless the query chooses one; with a day around each, on which people
 * write about it too.
 */
function holidays(query: string, today: Date): NamedDay[] {
  return [...query.matchAll(HOLIDAY)].map((match) => {
    const [text, choice = ''] = match;
    const names: readonly (string | undefined)[] = match.slice(2);
    const year = names[HOLIDAYS.length];
    const [, dayIn] = HOLIDAYS[names.findIndex((name) => name !== undefined)]!;
    const ofThisYear = dayIn(today.getFullYear());
    const lastYear = today.getFullYear() - (ofThisYear > today ? 1 : 0);
    const both = [dayIn(lastYear), dayIn(lastYear + 1)];
    const days =
      year !== undefined
        ? [dayIn(Number(year))]
        : /this/i.test(choice)
          ? [ofThisYear]
          : both.slice(/next/i.test(choice) ? 1 : 0, /last/i.test(choice) ? 1 : 2);
    const ranges = days.map((day) => ({ ...wholeDay(text, day), marginMs: DAY_MS }));
    return { text, index: match.index, ranges };
  });
}

function wholeDay(text: string, day: Date): DateRange {
  return { text, from: day.getTime(), until: dayOf(day, 1).getTime(), relative: false };
}

function overlaps({ text, index }: Pick<NamedDay, 'text' | 'index'>, other: string, at: number): boolean {
  return at < index + text.length && index < at + other.length;
}

/** The day on which summer time ends has 25 hours. */
const MAX_DAY_MS = 25 * 3_600_000;

/**
 * Other ways to write the days that a query names in figures: `2024-05-19` for `19.05.2024`, and `19 May` for `May 19th`, a day
 * without a year. Every record with a date has both in its index (`store/lexical/text-fields.ts`).
 */
export function writtenDays(dates: readonly DateRange[]): TextTerm[] {
  const days = dates.filter(({ text, from, until }) => /\d/.test(text) && until - from <= MAX_DAY_MS);
  // `years` has made two ranges of a day without a year.
  const texts = days.map(({ text, from }) =>
    days.some(
      (other) => other.text === text && other.from !== from && dayAndMonth(other.from) === dayAndMonth(from),
    )
      ? dayAndMonth(from)
      : isoDay(from),
  );
  return [...new Set(texts)].map((text) => ({ terms: analyze(text).map(({ term }) => term), prefix: false }));
}

function dayAndMonth(time: Timestamp): string {
  return new Date(time).toLocaleDateString('en-GB', { day: 'numeric', month: 'long' });
}

function isoDay(time: Timestamp): string {
  const day = new Date(time);
  const parts = [day.getFullYear(), day.getMonth() + 1, day.getDate()];
  return parts.map((part) => String(part).padStart(2, '0')).join('-');
}

/** Drops duplicates, since each range costs a query of its own. */
function unique(ranges: readonly DateRange[]): DateRange[] {
  const byKey = new Map<string, DateRange>();
  for (const range of ranges) {
    const key = [range.text, range.from, range.until].join(' ');
    if (!byKey.has(key)) byKey.set(key, range);
  }
  return [...byKey.values()].slice(0, MAX_RANGES);
}

/** The index terms of the words that name the dates. */
export function dateTerms(dates: readonly DateRange[]): Set<string> {
  return new Set(dates.flatMap(({ text }) => analyze(text).map(({ term }) => term)));
}

/** Whether all terms of a query are those of its dates: "What did I do last week". */
export function isDateOnlyQuery(terms: readonly QueryTerm[], dates: readonly DateRange[]): boolean {
  const named = dateTerms(dates);
  return dates.length > 0 && terms.every(({ terms: words }) => words.every((word) => named.has(word)));
}

type Moment = ParsedResult['start'];
type Range = readonly [from: Date, until: Date];

function rangesOf(text: string, start: Moment, end: Moment | null, today: Date): Range[] {
  const day = dayOf(start.date(), 0);
  // "From July to October" ends with the last day of October.
  const isUntilMonth = end?.isCertain('month') === true && !end.isCertain('day');
  if (end !== null) return [[day, isUntilMonth ? inAMonth(end.date()) : dayOf(end.date(), 1)]];
  if (!start.isCertain('day') && start.isCertain('weekday')) {
    const days = text.toLowerCase().includes('weekend') ? 2 : 1;
    return weekdays(text, day.getDay(), today).map((begin) => [begin, dayOf(begin, days)]);
  }
  if (WEEK.test(text) && !start.isCertain('weekday')) {
    // Chrono's weeks begin on Sundays.
    const monday = mondayOf(THIS.test(text) ? today : day);
    return [[monday, dayOf(monday, 7)]];
  }
  if (start.isCertain('day')) return years(day, start, today).map((begin) => [begin, dayOf(begin, 1)]);
  if (start.isCertain('month'))
    return years(dayOf(day, 1 - day.getDate()), start, today).map((first) => [first, inAMonth(first)]);
  return start.isCertain('year')
    ? [[new Date(day.getFullYear(), 0, 1), new Date(day.getFullYear() + 1, 0, 1)]]
    : [];
}

function weekdays(text: string, weekday: number, today: Date): Date[] {
  const ofThisWeek = dayOf(mondayOf(today), (weekday + 6) % 7);
  const last = ofThisWeek > today ? dayOf(ofThisWeek, -7) : ofThisWeek;
  const next = dayOf(last, 7);
  if (THIS.test(text)) return [ofThisWeek];
  if (NEXT.test(text)) return [next];
  // On a Saturday, "last Saturday" is not today.
  if (LAST.test(text)) return [dayOf(last, last.getTime() === dayOf(today, 0).getTime() ? -7 : 0)];
  return [last, next];
}

/** The day itself. For a date without a year: the last such day that has begun, and the same day a year later. */
function years(day: Date, start: Moment, today: Date): Date[] {
  if (start.isCertain('year') || !start.isCertain('month') || isRelative(start)) return [day];
  const ofThisYear = inYear(day, today.getFullYear());
  const last = ofThisYear > today ? inYear(day, today.getFullYear() - 1) : ofThisYear;
  return [last, inYear(day, last.getFullYear() + 1)];
}

function inYear(day: Date, year: number): Date {
  return new Date(year, day.getMonth(), day.getDate());
}

function inAMonth(first: Date): Date {
  return new Date(first.getFullYear(), first.getMonth() + 1, 1);
}

function isRelative(start: Moment): boolean {
  return [...start.tags()].some((tag) => /relative|casualreference/i.test(tag));
}
