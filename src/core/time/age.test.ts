import { describe, expect, it } from 'vitest';
import { formatAge, formatTimeLeft } from './age.ts';

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;

describe('formatAge', () => {
  it.each([
    [0, 'just now'],
    [MINUTE - 1, 'just now'],
    [MINUTE, '1min ago'],
    [59 * MINUTE + 59_999, '59min ago'],
    [60 * MINUTE, '1h ago'],
    [DAY - 1, '23h ago'],
    [DAY, '1d ago'],
    [3 * DAY, '3d ago'],
    [7 * DAY, '1w ago'],
    [14 * DAY, '2w ago'],
    [30 * DAY, '1mo ago'],
    [364 * DAY, '12mo ago'],
    [365 * DAY, '1y ago'],
    [40 * 365 * DAY, '40y ago'],
    [-MINUTE / 2, 'just now'],
    [-4 * DAY, 'in 4d'],
  ])('formats %d ms as "%s"', (span, age) => {
    const now = Date.UTC(2026, 10, 22);
    expect(formatAge(now - span, now)).toBe(age);
  });
});

it.each([
  [90 * 86_400 - 5, '3mo'],
  [30 * 86_400 - 5, '1mo'],
  [7 * 86_400 - 5, '1w'],
  [24 * 3600 - 5, '1d'],
  [20 * 86_400, '3w'],
  [36 * 3600 - 1, '1d'],
  [3600 - 5, '1h'],
  [60, '1min'],
  [45, null],
])('%d seconds are left: %s', (seconds, text) => {
  expect(formatTimeLeft(seconds * 1000, 0)).toBe(text);
});
