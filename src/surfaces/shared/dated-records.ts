import { dayInWords } from '../../core/time/whole-day.ts';
import { earlierThan } from '../../core/valid-until.ts';
import type { SearchResultOutput } from '../../engine/records/results/search-fields.ts';

type OfTime = Pick<SearchResultOutput, 'later' | 'also'>;

/** Days that are listed; the others are counted. */
const MAX_DAYS = 4;

/** Of an earlier result: `earlier: see record/12 (9 March 2026)`. Of one that stands for several: `also on 3 May 2026, 7 June 2026`. */
export function timeNotes({ later, also = [] }: OfTime): string[] {
  const days = also.slice(0, MAX_DAYS).map(({ date }) => dayInWords(date));
  const more = also.length > MAX_DAYS ? [`${String(also.length - MAX_DAYS)} more`] : [];
  return [
    ...(later === undefined ? [] : [earlierThan(later)]),
    ...(also.length === 0 ? [] : [`also on ${[...days, ...more].join(', ')}`]),
  ];
}
