import { describe, expect, it } from 'vitest';
import { detectDates, writtenDays } from './dates.ts';

/** Noon on a Sunday in the local time zone. */
const NOW = new Date(2026, 10, 22, 12).getTime();

function day(date: Date): string {
  const parts = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
  expect([date.getHours(), date.getMinutes(), date.getSeconds(), date.getMilliseconds()]).toEqual([
    0, 0, 0, 0,
  ]);
  return parts.map((part) => String(part).padStart(2, '0')).join('-');
}

/** The local days on which each detected range begins and ends. Checks that both times are midnight. */
function ranges(query: string): [string, string][] {
  return detectDates(query, NOW).map(({ from, until }) => [day(new Date(from)), day(new Date(until))]);
}

describe('days in figures', () => {
  it.each([
    ['notes of 19.05.2024', ['2024-05-19']],
    ['05/19/2024', ['2024-05-19']],
    ['19-5-24', ['2024-05-19']],
    ['20240519', ['2024-05-19']],
    ['05/06/2024', ['2024-06-05', '2024-05-06']],
    ['06.05.2024', ['2024-05-06']],
    ['06/05/2024', ['2024-05-06', '2024-06-05']],
    ['05.05.2024', ['2024-05-05']],
    ['31.02.2024 20249999 v1.2.24', []],
  ])('are read in each order that makes a day: %s', (query, days) => {
    expect(ranges(query).map(([from]) => from)).toEqual(days);
  });

  it('are searched for as records with dates have them', () => {
    const terms = (query: string): string[] =>
      writtenDays(detectDates(query, NOW)).map((term) => term.terms.join(' '));
    expect(terms('05/06/2024')).toEqual(['2024 06 05', '2024 05 06']);
    expect(terms('May 19th')).toEqual(['19 mai']);
    expect(terms('May 19th 2024')).toEqual(['2024 05 19']);
    expect(terms('yesterday, May 2024 and last week')).toEqual([]);
  });
});

