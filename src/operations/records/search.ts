import { z } from 'zod';
import { ORIGINS, type Origin, type Timestamp } from '../../core/types.ts';
import type { SearchRequest } from '../../engine/records/search.ts';
import type { Operation, OperationContext } from '../operation.ts';
import { tookMs } from '../shared/durations.ts';
import { timeBound } from '../shared/time-bound.ts';
import { FILTER_NAMES, type UnmatchedFilter, unmatchedFilters } from './unmatched-filters.ts';
import { reasonsForNothing, whyNothing, type WhyNothing } from './why-nothing.ts';
import type { SignalName } from './reasons.ts';
import { resultOf, searchResult, SIGNAL_NAMES, type SearchResultOutput } from './search-result.ts';

export interface SearchInput {
  readonly query: string;
  readonly limit?: number;
  readonly related?: number;
  readonly min_score?: number;
  readonly origins?: Origin[];
  readonly sources?: string[];
  readonly category?: string;
  readonly record_type?: string;
  readonly tags?: string[];
  readonly project?: string;
  readonly from?: Timestamp;
  readonly until?: Timestamp;
  readonly explain?: boolean;
}

export interface SearchOutput {
  readonly query: string;
  readonly results: SearchResultOutput[];
  readonly related: SearchResultOutput[];
  readonly corrections: { readonly word: string; readonly instead: string[] }[];
  readonly missing: { readonly signal: SignalName; readonly why: string }[];
  readonly unmatched: UnmatchedFilter[];
  readonly nothing: WhyNothing | null;
  readonly provider: string;
  readonly took_ms: number;
}

const label = () => z.string().min(1).exactOptional();

const fields = z.strictObject({
  query: z
    .string()
    .describe(
      'What to look for, in plain words. A query of quoted words alone finds just these words in this order; nothing else is syntax.',
    ),
  limit: z
    .number()
    .int()
    .min(1)
    .max(1000)
    .exactOptional()
    .describe('Results at most; as configured (10) unless given.'),
  related: z
    .number()
    .int()
    .min(0)
    .max(100)
    .exactOptional()
    .describe('Documents of sources beside the results at most; as configured (8) unless given.'),
  min_score: z
    .number()
    .min(0)
    .max(1)
    .exactOptional()
    .describe('Leave out results that score lower; as configured unless given.'),
  origins: z
    .array(z.enum(ORIGINS))
    .exactOptional()
    .describe('Only records from these: memory (written by agents and people), fact, vault, source, audit.'),
  sources: z
    .array(z.string().min(1))
    .exactOptional()
    .describe('Only records that these vaults, sources or surfaces brought.'),
  category: label().describe(
    'Only records of this category; a note’s is what its front matter says (`category`), else `note`.',
  ),
  record_type: label().describe(
    'Only records of this type; a note’s is what its front matter says (`type`), else `note`.',
  ),
  tags: z
    .array(z.string().min(1))
    .exactOptional()
    .describe(
      'Only records with all of these tags, or with tags nested in them: project finds project/active.',
    ),
  project: label().describe('Only records of this project.'),
  from: timeBound('from')
    .exactOptional()
    .describe(
      'Only records of this day, month or year (included) or later: 2026-09-14, 2026-09, 2026, yesterday, last week; or of a time in ISO 8601 or later.',
    ),
  until: timeBound('until')
    .exactOptional()
    .describe(
      'Only records of this day, month or year (included) or earlier: 2026-09-14, 2026-09, 2026, yesterday, last week; or from before a time in ISO 8601.',
    ),
  explain: z
    .boolean()
    .exactOptional()
    .describe('Tell of each result what every signal said and added, and how its score came about.'),
});

const input: z.ZodType<SearchInput> = fields.superRefine(({ from, until }, context) => {
  if (from === undefined || until === undefined || from < until) return;
  context.addIssue({ code: 'custom', path: ['until'], message: 'the same day as `from`, or later' });
});

