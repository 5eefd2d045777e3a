import { z } from 'zod';
import type { Timestamp } from '../../core/types.ts';
import { detectDates } from '../../search/query/dates.ts';

/** A year, a month or a day. */
const CALENDAR = /^(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?$/;
const INSTANT = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?$/i;
/** What may stand before the words of a date. */
const PREPOSITIONS = /\b(?:in|on|of|the|since|from|until|till)\b/gi;

type Span = readonly [from: Timestamp, until: Timestamp];

/**
 * A bound of a time span: a day, month or year, in numbers or in words as queries know them (`last week`), or an ISO
 * 8601 time; all of this machine's zone unless it names one. A span means its beginning as a lower bound and its end
 * as an upper one, so that `2026-09-14` takes in the whole of that day, and `2026-09` the whole of that month.
 */
export function timeBound(bound: 'from' | 'until', now: () => Timestamp = Date.now): z.ZodType<Timestamp> {
  return z.string().transform((given, context): Timestamp => {
    const text = given.trim();
    const span = CALENDAR.test(text)
      ? calendarSpan(text)
      : INSTANT.test(text)
        ? instant(text)
        : inWords(text, now());
    if (span !== null) return bound === 'from' ? span[0] : span[1];
    context.addIssue({
      code: 'custom',
      message: 'a date such as 2026-09-14, 2026-09, 2026, 2026-09-14T18:30, yesterday or last week',
    });
    return z.NEVER;
  });
}

function calendarSpan(text: string): Span | null {
  const [year = 0, month, day] = text.split('-').map(Number);
  const first = new Date(year, (month ?? 1) - 1, day ?? 1);
  // Days and months that no calendar has roll over into the next.
  if (first.getMonth() !== (month ?? 1) - 1 || first.getDate() !== (day ?? 1)) return null;
  const next = new Date(first);
  if (day !== undefined) next.setDate(day + 1);
  else if (month !== undefined) next.setMonth(month);
  else next.setFullYear(year + 1);
  return [first.getTime(), next.getTime()];
}

function instant(text: string): Span | null {
  const time = Date.parse(text.replace(' ', 'T'));
  return Number.isNaN(time) ? null : [time, time];
}

/** A date and nothing beside it; of a weekday the last one that has begun. Of `4/9/2026` nobody knows whether it is in April. */
function inWords(text: string, now: Timestamp): Span | null {
  if (!/\p{L}/u.test(text)) return null;
  const [range, ...others] = detectDates(text, now);
  if (range === undefined || others.some((other) => other.text !== range.text)) return null;
  const beside = text.replace(range.text, '').replaceAll(PREPOSITIONS, '').trim();
  return beside === '' ? [range.from, range.until] : null;
}
