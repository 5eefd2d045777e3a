import type { Timestamp } from '../types.ts';

const DAY_MS = 86_400_000;
const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;

/** Days ahead that are called by their weekday, which is unambiguous for less than a week. */
const MAX_WEEKDAYS_AHEAD = 6;

export interface UpcomingDay {
  /** `today`, `tomorrow`, `Friday`, `4 Dec`, `4 Dec 2027` */
  readonly day: string;
  /** `10:00`; `null` for a whole day, which begins at midnight, and for days that are not near. */
  readonly clock: string | null;
}

/** Describes a time ahead in local time; `null` if it is over. A time at midnight is a whole day, which lasts until its end. */
export function upcomingDay(then: Timestamp, now: Timestamp): UpcomingDay | null {
  const [day, today] = [new Date(then), new Date(now)];
  // A day on which summer time begins or ends has an hour less or more.
  const days = Math.round((startOf(day) - startOf(today)) / DAY_MS);
  const isWholeDay = startOf(day) === then;
  if (!(days >= 0) || (then <= now && !isWholeDay)) return null;
  const isNear = days <= MAX_WEEKDAYS_AHEAD;
  return {
    day: isNear ? nearDay(days, day) : date(day, today),
    clock: isNear && !isWholeDay ? clock(day) : null,
  };
}

function startOf(time: Date): Timestamp {
  return new Date(time.getFullYear(), time.getMonth(), time.getDate()).getTime();
}

function nearDay(days: number, day: Date): string {
  if (days < 2) return days === 0 ? 'today' : 'tomorrow';
  return WEEKDAYS[day.getDay()] ?? '';
}

function date(day: Date, today: Date): string {
  const year = day.getFullYear() === today.getFullYear() ? '' : ` ${String(day.getFullYear())}`;
  return `${String(day.getDate())} ${MONTHS[day.getMonth()] ?? ''}${year}`;
}

function clock(time: Date): string {
  return [time.getHours(), time.getMinutes()].map((part) => String(part).padStart(2, '0')).join(':');
}
