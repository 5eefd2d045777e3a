import { z } from 'zod';
import type { SearchRequest, SearchResponse, HiddenResults } from '../../engine/records/search.ts';
import type { Loci } from '../../engine/open.ts';
import type { OperationContext } from '../operation.ts';
import { isEnabled } from '../../engine/vaults/vault-states.ts';
import { namedVaults } from '../vaults/vaults.ts';

/** Why a search found nothing, as far as it can be known. */
export interface WhyNothing {
  readonly namespace: string;
  readonly empty: boolean;
  readonly unread_vaults: string[];
  readonly unmet_filters: SearchFilterName[];
  readonly hidden: {
    readonly results: number;
    readonly best_score: number;
    readonly min_score: number;
  } | null;
  readonly hidden_of_sources: {
    readonly source: string;
    readonly results: number;
    readonly best_score: number;
    readonly min_score: number;
  }[];
}

type SearchFilterName =
  'origins' | 'sources' | 'category' | 'record_type' | 'tags' | 'project' | 'from' | 'until';

/** Filters of a request, by what `search` calls them. */
const FILTERS: readonly (readonly [field: keyof SearchRequest, name: SearchFilterName])[] = [
  ['origins', 'origins'],
  ['sources', 'sources'],
  ['categories', 'category'],
  ['recordTypes', 'record_type'],
  ['tags', 'tags'],
  ['project', 'project'],
  ['from', 'from'],
  ['until', 'until'],
];

const score = () => z.number().min(0).max(1);

export const whyNothing: z.ZodType<WhyNothing> = z.strictObject({
  namespace: z.string(),
  empty: z.boolean().describe('Nothing at all is remembered in this namespace.'),
  unread_vaults: z
    .array(z.string())
    .describe('Vaults of the settings that no record is of: `index` reads them.'),
  unmet_filters: z
    .array(z.enum(FILTERS.map(([, name]) => name)))
    .describe('The filters, when no record meets all of them at once.'),
  hidden: z
    .strictObject({ results: z.number().int().positive(), best_score: score(), min_score: score() })
    .nullable()
    .describe('Results that were left out because they score below `min_score`.'),
  hidden_of_sources: z
    .array(
      z.strictObject({
        source: z.string(),
        results: z.number().int().positive(),
        best_score: score(),
        min_score: score(),
      }),
    )
    .describe(
      'Results that were left out because they score below what the settings ask of their vault or source.',
    ),
});

/** Reads every record's fields: for searches that found nothing. */
export async function reasonsForNothing(
  context: OperationContext,
  loci: Loci,
  request: SearchRequest,
  { hidden, hiddenOfSources }: Pick<SearchResponse, 'hidden' | 'hiddenOfSources'>,
): Promise<WhyNothing> {
  const config = await context.loadConfig();
  const { namespace } = loci.caller;
  // The vaults of the settings are the owner's: nobody else learns their names.
  const vaults = namespace === config.values.namespace ? namedVaults(config) : [];
  const sources = new Set((await loci.facet('source')).map(({ value }) => value));
  const read = new Set((await loci.facet('source', { origins: ['vault'] })).map(({ value }) => value));
  return {
    namespace,
    empty: sources.size === 0,
    unread_vaults: vaults.flatMap((vault) => (isEnabled(vault) && !read.has(vault.name) ? [vault.name] : [])),
    unmet_filters: sources.size === 0 ? [] : await unmetFilters(loci, request),
    hidden: hidden === null ? null : told(hidden),
    hidden_of_sources: hiddenOfSources.map(({ source, ...of }) => ({ source, ...told(of) })),
  };
}

async function unmetFilters(loci: Loci, request: SearchRequest): Promise<SearchFilterName[]> {
  const {
    query: _query,
    limit: _limit,
    minScore: _minScore,
    signal: _signal,
    audience: _audience,
    ...filter
  } = request;
  const names = FILTERS.flatMap(([field, name]) => (field in filter ? [name] : []));
  if (names.length === 0) return [];
  return (await loci.facet('source', filter)).length === 0 ? names : [];
}

function told({ results, best, minScore }: HiddenResults): NonNullable<WhyNothing['hidden']> {
  return { results, best_score: rounded(best), min_score: minScore };
}

function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
