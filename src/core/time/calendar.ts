import type { Timestamp } from '../types.ts';
import { DAY_MS } from './whole-day.ts';

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;

/** Up to this many days from today, a day is written as its weekday. From seven days on that would be ambiguous. */
const MAX_WEEKDAYS_AHEAD = 6;

interface UpcomingDay {
  /** `today`, `tomorrow`, `Friday`, `4 Dec`, `4 Dec 2027` */
  readonly day: string;
  /** `10:00`; `null` for a whole day, and for days after `MAX_WEEKDAYS_AHEAD`. */
  readonly time: string | null;
}

/** Describes a future time in local time; `null` if it is past. Midnight means the whole day, which is past when it ends. */
export function upcomingDay(time: Timestamp, now: Timestamp): UpcomingDay | null {
  const [day, today] = [new Date(time), new Date(now)];
  // A day on which daylight saving time begins or ends has 23 or 25 hours.
  const days = Math.round((startOfDay(day) - startOfDay(today)) / DAY_MS);
  const isWholeDay = startOfDay(day) === time;
  if (!(days >= 0) || (time <= now && !isWholeDay)) return null;
  const isNear = days <= MAX_WEEKDAYS_AHEAD;
  return {
    day: isNear ? formatNearDay(days, day) : formatDate(day, today),
    time: isNear && !isWholeDay ? formatTime(day) : null,
  };
}

function startOfDay(time: Date): Timestamp {
  return new Date(time.getFullYear(), time.getMonth(), time.getDate()).getTime();
}

function formatNearDay(days: number, day: Date): string {
  if (days < 2) return days === 0 ? 'today' : 'tomorrow';
  return WEEKDAYS[day.getDay()] ?? '';
}

function formatDate(day: Date, today: Date): string {
  const year = day.getFullYear() === today.getFullYear() ? '' : ` ${String(day.getFullYear())}`;
  return `${String(day.getDate())} ${MONTHS[day.getMonth()] ?? ''}${year}`;
}

function formatTime(time: Date): string {
  return [time.getHours(), time.getMinutes()].map((part) => String(part).padStart(2, '0')).join(':');
}
