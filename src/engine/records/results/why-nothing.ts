import { z } from 'zod';
import { formatCount } from '../../../core/text/format-count.ts';
import type { Hit } from '../../../search/rank/confidence.ts';
import type { SearchOutcome } from '../../../search/search.ts';
import type { SearchFilter } from '../../../store/search-model.ts';
import type { EngineContext } from '../../context.ts';
import { audienceOf } from '../../reading/configured/source-policies.ts';
import { isEnabled, vaultName } from '../../reading/configured/vault-names.ts';
import { facet, readSources } from './facet.ts';

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
