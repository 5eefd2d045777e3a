import { z } from 'zod';
import type { Timestamp } from '../core/types.ts';

const DAY = /^(\d{4})-(\d{2})-(\d{2})$/;
const INSTANT = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?$/i;

/**
 * A bound of a time span: a day, or an ISO 8601 time; both of this machine's zone unless it names one. A day means its
 * beginning as a lower bound and its end as an upper one, so that `2026-09-14` takes in the whole of it.
 */
export function timeBound(bound: 'from' | 'until'): z.ZodType<Timestamp> {
  return z.string().transform((text, context): Timestamp => {
    const time =
      parseDay(text, bound) ?? (INSTANT.test(text) ? Date.parse(text.replace(' ', 'T')) : Number.NaN);
    if (!Number.isNaN(time)) return time;
    context.addIssue({ code: 'custom', message: 'a date such as 2026-09-14 or 2026-09-14T18:30' });
    return z.NEVER;
  });
}

function parseDay(text: string, bound: 'from' | 'until'): Timestamp | null {
  const match = DAY.exec(text);
  if (match === null) return null;
  const [year, month, day] = [Number(match[1]), Number(match[2]) - 1, Number(match[3])];
  const midnight = new Date(year, month, day);
  if (midnight.getMonth() !== month || midnight.getDate() !== day) return Number.NaN;
  return bound === 'from' ? midnight.getTime() : new Date(year, month, day + 1).getTime();
}

export function isoTime(time: Timestamp): string {
  return new Date(time).toISOString();
}
