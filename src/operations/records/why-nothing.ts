import { z } from 'zod';
import type { HiddenResults, SearchRequest, SearchResponse } from '../../engine/records/search.ts';
import { isEnabled } from '../../engine/reading/configured/vault-names.ts';
import type { OperationContext } from '../operation.ts';
import { namedVaults } from '../vaults/vaults.ts';
import type { EngineContext } from '../../engine/context.ts';
import { facet, readSources } from '../../engine/records/facet.ts';

/** The filters of a request, by their names in the operation. */
const FILTERS = [
  ['origins', 'origins'],
  ['sources', 'sources'],
  ['categories', 'category'],
  ['recordTypes', 'record_type'],
  ['tags', 'tags'],
  ['project', 'project'],
  ['from', 'from'],
  ['until', 'until'],
] as const satisfies readonly (readonly [field: keyof SearchRequest, name: string])[];

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
  context: OperationContext,
  loci: EngineContext,
  request: SearchRequest,
  { hidden, hiddenOfSources }: Pick<SearchResponse, 'hidden' | 'hiddenOfSources'>,
): Promise<WhyNothing> {
  const config = await context.loadConfig();
  const { namespace } = loci.caller;
  // Other callers must not learn the names of the owner's vaults.
  const vaults = namespace === config.values.namespace ? namedVaults(config) : [];
  const sources = new Set((await facet(loci, 'source')).map(({ value }) => value));
  // A vault that was read may be empty, and the notes of an imported one are here before it is read.
  const known = new Set((await facet(loci, 'source', { origins: ['vault'] })).map(({ value }) => value));
  const read = await readSources(loci);
  return {
    namespace,
    empty: sources.size === 0,
    unread_vaults: vaults.flatMap((vault) =>
      isEnabled(vault) && !known.has(vault.name) && !read.has(vault.name) ? [vault.name] : [],
    ),
    unmet_filters: sources.size === 0 ? [] : await unmetFilters(loci, request),
    hidden: hidden === null ? null : hiddenOutput(hidden),
    hidden_of_sources: hiddenOfSources.map(({ source, ...results }) => ({
      source,
      ...hiddenOutput(results),
    })),
  };
}

async function unmetFilters(
  loci: EngineContext,
  request: SearchRequest,
): Promise<WhyNothing['unmet_filters']> {
  const {
    query: _query,
    limit: _limit,
    related: _related,
    minScore: _minScore,
    signal: _signal,
    audience: _audience,
    ...filter
  } = request;
  const names = FILTERS.flatMap(([field, name]) => (field in filter ? [name] : []));
  if (names.length === 0) return [];
  return (await facet(loci, 'source', filter)).length === 0 ? names : [];
}

function hiddenOutput({ results, best, minScore }: HiddenResults): NonNullable<WhyNothing['hidden']> {
  return { results, best_score: rounded(best), min_score: minScore };
}

function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
