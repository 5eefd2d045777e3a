import { z } from 'zod';
import { formatCount } from '../../../core/text/format-count.ts';
import type { Hit } from '../../../search/rank/confidence.ts';
import type { SearchOutcome } from '../../../search/search.ts';
import type { SearchFilter } from '../../../store/search-model.ts';
import type { EngineContext } from '../../context.ts';
import { audienceOf, type Audience, visibleFilter } from '../../reading/configured/source-policies.ts';
import { isEnabled, vaultName } from '../../reading/configured/vault-names.ts';
import { closestWord } from '../../../core/text/closest-word.ts';
import type { FacetField, FacetValue } from '../../../store/model.ts';
import { expire } from '../../shared/retention.ts';
import { sourceStates } from '../../../store/items/kinds.ts';

/** The filters of a request, by their names in the operation. */
const FILTERS = [
  ['origins', 'origins'],
  ['sources', 'sources'],
  ['categories', 'category'],
  ['recordTypes', 'record_type'],
  ['tags', 'tags'],
  ['paths', 'path'],
  ['project', 'project'],
  ['from', 'from'],
  ['until', 'until'],
] as const satisfies readonly (readonly [field: keyof SearchFilter, name: string])[];

const score = () => z.number().min(0).max(1);
const hiddenResults = () =>
  z.strictObject({ results: z.number().int().positive(), best_score: score(), min_score: score() });

export const whyNothing = z.strictObject({
  namespace: z.string(),
  empty: z.boolean().describe('Whether the namespace has no records at all.'),
  unread_vaults: z.array(z.string()).describe('Configured vaults that were never read: `index` reads them.'),
  unmet_filters: z
    .array(z.enum(FILTERS.map(([, name]) => name)))
    .describe('The filters of the request, when no record meets all of them.'),
  hidden: hiddenResults()
    .nullable()
    .describe('Results that were left out because they score below `min_score`.'),
  hidden_of_sources: z
    .array(z.strictObject({ source: z.string(), ...hiddenResults().shape }))
    .describe('Results that were left out because they score below the minimum of their vault or source.'),
});

/** The known reasons why a search returned no results. */
export type WhyNothing = z.infer<typeof whyNothing>;

/** Reads the fields of all records. */
export async function reasonsForNothing(
  context: EngineContext,
  filter: Omit<SearchFilter, 'now'>,
  { run, belowMinScore, belowSourceMinScore }: SearchOutcome,
): Promise<WhyNothing> {
  const { config } = context;
  const { namespace } = context.caller;
  // Other callers must not learn the names of the owner's vaults.
  const vaults = namespace === config.namespace ? config.vaults : [];
  const sources = new Set((await facet(context, 'source')).map(({ value }) => value));
  // A vault that was read may be empty, and the notes of an imported one are here before it is read.
  const known = new Set((await facet(context, 'source', { origins: ['vault'] })).map(({ value }) => value));
  const read = await readSources(context);
  const hiddenOfSources = Map.groupBy(belowSourceMinScore, ({ passage }) => passage.record.source);
  return {
    namespace,
    empty: sources.size === 0,
    unread_vaults: vaults
      .filter(isEnabled)
      .map(vaultName)
      .filter((name) => !known.has(name) && !read.has(name)),
    unmet_filters: sources.size === 0 ? [] : await unmetFilters(context, filter),
    hidden: belowMinScore.length === 0 ? null : hiddenBelow(run.minScore, belowMinScore),
    hidden_of_sources: [...hiddenOfSources].map(([source, hits]) => ({
      source,
      ...hiddenBelow(run.policies.get(source)?.minScore ?? 0, hits),
    })),
  };
}

async function unmetFilters(
  context: EngineContext,
  filter: Omit<SearchFilter, 'now'>,
): Promise<WhyNothing['unmet_filters']> {
  const names = FILTERS.flatMap(([field, name]) => (field in filter ? [name] : []));
  if (names.length === 0) return [];
  return (await facet(context, 'source', filter, audienceOf(context.caller, filter))).length === 0
    ? names
    : [];
}

function hiddenBelow(min_score: number, hits: readonly Hit[]): NonNullable<WhyNothing['hidden']> {
  const best = Math.max(...hits.map(({ confidence }) => confidence));
  return { results: hits.length, best_score: Math.round(best * 10_000) / 10_000, min_score };
}

