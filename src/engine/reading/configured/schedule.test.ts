import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isDue, nextRead, nextTry } from './schedule.ts';

const NOW = Date.parse('2026-11-22T12:00:00Z');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('nextRead', () => {
  it('is after the interval, or after a minimum delay', () => {
    expect(nextRead(NOW, MINUTE)).toBe(NOW + MINUTE);
    expect(nextRead(NOW, 0)).toBe(NOW + 1000);
  });
});

describe('nextTry', () => {
  it.each([
    [5 * MINUTE, 1, 30_000],
    [5 * MINUTE, 2, 60_000],
    [5 * MINUTE, 5, 8 * MINUTE],
    [10_000, 1, 10_000],
    [10_000, 3, 40_000],
    [24 * HOUR, 4, 4 * MINUTE],
    [5 * MINUTE, 40, HOUR],
  ])(
    'with an interval of %i ms after %i consecutive failures waits %i ms',
    (interval, consecutiveFailures, wait) => {
      expect(nextTry(NOW, interval, consecutiveFailures, 0.5) - NOW).toBe(wait);
    },
  );

  it('waits at most an hour, and at least the minimum delay', () =>
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 30 * 24 * HOUR }),
        fc.integer({ min: 1, max: 1000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (interval, consecutiveFailures, random) => {
          const wait = nextTry(NOW, interval, consecutiveFailures, random) - NOW;
          expect(wait).toBeLessThanOrEqual(HOUR);
          expect(wait).toBeGreaterThanOrEqual(800);
        },
      ),
    ));

  it('gives sources that failed together different delays', () =>
    expect(nextTry(NOW, HOUR, 3, 1)).toBeGreaterThan(nextTry(NOW, HOUR, 3, 0)));
});

describe('isDue', () => {
  const state = (nextAt: number | null, triedAt: number | null = NOW - MINUTE, consecutiveFailures = 0) => ({
    nextAt,
    triedAt,
    tookMs: 0,
    consecutiveFailures,
  });

  it('is true if the interval has become shorter, but not after failures', () => {
    expect(isDue(state(NOW + 4 * MINUTE), 10_000, NOW)).toBe(true);
    expect(isDue(state(NOW + 4 * MINUTE, NOW - MINUTE, 2), 10_000, NOW)).toBe(false);
    expect(isDue(state(NOW + 4 * MINUTE, NOW - 5000), 10_000, NOW)).toBe(false);
  });

  it('is true if the clock was set back', () => {
    expect(isDue(state(NOW + 365 * 24 * HOUR), MINUTE, NOW)).toBe(true);
    expect(isDue(state(NOW + MINUTE, NOW + 1), 5 * MINUTE, NOW)).toBe(true);
  });
});
