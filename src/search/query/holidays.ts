import { dayOf } from './date-parsers.ts';

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

/** Each gives the last one that has begun and the one after it, unless the query chooses one. */
export function findHolidays(
  query: string,
  today: Date,
): { readonly text: string; readonly index: number; readonly days: readonly Date[] }[] {
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
    return { text, index: match.index, days };
  });
}

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
