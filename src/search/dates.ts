import { Chrono, configuration, type ParsedResult, type Parser } from 'chrono-node/en';
import { analyze } from '../core/text/analyze.ts';
import type { Timestamp } from '../core/types.ts';
import type { QueryTerm } from './query.ts';

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
  `\\d|(?:day|week|month|year|tomorrow|tonight|morning|evening|ago|spring|summer|autumn|winter)s?\\b|${MONTH.source}`,
  'i',
);
const NUMBERS = 'one two three four five six seven eight nine ten eleven twelve'.split(' ');
const SPAN = `(\\d{1,4}|an?|(?:a )?few|(?:a )?couple(?: of)?|${NUMBERS.join('|')})\\s+(day|week|month|year)s?`;
const AMOUNT = new RegExp(`\\b${SPAN}\\s+(ago|later|from now)\\b|\\bin\\s+${SPAN}\\b`, 'i');
/** Verbs and nouns that are months and days as well, when nothing about them says date. */
const AMBIGUOUS = /^(?:march|may|sun|sat|mar|dec|mon)$/;
const WEEK = /\bweeks?\b/i;
const YEAR = /(?<=\b(?:in|of|since|during|from|summer|winter|spring|autumn|year)\s)(?:19|20)\d{2}(?![\w-])/gi;
const RELATIVE = /\b(?:yesterday|today|tonight|tomorrow|ago|last|past|this|next)\b/i;
const MONTH_LENGTH = 32 * 86_400_000;
/** Longer texts are not questions about a day. */
const MAX_LENGTH = 500;

/**
 * Dates named in a query, in local time, as people mean it. Relative ones are counted from `now`; a month, a day or a
 * weekday without a year is the last one that has begun, since memory is of what was.
 */
export function datesIn(query: string, now: Timestamp): DateRange[] {
  if (query.length > MAX_LENGTH || !MAY_NAME_A_DATE.test(query)) return [];
  const today = new Date(now);
  const found = chronoFor(query)
    .parse(query, today)
    .filter(({ text }) => !AMBIGUOUS.test(text));
  const ranges = found.flatMap(({ text, start, end }): DateRange[] => {
    const range = rangeOf(text, start, end ?? null, today);
    if (range === null) return [];
    const [from, until] = [range[0].getTime(), range[1].getTime()];
    return [{ text, from, until, relative: RELATIVE.test(text) && until - from < MONTH_LENGTH }];
  });
  const years = [...query.matchAll(YEAR)].filter(
    ({ index }) => !found.some((date) => index >= date.index && index < date.index + date.text.length),
  );
  const ofYears = years.map(([text]) => ({
    text,
    from: new Date(Number(text), 0, 1).getTime(),
    until: new Date(Number(text) + 1, 0, 1).getTime(),
    relative: false,
  }));
  return [...ranges, ...ofYears];
}

/** The index terms of what names the dates. */
export function termsOfDates(dates: readonly DateRange[]): Set<string> {
  return new Set(dates.flatMap(({ text }) => analyze(text).map(({ term }) => term)));
}

/** Whether a query of these terms asks for the days and nothing else: "What did I do last week". */
export function asksForDaysAlone(terms: readonly QueryTerm[], dates: readonly DateRange[]): boolean {
  const named = termsOfDates(dates);
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

const { parsers, refiners } = configuration.createCasualConfiguration();
const light = [AMOUNTS, ...parsers.filter((parser) => !parser.constructor.name.includes('TimeUnit'))];
const plain = light.filter((parser) => !parser.constructor.name.includes('MonthName'));
const everything: Chrono = new Chrono({ parsers: light, refiners });
const withoutMonths: Chrono = new Chrono({ parsers: plain, refiners });

/** What reads months is slow to start as well. */
function chronoFor(query: string): Chrono {
  return MONTH.test(query) ? everything : withoutMonths;
}

type Moment = ParsedResult['start'];
type Range = readonly [from: Date, until: Date];

function rangeOf(text: string, start: Moment, end: Moment | null, today: Date): Range | null {
  const day = dayOf(start.date(), 0);
  if (end !== null) return [day, dayOf(end.date(), 1)];
  const exact = start.isCertain('day');
  if (WEEK.test(text) && !start.isCertain('weekday')) {
    const monday = dayOf(day, -((day.getDay() + 6) % 7));
    return [monday, dayOf(monday, 7)];
  }
  if (!exact && start.isCertain('weekday')) {
    const past = day > today ? dayOf(day, -7) : day;
    return [past, dayOf(past, 1)];
  }
  const year = day.getFullYear() - (!start.isCertain('year') && exactFuture(day, today, start) ? 1 : 0);
  if (exact)
    return [new Date(year, day.getMonth(), day.getDate()), new Date(year, day.getMonth(), day.getDate() + 1)];
  if (start.isCertain('month'))
    return [new Date(year, day.getMonth(), 1), new Date(year, day.getMonth() + 1, 1)];
  return start.isCertain('year') ? [new Date(year, 0, 1), new Date(year + 1, 0, 1)] : null;
}

/** A calendar date that has not begun; "tomorrow" and "in 3 days" are meant as they are said. */
function exactFuture(day: Date, today: Date, start: Moment): boolean {
  return day > today && start.isCertain('month') && !isRelative(start);
}

function isRelative(start: Moment): boolean {
  return [...start.tags()].some((tag) => /relative|casualreference/i.test(tag));
}

function dayOf(date: Date, days: number): Date {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + days);
}