/** Says how many notes a time leaves out because they have no date, if no record meets all filters. */
export async function undatedNotice(
  context: EngineContext,
  { from: _, until: __, ...filter }: Omit<SearchFilter, 'now'>,
  nothing: WhyNothing | null,
): Promise<string[]> {
  const hasTime = nothing?.unmet_filters.some((name) => name === 'from' || name === 'until') === true;
  if (!hasTime || filter.origins?.includes('vault') === false) return [];
  const undated = { ...filter, origins: ['vault'], undated: true } as const;
  const found = await facet(context, 'source', undated, audienceOf(context.caller, filter));
  const notes = found.reduce((sum, { records }) => sum + records, 0);
  return notes === 0 ? [] : [`${formatCount(notes, 'note')} without a date cannot be found by time`];
}

const FACET_NAMES = ['tag', 'source', 'project', 'category', 'record_type', 'origin'] as const;

export const unmatchedFilter = z.strictObject({
  filter: z.enum([...FACET_NAMES, 'path']),
  value: z.string(),
  known: z
    .array(z.string())
    .describe('Values that records have: the most similar first, then the most frequent; none for a path.'),
});

/** A value of a filter that no record has. */
type UnmatchedFilter = z.infer<typeof unmatchedFilter>;
type Filters = Omit<SearchFilter, 'now'>;
type FilterName = (typeof FACET_NAMES)[number];

const FIELDS: Readonly<Record<FilterName, FacetField>> = {
  tag: 'tag',
  source: 'source',
  project: 'project',
  category: 'category',
  record_type: 'recordType',
  origin: 'origin',
};

const MAX_KNOWN_VALUES = 10;

/** The values of the request's filters that no record has. Reads the fields of all records. */
export async function unmatchedFilters(loci: EngineContext, request: Filters): Promise<UnmatchedFilter[]> {
  const unmatched: UnmatchedFilter[] = [];
  const audience = audienceOf(loci.caller, request);
  for (const filter of FACET_NAMES) {
    const requested = valuesOf(filter, request);
    if (requested.length === 0) continue;
    // An agent may name any source.
    const seenBy = filter === 'source' ? 'user' : audience;
    const existing = (await facet(loci, FIELDS[filter], {}, seenBy)).map(({ value }) => value);
    for (const value of requested) {
      if (existing.some((each) => isMatch(filter, value, each))) continue;
      const similar = closestWord(value, existing);
      const others = existing.filter((each) => each !== similar);
      const known = [...(similar === undefined ? [] : [similar]), ...others].slice(0, MAX_KNOWN_VALUES);
      unmatched.push({ filter, value, known });
    }
  }
  for (const path of request.paths ?? [])
    if ((await facet(loci, 'source', { paths: [path] }, audience)).length === 0)
      // The operator `path:` asks for what stands between the wildcards.
      unmatched.push({ filter: 'path', value: path.replace(/^\*+([^*]+)\*+$/, '$1'), known: [] });
  return unmatched;
}

function valuesOf(filter: FilterName, request: Filters): readonly string[] {
  const { tags, sources, project, categories, recordTypes, origins } = request;
  switch (filter) {
    case 'tag':
      return tags ?? [];
    case 'source':
      return sources ?? [];
    case 'project':
      return project === undefined ? [] : [project];
    case 'category':
      return categories ?? [];
    case 'record_type':
      return recordTypes ?? [];
    case 'origin':
      return origins ?? [];
  }
}

function isMatch(filter: FilterName, requested: string, existing: string): boolean {
  if (filter !== 'tag') return requested === existing;
  return `${existing.toLowerCase()}/`.startsWith(`${requested.toLowerCase()}/`);
}

/** The values that records which the audience sees have in a field, the most frequent first. */
export async function facet(
  context: EngineContext,
  field: FacetField,
  filter: Omit<SearchFilter, 'now'> = {},
  audience: Audience = 'user',
): Promise<FacetValue[]> {
  await expire(context);
  return context.store.records.facet(
    context.namespace,
    field,
    await visibleFilter(context, filter, audience),
  );
}

/** The names of the vaults and sources that were read at least once, even if they were empty. */
async function readSources({ store, namespace }: EngineContext): Promise<Set<string>> {
  const states = await sourceStates(store.records, namespace);
  return new Set([...states].filter(([, { readAt }]) => readAt !== null).map(([name]) => name));
}
