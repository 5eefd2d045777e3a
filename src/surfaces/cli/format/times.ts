import { ageOf } from '../../../core/time/age.ts';

const DAY = 24 * 60 * 60 * 1000;

/** `22 December 2026` here, in this machine's time zone; with the time of day where less than two days are left. */
export function untilInWords(time: string, now: number): string {
  const at = Date.parse(time);
  const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long' }).format(at);
  return at - now >= 2 * DAY ? day : `${day}, ${clock(at)}`;
}

/** `2026-11-22 09:15:53`, in this machine's time zone: `--from` and `--until` are understood so too. */
export function localTime(time: string): string {
  return new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium' }).format(
    Date.parse(time),
  );
}

/** The same, and of what begins with a day of this machine's time zone the day alone: `2026-11-22`. */
export function localDay(time: string): string {
  return localTime(time).replace(/ 00:00:00$/, '');
}

/** `3d ago`. */
export function ageInWords(time: string, now: number): string {
  return ageOf(Date.parse(time), now);
}

/** `12w left`. */
export function leftInWords(time: string, now: number): string {
  const at = Date.parse(time);
  if (at <= now) return 'over';
  const left = ageOf(at, now);
  return left.startsWith('in ') ? `${left.slice('in '.length)} left` : '<1min left';
}

function clock(at: number): string {
  return new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' }).format(at);
}
