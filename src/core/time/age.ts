import type { Timestamp } from '../types.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const STEPS: readonly (readonly [span: number, unit: string])[] = [
  [365 * DAY, 'y'],
  [30 * DAY, 'mo'],
  [7 * DAY, 'w'],
  [DAY, 'd'],
  [HOUR, 'h'],
  [MINUTE, 'min'],
];

/** How long ago, in the largest whole unit: `3d ago`, `2w ago`, `just now`; `in 4d` for what is to come. */
export function ageOf(then: Timestamp, now: Timestamp): string {
  const span = Math.abs(now - then);
  const step = STEPS.find(([length]) => span >= length);
  if (step === undefined) return 'just now';
  const amount = `${String(Math.floor(span / step[0]))}${step[1]}`;
  return then > now ? `in ${amount}` : `${amount} ago`;
}
