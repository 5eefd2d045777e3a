import * as chrono from 'chrono-node/en';
import type { Timestamp } from '../core/types.ts';

/** A day, month or year that a query names; until is exclusive. */
export interface DateRange {
  readonly text: string;
  readonly from: Timestamp;
  readonly until: Timestamp;
}

const MAY_NAME_A_DATE =
  /\d|day|week|month|year|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|tonight|morning|evening|ago|spring|summer|autumn|winter/i;
/** Longer texts are not questions about a day. */
const MAX_LENGTH = 500;

/** Dates named in a query, relative ones counted from `now`; local time, as people mean it. */
export function datesIn(query: string, now: Timestamp): DateRange[] {
  if (query.length > MAX_LENGTH || !MAY_NAME_A_DATE.test(query)) return [];
  return chrono.parse(query, new Date(now)).flatMap((found) => {
    const start = found.start;
    const from = start.date();
    if (!start.isCertain('day') && !start.isCertain('month') && !start.isCertain('year')) {
      if (!start.isCertain('weekday')) return [];
    }
    const first = new Date(from.getFullYear(), from.getMonth(), from.getDate());
    let until: Date;
    if (found.end) until = dayAfter(found.end.date());
    else if (start.isCertain('day') || start.isCertain('weekday')) until = dayAfter(first);
    else if (start.isCertain('month')) {
      first.setDate(1);
      until = new Date(first.getFullYear(), first.getMonth() + 1, 1);
    } else {
      first.setMonth(0, 1);
      until = new Date(first.getFullYear() + 1, 0, 1);
    }
    return [{ text: found.text, from: first.getTime(), until: until.getTime() }];
  });
}

function dayAfter(day: Date): Date {
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() + 1);
}
