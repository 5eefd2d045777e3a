import { z } from 'zod';
import type { FacetField, FacetValue, RecordFilter } from '../../store/model.ts';
import type { RecordHeader } from '../../store/search-model.ts';
import type { EngineContext } from '../context.ts';
import { searchOutcome } from '../records/search.ts';
import { expire } from '../shared/retention.ts';
import { selectedRecords, selectionFields } from './record-selection.ts';
import { DAY_MS } from '../../core/time/whole-day.ts';
import { ORIGINS, type Timestamp } from '../../core/types.ts';
import { NO_TIME } from '../../store/rules/record-time.ts';
import { isoTime } from '../fields/times.ts';
import { count } from '../fields/record-fields.ts';

/** Results of a search whose values are counted. */
const MAX_RESULTS = 200;
const MAX_VALUES = 100;
const MAX_QUERY_LENGTH = 10_000;

const FIELDS = {
  origin: 'origin',
  source: 'source',
  project: 'project',
  category: 'category',
  record_type: 'recordType',
  trust: 'trust',
  tag: 'tag',
} as const satisfies Readonly<Record<string, FacetField>>;
type Field = keyof typeof FIELDS;
const FIELD_NAMES = Object.keys(FIELDS) as Field[];

export const recordFacetsInput = z.strictObject({
  ...selectionFields(),
  query: z
    .string()
    .max(MAX_QUERY_LENGTH)
    .exactOptional()
    .describe(
      `Counts only the best ${String(MAX_RESULTS)} results of this search, by their dates from \`from\` until \`until\`.`,
    ),
});

const facet = z.strictObject({
  values: z
    .array(z.strictObject({ value: z.string(), records: count() }))
    .describe(`The most frequent first, at most ${String(MAX_VALUES)}.`),
  others: count().describe('How many further values there are.'),
});

export const recordFacetsOutput = z.strictObject({
  counted: count().describe('How many records were counted.'),
  of: z
    .enum(['records', 'results'])
    .describe('`records`: all that pass the filters. `results`: the best results of the query.'),
  facets: z.strictObject(
    Object.fromEntries(FIELD_NAMES.map((name) => [name, facet])) as Record<Field, typeof facet>,
  ),
});
export type RecordFacetsOutput = z.infer<typeof recordFacetsOutput>;

/** The values of the fields by which records are filtered, with counts. @throws LociError `invalid_input` for an empty query */
export async function recordFacets(
  context: EngineContext,
  { query, ...selection }: z.infer<typeof recordFacetsInput>,
): Promise<RecordFacetsOutput> {
  await expire(context);
  const filter = await selectedRecords(context, selection);
  return query === undefined ? facetsOfRecords(context, filter) : facetsOfResults(context, filter, query);
}

/** The condition that a field has in a filter. All of the tags must be there, so that they limit each other. */
const CONDITIONS: Readonly<Record<Exclude<Field, 'tag'>, keyof RecordFilter>> = {
  origin: 'origins',
  source: 'sources',
  project: 'project',
  category: 'categories',
  record_type: 'recordTypes',
  trust: 'trust',
};
const COLUMNS = Object.keys(CONDITIONS) as (keyof typeof CONDITIONS)[];

/** The values of a field are counted without the condition on the field itself, so that another value can be chosen. */
async function facetsOfRecords(
  { store: { records }, namespace }: EngineContext,
  filter: RecordFilter,
): Promise<RecordFacetsOutput> {
  const columns = COLUMNS.map((name) => FIELDS[name]);
  const [found, tags] = await Promise.all([
    records.facets(namespace, columns, filter),
    records.facet(namespace, 'tag', filter),
  ]);
  const byName = new Map<Field, readonly FacetValue[]>([
    ['tag', tags],
    ...COLUMNS.map((name, i) => [name, found[i]!] as const),
  ]);
  for (const name of COLUMNS) {
    const { [CONDITIONS[name]]: condition, ...others } = filter;
    if (condition !== undefined)
      byName.set(name, await records.facet(namespace, FIELDS[name], { ...others, now: filter.now }));
  }
  const counted = found[0]!.reduce((sum, value) => sum + value.records, 0);
  return { counted, of: 'records', facets: formatFacets((name) => byName.get(name)!) };
}

async function facetsOfResults(
  context: EngineContext,
  { timedFrom, timedUntil, now: _, ...filter }: RecordFilter,
  query: string,
): Promise<RecordFacetsOutput> {
  const { hits } = await searchOutcome(context, {
    ...filter,
    ...(timedFrom !== undefined && { from: timedFrom }),
    ...(timedUntil !== undefined && { until: timedUntil }),
    ...{ query, limit: MAX_RESULTS, related: 0, operators: true },
  });
  const records = hits.map(({ passage }) => passage.record);
  const facets = formatFacets((name) => valuesIn(records, FIELDS[name]));
  return { counted: records.length, of: 'results', facets };
}

/** The most frequent first, ties by value. */
function valuesIn(records: readonly RecordHeader[], field: (typeof FIELDS)[Field]): FacetValue[] {
  const counts = new Map<string, number>();
  for (const record of records)
    for (const value of new Set(field === 'tag' ? record.tags : [record[field]]))
      counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts]
    .map(([value, n]) => ({ value, records: n }))
    .sort((a, b) => b.records - a.records || (a.value < b.value ? -1 : 1));
}

function formatFacets(valuesOf: (name: Field) => readonly FacetValue[]): RecordFacetsOutput['facets'] {
  const facets = FIELD_NAMES.map((name) => {
    const all = valuesOf(name);
    const values = all.slice(0, MAX_VALUES).map(({ value, records }) => ({ value, records }));
    return [name, { values, others: all.length - values.length }] as const;
  });
  return Object.fromEntries(facets) as RecordFacetsOutput['facets'];
}

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
