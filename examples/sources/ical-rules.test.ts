import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { calendarText, event } from './calendar-text.ts';
import { runProgram } from './run-program.ts';

const DAY = 86_400_000;
const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];
const FROM = Date.UTC(2026, 0, 1);
const DAYS = 120;

interface Rule {
  readonly start: number;
  readonly freq: 'DAILY' | 'WEEKLY' | 'MONTHLY' | 'YEARLY';
  readonly interval: number;
  readonly byDay: readonly { readonly nth: number; readonly day: number }[];
  readonly byMonthDay: readonly number[];
  readonly byMonth: readonly number[];
  readonly setPosition: number;
  readonly count: number;
  readonly until: number;
}

const list = (arbitrary: fc.Arbitrary<number>) => fc.uniqueArray(arbitrary, { maxLength: 3 });
const rules: fc.Arbitrary<Rule> = fc
  .record({
    start: fc.integer({ min: -1500, max: 200 }).map((day) => FROM + day * DAY),
    freq: fc.constantFrom('DAILY' as const, 'WEEKLY' as const, 'MONTHLY' as const, 'YEARLY' as const),
    interval: fc.integer({ min: 1, max: 4 }),
    byDay: fc.uniqueArray(
      fc.record({ nth: fc.constantFrom(0, 0, 0, 1, 2, -1), day: fc.integer({ min: 0, max: 6 }) }),
      { maxLength: 3, selector: ({ nth, day }) => nth * 10 + day },
    ),
    byMonthDay: list(fc.constantFrom(1, 2, 13, 28, 30, 31, -1, -2)),
    byMonth: list(fc.integer({ min: 1, max: 12 })),
    setPosition: fc.constantFrom(0, 0, 1, 2, -1),
    count: fc.constantFrom(0, 0, 1, 5, 40),
    until: fc.integer({ min: 0, max: 500 }).map((day) => (day > 400 ? 0 : FROM + day * DAY)),
  })
  .map((rule) => ({
    ...rule,
    byDay: rule.byDay.map(({ nth, day }) => ({ nth: rule.freq === 'MONTHLY' ? nth : 0, day })),
    // RFC 5545, section 3.3.10, does not allow BYMONTHDAY with WEEKLY. A yearly rule of this test always names months.
    byMonthDay: rule.freq === 'WEEKLY' ? [] : rule.byMonthDay,
    byMonth: rule.freq === 'YEARLY' && rule.byMonth.length === 0 ? [5] : rule.byMonth,
    setPosition:
      rule.freq === 'MONTHLY' && rule.byDay.length + rule.byMonthDay.length > 0 ? rule.setPosition : 0,
    until: rule.count > 0 ? 0 : rule.until,
  }));

describe('repeating events', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'loci-rules-'));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it('match RFC 5545, computed day by day', async () => {
    const property = fc.asyncProperty(fc.array(rules, { minLength: 60, maxLength: 60 }), async (all) => {
      const file = join(folder, 'rules.ics');
      const events = all.map((rule, index) =>
        event(`r${index}`, `DTSTART;VALUE=DATE:${stamp(rule.start)}`, `RRULE:${textOf(rule)}`),
      );
      const found = new Map<string, string[]>(all.map((_, index) => [`r${index}`, []]));
      // The program prints at most 2000 documents at once.
      for (let first = 0; first < all.length; first += 15) {
        writeFileSync(file, calendarText(events.slice(first, first + 15)));
        const { documents, stderr } = await runProgram('ical.mjs', [
          file,
          ...['--now', '2026-01-01T12:00:00Z', '--past', '0', '--days', String(DAYS)],
        ]);
        expect(stderr).toBe('');
        for (const { title, timestamp } of documents) found.get(title ?? '')?.push(timestamp ?? '');
      }
      for (const [index, rule] of all.entries())
        expect(found.get(`r${index}`), `${stamp(rule.start)} ${textOf(rule)}`).toEqual(expectedDays(rule));
    });
    // The message names the rule. Shrinking the list would start hundreds of processes.
    await fc.assert(property, { numRuns: 1, endOnFailure: true });
  });
});

