import { formatAge, formatTimeLeft } from '../../../core/time/age.ts';
import { DAY_MS } from '../../../core/time/whole-day.ts';

/** `22 December 2026` in the local time zone; with the time of day if fewer than two days are left. */
export function expiryText(time: string, now: number): string {
  const at = Date.parse(time);
  const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long' }).format(at);
  if (at - now >= 2 * DAY_MS) return day;
  return `${day}, ${new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' }).format(at)}`;
}

/** `2026-11-22 09:15:53` in the local time zone: a form that `--from` and `--until` accept. */
export function localTimeText(time: string): string {
  return new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium' }).format(
    Date.parse(time),
  );
}

/** `3d ago`. */
export function ageText(time: string, now: number): string {
  return formatAge(Date.parse(time), now);
}

/** `3mo left`. */
export function timeLeftText(time: string, now: number): string {
  const at = Date.parse(time);
  if (at <= now) return 'expired';
  return `${formatTimeLeft(at, now) ?? '<1min'} left`;
}

/** `45 s`, `3 min`, `2 h 5 min`. */
export function durationText(seconds: number): string {
  if (seconds < 100) return `${seconds < 10 ? seconds.toFixed(1) : seconds.toFixed(0)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 100
    ? `${String(minutes)} min`
    : `${String(Math.floor(minutes / 60))} h ${String(minutes % 60)} min`;
}
