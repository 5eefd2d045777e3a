import { Chrono, configuration, type ParsedResult, type Parser } from 'chrono-node/en';
import { analyze } from '../../core/text/analyze.ts';
import type { Timestamp } from '../../core/types.ts';
import type { QueryTerm } from './parse.ts';

/** A day, week, month or year that a query names; until is exclusive. */
export interface DateRange {
  readonly text: string;
  readonly from: Timestamp;
  readonly until: Timestamp;
  /** Days of a month at most, counted from today: "yesterday", "last week". No record calls them that in its text. */
  readonly relative: boolean;
}

const MONTH =
  /\b(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b/i;
const MAY_NAME_A_DATE = new RegExp(
  `\\d|(?:day|week|weekend|month|year|tomorrow|tonight|morning|evening|ago|spring|summer|autumn|winter)s?\\b|${MONTH.source}`,
  'i',
);
const NUMBERS = 'one two three four five six seven eight nine ten eleven twelve'.split(' ');
const SPAN = `(\\d{1,4}|an?|(?:a )?few|(?:a )?couple(?: of)?|${NUMBERS.join('|')})\\s+(day|week|month|year)s?`;
const AMOUNT = new RegExp(`\\b${SPAN}\\s+(ago|later|from now)\\b|\\bin\\s+${SPAN}\\b`, 'i');
/** Verbs and nouns that are months and days as well, when nothing about them says date. */
const AMBIGUOUS = /^(?:march|may|sun|sat|mar|dec|mon)$/;
const WEEK = /\bweeks?\b/i;
const THIS = /\bthis\b/i;
const NEXT = /\bnext\b/i;
const LAST = /\b(?:last|past)\b/i;
const WEEKEND = /\b(this|next|last|past)\s+weekend\b/i;
const YEAR = /(?<=\b(?:in|of|since|during|from|summer|winter|spring|autumn|year)\s)(?:19|20)\d{2}(?![\w-])/gi;
const RELATIVE = /\b(?:yesterday|today|tonight|tomorrow|ago|last|past|this|next)\b/i;
const MONTH_LENGTH = 32 * 86_400_000;
/** Who names more days asks about none of them. */
const MAX_RANGES = 20;
/** Longer texts are not questions about a day. */
const MAX_LENGTH = 500;

/**
 * Dates named in a query, in local time, as people mean it. Relative ones are counted from `now`: this week holds today.
 * A weekday, a day or a month without a year is two, the last one that has begun and the one after it, since memory is of
 * what was and calendars of what will be; "last" and "next" say which.
 */
export function detectDates(query: string, now: Timestamp): DateRange[] {
  if (query.length > MAX_LENGTH || !MAY_NAME_A_DATE.test(query)) return [];
  const today = new Date(now);
  const found = chronoFor(query)
    .parse(query, today)
    .filter(({ text }) => !AMBIGUOUS.test(text));
  const ranges = found.flatMap(({ text, start, end }) =>
    rangesOf(text, start, end ?? null, today).map(([begin, end]): DateRange => {
      const [from, until] = [begin.getTime(), end.getTime()];
      return { text, from, until, relative: RELATIVE.test(text) && until - from < MONTH_LENGTH };
    }),
  );
  const years = [...query.matchAll(YEAR)].filter(
    ({ index }) => !found.some((date) => index >= date.index && index < date.index + date.text.length),
  );
  const ofYears = years.map(([text]) => ({
    text,
    from: new Date(Number(text), 0, 1).getTime(),
    until: new Date(Number(text) + 1, 0, 1).getTime(),
    relative: false,
  }));
  return unique([...ranges, ...ofYears]);
}

/** What is said twice is one range still: each costs a search of its own. */
function unique(ranges: readonly DateRange[]): DateRange[] {
  const known = new Map<string, DateRange>();
  for (const range of ranges) {
    const key = [range.text, range.from, range.until].join(' ');
    if (!known.has(key)) known.set(key, range);
  }
  return [...known.values()].slice(0, MAX_RANGES);
}

/** The index terms of what names the dates. */
export function dateTerms(dates: readonly DateRange[]): Set<string> {
  return new Set(dates.flatMap(({ text }) => analyze(text).map(({ term }) => term)));
}

/** Whether a query of these terms asks for the days and nothing else: "What did I do last week". */
export function isDateOnlyQuery(terms: readonly QueryTerm[], dates: readonly DateRange[]): boolean {
  const named = dateTerms(dates);
  return dates.length > 0 && terms.every(({ terms: words }) => words.every((word) => named.has(word)));
}

/**
 * "Ten days ago", "in a week". Chrono's own parsers of amounts know far more, and compile to regular expressions for
 * which a process stands still for a third of a second (chrono-node 2.10).
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

function amountOf(text: string): number {
  const word = text.toLowerCase();
  if (word.includes('few')) return 3;
  if (word.includes('couple')) return 2;
  const place = NUMBERS.indexOf(word);
  return place >= 0 ? place + 1 : word.startsWith('a') ? 1 : Number(word);
}

/** "This weekend", of which Chrono reads "weekend" alone. */
const WEEKENDS: Parser = {
  pattern: () => WEEKEND,
  extract: (context, match) => {
    const weeks = NEXT.test(match[0]) ? 1 : LAST.test(match[0]) ? -1 : 0;
    const saturday = dayOf(mondayOf(context.refDate), weeks * 7 + 5);
    const sunday = dayOf(saturday, 1);
    const result = context.createParsingResult(match.index ?? 0, match[0], partsOf(saturday));
    result.end = context.createParsingComponents(partsOf(sunday));
    return result;
  },
};

function partsOf(day: Date): { year: number; month: number; day: number } {
  return { year: day.getFullYear(), month: day.getMonth() + 1, day: day.getDate() };
}

const { parsers, refiners } = configuration.createCasualConfiguration();
const light = [
  AMOUNTS,
  WEEKENDS,
  ...parsers.filter((parser) => !parser.constructor.name.includes('TimeUnit')),
];
const plain = light.filter((parser) => !parser.constructor.name.includes('MonthName'));
const everything: Chrono = new Chrono({ parsers: light, refiners });
const withoutMonths: Chrono = new Chrono({ parsers: plain, refiners });

/** What reads months is slow to start as well. */
function chronoFor(query: string): Chrono {
  return MONTH.test(query) ? everything : withoutMonths;
}

type Moment = ParsedResult['start'];
type Range = readonly [from: Date, until: Date];

/** Most often one. */
function rangesOf(text: string, start: Moment, end: Moment | null, today: Date): Range[] {
  const day = dayOf(start.date(), 0);
  if (end !== null) return [[day, dayOf(end.date(), 1)]];
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
  return LAST.test(text) ? [last] : [last, next];
}

/** The first day as it is said; without a year that of the last time it has begun, and of the year after. */
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

function mondayOf(day: Date): Date {
  return dayOf(day, -((day.getDay() + 6) % 7));
}

function isRelative(start: Moment): boolean {
  return [...start.tags()].some((tag) => /relative|casualreference/i.test(tag));
}

function dayOf(date: Date, days: number): Date {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + days);
}
