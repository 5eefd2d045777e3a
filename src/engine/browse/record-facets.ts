import { z } from 'zod';
import { count } from '../../core/number-fields.ts';
import type { FacetField, FacetValue, RecordFilter } from '../../store/model.ts';
import type { RecordHeader } from '../../store/search-model.ts';
import type { EngineContext } from '../context.ts';
import { searchOutcome } from '../records/search.ts';
import { expire } from '../shared/retention.ts';
import { selectedRecords, selectionFields } from './record-selection.ts';

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
