import { describe, expect, it } from 'vitest';
import { timeBound } from './time-bound.ts';

/** Noon on a Sunday in the local time zone. */
const NOW = new Date(2026, 10, 22, 12).getTime();

function bounds(text: string): unknown[] {
  return (['from', 'until'] as const).map((bound) => {
    const parsed = timeBound(bound, () => NOW).safeParse(text);
    return parsed.success ? new Date(parsed.data) : parsed.error.issues[0]?.message;
  });
}

describe('timeBound', () => {
  it.each([
    ['2026-09-14', new Date(2026, 8, 14), new Date(2026, 8, 15)],
    ['2026-12-31', new Date(2026, 11, 31), new Date(2027, 0, 1)],
    [' 2026-10 ', new Date(2026, 9, 1), new Date(2026, 10, 1)],
    ['2026-12', new Date(2026, 11, 1), new Date(2027, 0, 1)],
    ['2026', new Date(2026, 0, 1), new Date(2027, 0, 1)],
    ['yesterday', new Date(2026, 10, 21), new Date(2026, 10, 22)],
    ['Last week', new Date(2026, 10, 9), new Date(2026, 10, 16)],
    ['two months ago', new Date(2026, 8, 1), new Date(2026, 9, 1)],
    ['Friday', new Date(2026, 10, 20), new Date(2026, 10, 21)],
    ['since December', new Date(2025, 11, 1), new Date(2026, 0, 1)],
    ['in May 2026', new Date(2026, 4, 1), new Date(2026, 5, 1)],
    ['3 May 2026', new Date(2026, 4, 3), new Date(2026, 4, 4)],
    ['2026-09-14T18:30', new Date(2026, 8, 14, 18, 30), new Date(2026, 8, 14, 18, 30)],
    ['2026-09-14 18:30Z', new Date('2026-09-14T18:30Z'), new Date('2026-09-14T18:30Z')],
  ])('parses %j as its beginning for `from` and its end for `until`', (text, from, until) => {
    expect(bounds(text)).toEqual([from, until]);
  });

  it.each([
    '',
    'whenever',
    '2026-02-30',
    '2026-13',
    '2026-00',
    'room 12',
    '14.9.2026',
    '4/9/2026',
    'the party last week',
    '2026-09-14T25:00',
  ])('refuses %j', (text) => {
    const expectedMessage = expect.stringMatching(/^a date such as 2026-09-14, .* last week$/) as string;
    expect(bounds(text)).toEqual([expectedMessage, expectedMessage]);
  });
});
