import type { Timestamp } from '../types.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const UNITS: readonly (readonly [lengthMs: number, unit: string])[] = [
  [365 * DAY_MS, 'y'],
  [30 * DAY_MS, 'mo'],
  [7 * DAY_MS, 'w'],
  [DAY_MS, 'd'],
  [HOUR_MS, 'h'],
  [MINUTE_MS, 'min'],
];

/** A time that is short of a whole unit by at most this share counts as one. */
const ROUNDED_SHARE = 0.01;

/** Formats the time until `at`, rounded to the nearest unit: `3mo` for 90 days less some seconds. `null` if it is below a minute. */
export function formatTimeLeft(at: Timestamp, now: Timestamp): string | null {
  const span = at - now;
  const unit = UNITS.find(([lengthMs]) => span >= lengthMs * (1 - ROUNDED_SHARE));
  return unit === undefined ? null : `${String(Math.round(span / unit[0]))}${unit[1]}`;
}

/** Formats an age in the largest whole unit: `3d ago`, `2w ago`, `just now`; `in 4d` for a time in the future. */
export function formatAge(then: Timestamp, now: Timestamp): string {
  const span = Math.abs(now - then);
  const unit = UNITS.find(([lengthMs]) => span >= lengthMs);
  if (unit === undefined) return 'just now';
  const amount = `${String(Math.floor(span / unit[0]))}${unit[1]}`;
  return then > now ? `in ${amount}` : `${amount} ago`;
}
