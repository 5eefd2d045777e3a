import { z } from 'zod';
import type { Timestamp } from '../../core/types.ts';
import { detectDates } from '../../search/query/dates.ts';

/** A year, a month or a day. */
const CALENDAR = /^(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?$/;
const INSTANT = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?$/i;
/** Words that may precede a date. */
const PREPOSITIONS = /\b(?:in|on|of|the|since|from|until|till)\b/gi;

const MAX_LENGTH = 100;

type Span = readonly [from: Timestamp, until: Timestamp];

/**
 * A bound of a time span: a day, month or year, in numbers or in the words that queries know (`last week`), or an ISO 8601
 * time. The time zone is that of this machine unless the text names one. A span stands for its beginning as a lower bound
 * and for its end as an upper bound, so that `2026-09-14` includes the whole day, and `2026-09` the whole month.
 */
export function timeBound(bound: 'from' | 'until', now: () => Timestamp = Date.now): z.ZodType<Timestamp> {
  return z
    .string()
    .max(MAX_LENGTH)
    .transform((given, context): Timestamp => {
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
  // An invalid day or month rolls over into the next.
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

/** A date in words and nothing else. A weekday is the last one that has begun. `4/9/2026` is ambiguous, so it is refused. */
function inWords(text: string, now: Timestamp): Span | null {
  if (!/\p{L}/u.test(text)) return null;
  const [range, ...others] = detectDates(text, now);
  if (range === undefined || others.some((other) => other.text !== range.text)) return null;
  const rest = text.replace(range.text, '').replaceAll(PREPOSITIONS, '').trim();
  return rest === '' ? [range.from, range.until] : null;
}
