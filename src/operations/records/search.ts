import { z } from 'zod';
import { search, type SearchRequest } from '../../engine/records/search.ts';
import type { Operation } from '../operation.ts';
import { answerGaps } from '../../engine/fields/answer-gaps.ts';
import { tookMs } from '../../engine/fields/times.ts';
import { timeBound } from '../../engine/fields/time-bound.ts';
import { relatedResult, relatedResultOf, resultOf, searchResult } from './search-result.ts';
import { unmatchedFilter, unmatchedFilters } from './unmatched-filters.ts';
import { reasonsForNothing, whyNothing } from './why-nothing.ts';
import { filterValue, recordFilters } from '../../engine/fields/record-fields.ts';

const label = () => filterValue().exactOptional();

/** A query may be a whole text; see `MAX_QUERY_LENGTH` for how much of it is searched for. */
const MAX_INPUT_LENGTH = 1_000_000;

const fields = z.strictObject({
  query: z
    .string()
    .max(MAX_INPUT_LENGTH)
    .describe(
      'The query, in plain words. When all of it is in quotes, results have exactly these words in this order; beside other words, a phrase in quotes only ranks higher. There is no other syntax.',
    ),
  limit: z
    .number()
    .int()
    .min(1)
    .max(1000)
    .exactOptional()
    .describe('Maximum number of results; as configured (10) unless given.'),
  related: z
    .number()
    .int()
    .min(0)
    .max(100)
    .exactOptional()
    .describe('Maximum number of related documents of sources; as configured (5) unless given.'),
  min_score: z
    .number()
    .min(0)
    .max(1)
    .exactOptional()
    .describe('Leave out results that score lower; as configured unless given.'),
  ...recordFilters(),
  category: label().describe(
    'Only records of this category; a note’s is the `category` in its front matter, else `note`.',
  ),
  record_type: label().describe(
    'Only records of this type; a note’s is the `type` in its front matter, else `note`.',
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
    .describe(
      'Explain each result: the contribution of each signal and boost, and how the score came about.',
    ),
});

const input = fields.superRefine(({ from, until }, context) => {
  if (from === undefined || until === undefined || from < until) return;
  context.addIssue({ code: 'custom', path: ['until'], message: 'the same day as `from`, or later' });
});

const output = z.strictObject({
  query: z.string(),
  results: z.array(searchResult).describe('Best first, one for each record.'),
  related: z
    .array(relatedResult)
    .describe(
      'Todos, events and other documents of sources that belong to the best note, or to a note that it links to, and are ' +
        'not among the results; ranks continue.',
    ),
  corrections: z
    .array(z.strictObject({ word: z.string(), instead: z.array(z.string()) }))
    .describe('Words that no record has, and the known words that were searched for as well.'),
  ...answerGaps,
  unmatched: z
    .array(unmatchedFilter)
    .describe('When there are no results: the values of filters that no record has.'),
  nothing: whyNothing.nullable().describe('When there are no results: the known reasons.'),
  provider: z.string().describe('Provider and model of the vectors, or `none`.'),
  took_ms: tookMs(),
});

export type SearchInput = z.infer<typeof input>;
export type SearchOutput = z.infer<typeof output>;

export const searchOperation: Operation<typeof input, typeof output> = {
  name: 'search',
  title: 'Search memory',
  description:
    'Finds records by their words, meaning, spelling and recency, in one ranking. Ask as you would ask a person. Each ' +
    'result has a snippet, a citation that `get` reads, its age, its source and the reasons why it was found. No ' +
    'results means that no record is about the query, not that something failed.',
  input,
  output,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'read',
  tool: 'memory_search',
  examples: [
    { title: 'Ask in plain words', input: { query: 'what did we decide about the oven' } },
    { title: 'An exact phrase, three results', input: { query: '"gas line"', limit: 3 } },
    {
      title: 'Notes of one autumn with a tag',
      input: { query: 'kitchen', tags: ['home'], from: '2026-09-01', until: '2026-11-30' },
    },
    { title: 'See why each result was found', input: { query: 'kitchen remodel', explain: true } },
  ],
  run: async (context, given) => {
    const loci = await context.loci();
    const request = requestOf(given, context.signal);
    const response = await search(loci, request);
    const { results, related, corrections, missing, notices, provider, milliseconds } = response;
    const isEmpty = results.length === 0;
    const explain = given.explain ?? false;
    return {
      query: given.query,
      results: results.map((result, i) => resultOf(result, i + 1, explain)),
      related: related.map((result, i) => relatedResultOf(result, results.length + i + 1, explain)),
      corrections: corrections.map(({ word, replacements }) => ({ word, instead: [...replacements] })),
      missing: missing.map(({ signal, why }) => ({ signal, why })),
      notices: [...notices],
      unmatched: isEmpty ? await unmatchedFilters(loci, request) : [],
      nothing: isEmpty ? await reasonsForNothing(context, loci, request, response) : null,
      provider,
      took_ms: Math.round(milliseconds),
    };
  },
};

function requestOf(
  { min_score, category, record_type, tags, explain: _explain, ...given }: SearchInput,
  signal: AbortSignal,
): SearchRequest {
  return {
    ...given,
    signal,
    ...(min_score !== undefined && { minScore: min_score }),
    ...(category !== undefined && { categories: [category] }),
    ...(record_type !== undefined && { recordTypes: [record_type] }),
    ...(tags !== undefined && { tags: tags.map((tag) => tag.replaceAll(/^#|\/+$/g, '')) }),
  };
}
