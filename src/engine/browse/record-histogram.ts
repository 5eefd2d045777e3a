import { z } from 'zod';
import { count } from '../../core/number-fields.ts';
import { DAY_MS } from '../../core/time/whole-day.ts';
import { ORIGINS, type Timestamp } from '../../core/types.ts';
import type { RecordFilter } from '../../store/model.ts';
import { NO_TIME } from '../../store/rules/record-time.ts';
import type { EngineContext } from '../context.ts';
import { isoTime } from '../fields/times.ts';
import { expire } from '../shared/retention.ts';
import { selectedRecords, selectionFields } from './record-selection.ts';

const UNITS = ['day', 'week', 'month', 'year'] as const;
type Unit = (typeof UNITS)[number];

/** The longest range, in days, that has a bar for each day, week or month; a longer one has a bar for each year. */
const MAX_DAYS: Readonly<Partial<Record<Unit, number>>> = { day: 100, week: 730, month: 366 * 40 };

export const recordHistogramInput = z.strictObject({
  ...selectionFields(),
  unit: z
    .enum(UNITS)
    .exactOptional()
    .describe('The length of the spans; by the length of the range unless given.'),
});

export const recordHistogramOutput = z.strictObject({
  unit: z.enum(UNITS),
  from: z.iso.datetime().nullable().describe('The start of the first span; null if no record is selected.'),
  until: z.iso.datetime().nullable().describe('The end of the last span.'),
  total: count().describe('The records in all spans.'),
  undated: count().describe('The selected notes without a date, which are in no span.'),
  spans: z
    .array(
      z.strictObject({
        from: z.iso.datetime(),
        until: z.iso.datetime(),
        records: count(),
        sources: z.array(z.strictObject({ origin: z.enum(ORIGINS), source: z.string(), records: count() })),
      }),
    )
    .describe(
      'Those that have records, oldest first. They begin at midnight in the time zone of this machine.',
    ),
});
export type RecordHistogramOutput = z.infer<typeof recordHistogramOutput>;

/** How many records each source has in each span of the timeline. */
export async function recordHistogram(
  context: EngineContext,
  { unit: givenUnit, ...selection }: z.infer<typeof recordHistogramInput>,
): Promise<RecordHistogramOutput> {
  await expire(context);
  const selected = await selectedRecords(context, selection);
  const [range, undated] = await Promise.all([rangeOf(context, selected), undatedNotes(context, selected)]);
  if (range === null)
    return { unit: givenUnit ?? 'day', from: null, until: null, total: 0, undated, spans: [] };
  const days = (range.until - range.from) / DAY_MS;
  const unit = givenUnit ?? UNITS.find((each) => days <= (MAX_DAYS[each] ?? Infinity))!;
  const starts = spanStarts(unit, range.from, range.until);
  const { timedFrom, timedUntil, ...filter } = selected;
  // Only records of the range count, and the first and the last span may be longer.
  const bounds = starts.map((start) => Math.min(Math.max(start, timedFrom ?? start), timedUntil ?? Infinity));
  const bars = await context.store.records.histogram(context.namespace, filter, bounds);
  const spans = [...Map.groupBy(bars, ({ span }) => span)].map(([span, sources]) => ({
    from: isoTime(starts[span]!),
    until: isoTime(starts[span + 1]!),
    records: sum(sources),
    sources: sources.map(({ origin, source, records }) => ({ origin, source, records })),
  }));
  const [from, until] = [isoTime(starts[0]!), isoTime(starts.at(-1)!)];
  return { unit, from, until, total: sum(spans), undated, spans };
}

/** A range has no notes without a date. */
async function undatedNotes({ store, namespace }: EngineContext, filter: RecordFilter): Promise<number> {
  const { timedFrom, timedUntil, origins = ['vault'] } = filter;
  if (timedFrom !== undefined || timedUntil !== undefined || !origins.includes('vault')) return 0;
  return store.records.count(namespace, { ...filter, origins: ['vault'], undated: true });
}

/** The times of the first and the last selected record that has a date. */
async function rangeOf(
  { store, namespace }: EngineContext,
  selected: RecordFilter,
): Promise<{ readonly from: Timestamp; readonly until: Timestamp } | null> {
  const filter = { timedFrom: NO_TIME + 1, ...selected };
  const [first, last] = await Promise.all(
    [false, true].map(async (descending) => {
      const request = { filter, sort: 'time', descending } as const;
      return (await store.records.table(namespace, request, { after: null, limit: 1 }))[0];
    }),
  );
  return first === undefined || last === undefined ? null : { from: first.at, until: last.at };
}

/** The starts of the spans that have these times, in local time, and the end of the last. */
function spanStarts(unit: Unit, from: Timestamp, until: Timestamp): Timestamp[] {
  const date = new Date(from);
  date.setHours(0, 0, 0, 0);
  if (unit === 'week') date.setDate(date.getDate() - ((date.getDay() + 6) % 7));
  if (unit === 'month' || unit === 'year') date.setDate(1);
  if (unit === 'year') date.setMonth(0);
  const starts = [date.getTime()];
  while (starts.at(-1)! <= until) {
    if (unit === 'year') date.setFullYear(date.getFullYear() + 1);
    else if (unit === 'month') date.setMonth(date.getMonth() + 1);
    else date.setDate(date.getDate() + (unit === 'week' ? 7 : 1));
    starts.push(date.getTime());
  }
  return starts;
}

function sum(counted: readonly { readonly records: number }[]): number {
  return counted.reduce((total, { records }) => total + records, 0);
}
