import type { Timestamp } from '../types.ts';

const DAY = 86_400_000;
const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;

/** Days that go by the name of their weekday, of which there is then only one. */
const NAMED_DAYS = 6;

export interface DayAhead {
  /** `today`, `tomorrow`, `Friday`, `4 Dec`, `4 Dec 2027` */
  readonly day: string;
  /** `10:00`; `null` for a day alone, which begins at midnight, and where a clock would say too much. */
  readonly clock: string | null;
}

/** When something is that lies ahead, in words, where we are; `null` for what is over. A day alone lasts until its end. */
export function dayAhead(then: Timestamp, now: Timestamp): DayAhead | null {
  const [day, today] = [new Date(then), new Date(now)];
  // Days of summer time are longer or shorter by an hour.
  const days = Math.round((startOf(day) - startOf(today)) / DAY);
  const isAlone = startOf(day) === then;
  if (!(days >= 0) || (then <= now && !isAlone)) return null;
  const near = days <= NAMED_DAYS;
  return { day: near ? nearDay(days, day) : date(day, today), clock: near && !isAlone ? clock(day) : null };
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