export const search: Operation<SearchInput, SearchOutput> = {
  name: 'search',
  title: 'Search memory',
  description:
    'Finds what is remembered by words, by meaning, by almost the same spelling and by how new it is, all in one ' +
    'ranking. Ask as you would ask a person. Each result has a snippet, a citation that `get` reads, its age, where ' +
    'it came from and why it was found. No results means that nothing fits, not that something failed.',
  input,
  output: z.strictObject({
    query: z.string(),
    results: z.array(searchResult).describe('Best first, one for a record.'),
    related: z
      .array(searchResult)
      .describe(
        'Todos, events and the like that belong to what was found and have no room among the results; ranks go on.',
      ),
    corrections: z
      .array(z.strictObject({ word: z.string(), instead: z.array(z.string()) }))
      .describe('Words that nobody wrote, and the known ones that were looked for as well.'),
    missing: z
      .array(z.strictObject({ signal: z.enum(SIGNAL_NAMES), why: z.string() }))
      .describe('Signals that could not be asked; the others answered.'),
    unmatched: z
      .array(
        z.strictObject({
          filter: z.enum(FILTER_NAMES),
          value: z.string(),
          known: z.array(z.string()).describe('What records have instead, the likeliest first.'),
        }),
      )
      .describe('When there are no results: filters that no record meets.'),
    nothing: whyNothing.nullable().describe('When there are no results: why, as far as it can be known.'),
    provider: z.string().describe('What made the vectors, or `none`.'),
    took_ms: tookMs(),
  }),
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'read',
  tool: 'memory_search',
  examples: [
    { title: 'Ask in plain words', input: { query: 'what did we decide about the oven' } },
    { title: 'Words that must stand together, three results', input: { query: '"gas line" oven', limit: 3 } },
    {
      title: 'Notes of one autumn with a tag',
      input: { query: 'kitchen', tags: ['home'], from: '2026-09-01', until: '2026-11-30' },
    },
    { title: 'See why each result was found', input: { query: 'kitchen remodel', explain: true } },
  ],
  run: runSearch,
};

async function runSearch(context: OperationContext, searched: SearchInput): Promise<SearchOutput> {
  const loci = await context.loci();
  const request = requestOf(searched, context.signal);
  const found = await loci.search(request);
  const isNothing = found.results.length === 0;
  return {
    query: searched.query,
    results: found.results.map((record, i) => resultOf(record, i + 1, searched.explain ?? false)),
    related: found.related.map((record, i) =>
      resultOf(record, found.results.length + i + 1, searched.explain ?? false),
    ),
    corrections: found.corrections.map(({ word, replacements: instead }) => ({
      word,
      instead: [...instead],
    })),
    missing: found.missing.map(({ signal, why }) => ({ signal, why })),
    unmatched: isNothing ? await unmatchedFilters(loci, request) : [],
    nothing: isNothing ? await reasonsForNothing(context, loci, request, found) : null,
    provider: found.provider,
    took_ms: Math.round(found.milliseconds),
  };
}

function requestOf(searched: SearchInput, signal: AbortSignal): SearchRequest {
  const {
    query,
    limit,
    related,
    min_score,
    origins,
    sources,
    category,
    record_type,
    tags,
    project,
    from,
    until,
  } = searched;
  return {
    query,
    signal,
    ...(limit !== undefined && { limit }),
    ...(related !== undefined && { related: related }),
    ...(min_score !== undefined && { minScore: min_score }),
    ...(origins !== undefined && { origins }),
    ...(sources !== undefined && { sources }),
    ...(category !== undefined && { categories: [category] }),
    ...(record_type !== undefined && { recordTypes: [record_type] }),
    ...(tags !== undefined && { tags: tags.map((tag) => tag.replaceAll(/^#|\/+$/g, '')) }),
    ...(project !== undefined && { project }),
    ...(from !== undefined && { from }),
    ...(until !== undefined && { until }),
  };
}