/** The days of a rule within the period, computed by checking every day since its start. */
function expectedDays(rule: Rule): string[] {
  const until = rule.until === 0 ? Infinity : rule.until;
  const end = FROM + (DAYS + 1) * DAY;
  let matching: number[] = [];
  for (let day = firstOfMonth(rule.start); day < end + 31 * DAY; day += DAY)
    if (matches(rule, day)) matching.push(day);
  if (rule.setPosition !== 0) matching = atSetPosition(matching, rule.setPosition);
  matching = matching.filter((day) => day >= rule.start && day <= until);
  if (rule.count > 0) matching = matching.slice(0, rule.count);
  return [...new Set([rule.start, ...matching])]
    .filter((day) => day >= FROM && day < end)
    .sort((one, other) => one - other)
    .map((day) => new Date(day).toISOString().slice(0, 10));
}

function matches(rule: Rule, day: number): boolean {
  const [date, start] = [new Date(day), new Date(rule.start)];
  const months =
    (date.getUTCFullYear() - start.getUTCFullYear()) * 12 + date.getUTCMonth() - start.getUTCMonth();
  const passed = {
    DAILY: Math.round((day - rule.start) / DAY),
    WEEKLY: Math.round((monday(day) - monday(rule.start)) / (7 * DAY)),
    MONTHLY: months,
    YEARLY: date.getUTCFullYear() - start.getUTCFullYear(),
  }[rule.freq];
  if (passed % rule.interval !== 0) return false;
  if (rule.byMonth.length > 0 && !rule.byMonth.includes(date.getUTCMonth() + 1)) return false;
  const { byDay, byMonthDay } = rule;
  if (byMonthDay.length > 0 && !byMonthDay.some((nth) => nth === ordinal(day, nth))) return false;
  if (byDay.length > 0) return byDay.some((each) => each.day === weekday(day) && isNth(day, each.nth));
  if (byMonthDay.length > 0 || rule.freq === 'DAILY') return true;
  return rule.freq === 'WEEKLY'
    ? weekday(day) === weekday(rule.start)
    : date.getUTCDate() === start.getUTCDate();
}

/** The day of the month; counted from the end of the month (-1 for its last day) if `nth` is negative. */
function ordinal(day: number, nth: number): number {
  const date = new Date(day);
  const length = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  return nth > 0 ? date.getUTCDate() : date.getUTCDate() - length - 1;
}

function isNth(day: number, nth: number): boolean {
  if (nth === 0) return true;
  return nth > 0 ? Math.ceil(ordinal(day, 1) / 7) === nth : Math.ceil(-ordinal(day, -1) / 7) === -nth;
}

function atSetPosition(days: readonly number[], position: number): number[] {
  const months = Map.groupBy(days, firstOfMonth);
  return [...months.values()].flatMap((all) => all.at(position > 0 ? position - 1 : position) ?? []);
}

function weekday(day: number): number {
  return (new Date(day).getUTCDay() + 6) % 7;
}

function monday(day: number): number {
  return day - weekday(day) * DAY;
}

function firstOfMonth(day: number): number {
  const date = new Date(day);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
}

function textOf({ freq, interval, byDay, byMonthDay, byMonth, setPosition, count, until }: Rule): string {
  const parts = [
    `FREQ=${freq}`,
    `INTERVAL=${interval}`,
    byDay.length > 0 &&
      `BYDAY=${byDay.map(({ nth, day }) => `${nth || ''}${WEEKDAYS[day] ?? ''}`).join(',')}`,
    byMonthDay.length > 0 && `BYMONTHDAY=${byMonthDay.join(',')}`,
    byMonth.length > 0 && `BYMONTH=${byMonth.join(',')}`,
    setPosition !== 0 && `BYSETPOS=${setPosition}`,
    count > 0 && `COUNT=${count}`,
    until > 0 && `UNTIL=${stamp(until)}`,
  ];
  return parts.filter((part) => part !== false).join(';');
}

function stamp(day: number): string {
  return new Date(day).toISOString().slice(0, 10).replaceAll('-', '');
}
