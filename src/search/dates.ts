import * as chrono from 'chrono-node/en';
import type { Timestamp } from '../core/types.ts';

/** A day, week, month or year that a query names; until is exclusive. */
export interface DateRange {
  readonly text: string;
  readonly from: Timestamp;
  readonly until: Timestamp;
}

const MAY_NAME_A_DATE =
  /\d|day|week|month|year|tomorrow|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|tonight|morning|evening|ago|spring|summer|autumn|winter/i;
/** Verbs and nouns that are months and days as well, when nothing about them says date. */
const AMBIGUOUS = /^(?:march|may|sun|sat|mar|dec|mon)$/;
const WEEK = /\bweeks?\b/i;
const YEAR = /(?<=\b(?:in|of|since|during|from|summer|winter|spring|autumn|year)\s)(?:19|20)\d{2}(?![\w-])/gi;
/** Longer texts are not questions about a day. */
const MAX_LENGTH = 500;

/**
 * Dates named in a query, in local time, as people mean it. Relative ones are counted from `now`; a month, a day or a
 * weekday without a year is the last one that has begun, since memory is of what was.
 */
export function datesIn(query: string, now: Timestamp): DateRange[] {
  if (query.length > MAX_LENGTH || !MAY_NAME_A_DATE.test(query)) return [];
  const today = new Date(now);
  const found = chrono.parse(query, today).filter(({ text }) => !AMBIGUOUS.test(text));
  const ranges = found.flatMap(({ text, start, end }): DateRange[] => {
    const range = rangeOf(text, start, end ?? null, today);
    return range === null ? [] : [{ text, from: range[0].getTime(), until: range[1].getTime() }];
  });
  const years = [...query.matchAll(YEAR)].filter(
    ({ index }) => !found.some((date) => index >= date.index && index < date.index + date.text.length),
  );
  const ofYears = years.map(([text]) => ({
    text,
    from: new Date(Number(text), 0, 1).getTime(),
    until: new Date(Number(text) + 1, 0, 1).getTime(),
  }));
  return [...ranges, ...ofYears];
}

type Moment = chrono.ParsedResult['start'];
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