describe('detectDates', () => {
  it.each([
    ['what happened on 3 May 2026?', '2026-05-03', '2026-05-04'],
    ['notes of 2026-05-03', '2026-05-03', '2026-05-04'],
    ['what did I decide yesterday', '2026-11-21', '2026-11-22'],
    ['ten days ago', '2026-11-12', '2026-11-13'],
    ['what we did a week ago', '2026-11-09', '2026-11-16'],
    ['two months ago', '2026-09-01', '2026-10-01'],
    ['the workshop I took part in a month ago', '2026-10-01', '2026-11-01'],
    ['in the past two weeks', '2026-11-08', '2026-11-23'],
    ['over the last month', '2026-10-22', '2026-11-23'],
    ['last three days', '2026-11-19', '2026-11-23'],
    ['how many books did I read last month', '2026-10-01', '2026-11-23'],
    ['what did I read last month', '2026-10-01', '2026-11-01'],
    ['two Saturdays ago', '2026-11-14', '2026-11-15'],
    ['a Sunday ago', '2026-11-15', '2026-11-16'],
    ['last Sunday', '2026-11-15', '2026-11-16'],
    ['last Thanksgiving', '2025-11-27', '2025-11-28'],
    ['this Easter', '2026-04-05', '2026-04-06'],
    ['next Mother’s Day', '2027-05-09', '2027-05-10'],
    ["Valentine's Day 2024", '2024-02-14', '2024-02-15'],
    ['Memorial Day of 2023', '2023-05-29', '2023-05-30'],
    ['what we bought 3 years ago', '2023-01-01', '2024-01-01'],
    ['what comes in a few days', '2026-11-25', '2026-11-26'],
    ['what did I do last week', '2026-11-09', '2026-11-16'],
    ['this week', '2026-11-16', '2026-11-23'],
    ['next week', '2026-11-23', '2026-11-30'],
    ['what is on this weekend', '2026-11-21', '2026-11-23'],
    ['next weekend', '2026-11-28', '2026-11-30'],
    ['last Tuesday', '2026-11-17', '2026-11-18'],
    ['next Tuesday', '2026-11-24', '2026-11-25'],
    ['next Sunday', '2026-11-29', '2026-11-30'],
    ['this Friday', '2026-11-20', '2026-11-21'],
    ['on 31 December 2025', '2025-12-31', '2026-01-01'],
    ['in May 2026', '2026-05-01', '2026-06-01'],
    ['December 2025', '2025-12-01', '2026-01-01'],
    ['what was planned for next month', '2026-12-01', '2027-01-01'],
    ['this year', '2026-01-01', '2027-01-01'],
    ['last year', '2025-01-01', '2026-01-01'],
    ['from 3 May 2026 to 7 May 2026', '2026-05-03', '2026-05-08'],
    ['events from July 2025 to October 2025', '2025-07-01', '2025-11-01'],
    ['rides from July to October', '2026-07-01', '2026-11-01'],
  ])('reads "%s"', (query, from, until) => {
    expect(ranges(query)).toEqual([[from, until]]);
  });

  it.each([
    ['meeting on Tuesday', '2026-11-17', '2026-11-18', '2026-11-24', '2026-11-25'],
    ['on Sunday', '2026-11-22', '2026-11-23', '2026-11-29', '2026-11-30'],
    ['at the weekend', '2026-11-21', '2026-11-23', '2026-11-28', '2026-11-30'],
    ['on 1 December', '2025-12-01', '2025-12-02', '2026-12-01', '2026-12-02'],
    ['on 22 November', '2026-11-22', '2026-11-23', '2027-11-22', '2027-11-23'],
    ['at Christmas', '2025-12-25', '2025-12-26', '2026-12-25', '2026-12-26'],
    ['in December', '2025-12-01', '2026-01-01', '2026-12-01', '2027-01-01'],
  ])('reads "%s" as the latest one that has begun and the next one', (query, from, until, next, end) => {
    expect(ranges(query)).toEqual([
      [from, until],
      [next, end],
    ]);
  });

  it.each([16, 17, 18, 19, 20, 21, 22])('includes today in this week, on %i November', (today) => {
    const now = new Date(2026, 10, today, 9).getTime();
    const [week] = detectDates('this week', now);
    expect(week).toMatchObject({
      from: Number(new Date(2026, 10, 16)),
      until: Number(new Date(2026, 10, 23)),
    });
  });

  it('says how far from a date of the past its day may be', () => {
    const days = (query: string): unknown[] =>
      detectDates(query, NOW).map(({ marginMs = 0 }) => marginMs / 86_400_000);
    expect(['four days ago', 'last week', 'a month ago'].map(days)).toEqual([[1], [3], [7]]);
    expect(['yesterday', 'next week', 'in May 2026', 'this month'].map(days)).toEqual([[0], [0], [0], [0]]);
  });

  it('returns the words of each date', () => {
    expect(detectDates('what happened on 3 May 2026?', NOW)[0]?.text).toBe('on 3 May 2026');
  });

  it('reads "may" as a month only with a day or a year', () => {
    expect(ranges('what may I do')).toEqual([]);
    expect(ranges('May I call you')).toEqual([]);
    expect(ranges('what was done in may 2025')).toEqual([['2025-05-01', '2025-06-01']]);
  });

  it('reads "in a day" as a date unless the query counts', () => {
    expect(ranges('what comes in a week')).toHaveLength(1);
    expect(ranges('How many devices do I use in a day?')).toEqual([]);
  });

  it('reads no date in numbers, identifiers and times of day', () => {
    for (const query of [
      'what did we decide on market day',
      'in 5 minutes',
      'CONV-1234',
      'v1.2.3',
      '5 things',
      'room 2025',
      'at 5pm',
      'the oven',
      '',
    ])
      expect(ranges(query)).toEqual([]);
  });

  it.each([
    ['what did I buy yesterday', true],
    ['what we did a week ago', true],
    ['last month', true],
    ['in September', false],
    ['on 3 May 2026', false],
    ['what did we pick this year', false],
    ['Monday dal', false],
  ])('reports whether a date is relative to today: %s', (query, relative) => {
    expect(new Set(detectDates(query, NOW).map((date) => date.relative))).toEqual(new Set([relative]));
  });

  it('reads no dates in a long text', () => {
    expect(ranges(`3 May 2026 ${'x'.repeat(480)}`)).toHaveLength(1);
    expect(ranges(`3 May 2026 ${'x'.repeat(490)}`)).toEqual([]);
  });
});
