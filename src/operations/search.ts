import { z } from 'zod';
import { ORIGINS, type Origin, type Timestamp } from '../core/types.ts';
import type { FindRequest, FoundRecord } from '../engine/find.ts';
import { isoTime, timeBound } from './dates.ts';
import type { Operation, OperationContext } from './operation.ts';
import { tookMs } from './durations.ts';
import { FILTER_NAMES, type UnmatchedFilter, unmatchedFilters } from './unmatched-filters.ts';
import { reasonsOf, type BoostName, type SignalName } from './reasons.ts';

export interface SearchInput {
  readonly query: string;
  readonly limit?: number;
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

export interface SearchResult {
  readonly rank: number;
  readonly id: number;
  readonly title: string;
  readonly citation: string;
  readonly headings: string[];
  readonly snippet: string;
  readonly highlights: [number, number][];
  readonly score: number;
  readonly created_at: string;
  readonly age: string;
  readonly origin: Origin;
  readonly source: string;
  readonly project: string;
  readonly category: string;
  readonly record_type: string;
  readonly tags: string[];
  readonly why: string;
  readonly explanation?: {
    readonly signals: {
      readonly signal: SignalName;
      readonly rank: number;
      readonly raw: number;
      readonly added: number;
    }[];
    readonly boosts: { readonly name: BoostName; readonly added: number }[];
  };
}

export interface SearchOutput {
  readonly query: string;
  readonly results: SearchResult[];
  readonly corrections: { readonly word: string; readonly instead: string[] }[];
  readonly missing: { readonly signal: SignalName; readonly why: string }[];
  readonly unmatched: UnmatchedFilter[];
  readonly provider: string;
  readonly took_ms: number;
}

const SIGNALS: { readonly [Signal in SignalName]: Signal } = {
  vector: 'vector',
  text: 'text',
  trigram: 'trigram',
  recency: 'recency',
};
const BOOSTS: { readonly [Boost in BoostName]: Boost } = {
  date: 'date',
  speaker: 'speaker',
  session: 'session',
  user: 'user',
  title: 'title',
};

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
    .describe('Only records of this day (included) or later: 2026-09-14; or of a time in ISO 8601 or later.'),
  until: timeBound('until')
    .exactOptional()
    .describe(
      'Only records of this day (included) or earlier: 2026-09-14; or from before a time in ISO 8601.',
    ),
  explain: z.boolean().exactOptional().describe('Tell of each result what every signal said and added.'),
});

const input: z.ZodType<SearchInput> = fields.superRefine(({ from, until }, context) => {
  if (from === undefined || until === undefined || from < until) return;
  context.addIssue({ code: 'custom', path: ['until'], message: 'the same day as `from`, or later' });
});

const result: z.ZodType<SearchResult> = z.strictObject({
  rank: z.number().int().positive(),
  id: z.number().int().positive().describe('Number of the record in its namespace.'),
  title: z.string(),
  citation: z.string().describe('Where it stands; `get` reads it.'),
  headings: z.array(z.string()).describe('Headings above the passage, outermost first.'),
  snippet: z.string().describe('The passage around what matched.'),
  highlights: z
    .array(z.tuple([z.number().int().nonnegative(), z.number().int().nonnegative()]))
    .describe('Matched words in the snippet: start and end, in UTF-16 code units, end exclusive.'),
  score: z.number().min(0).max(1).describe('How sure Loci is that this is about the query.'),
  created_at: z.iso.datetime(),
  age: z.string(),
  origin: z.enum(ORIGINS),
  source: z.string().describe('The vault, source or surface that brought it.'),
  project: z.string(),
  category: z.string(),
  record_type: z.string(),
  tags: z.array(z.string()),
  why: z.string().describe('What found it: each signal with its rank, then what else spoke for it.'),
  explanation: z
    .strictObject({
      signals: z.array(
        z.strictObject({
          signal: z.enum(SIGNALS),
          rank: z.number().int().positive(),
          raw: z
            .number()
            .describe(
              "The signal's own score: cosine, BM25; of recency the record's time, in milliseconds since 1970.",
            ),
          added: z.number().describe('What it added to the ranking score.'),
        }),
      ),
      boosts: z.array(z.strictObject({ name: z.enum(BOOSTS), added: z.number() })),
    })
    .exactOptional()
    .describe('With `explain`.'),
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
    results: z.array(result).describe('Best first, one for a record.'),
    corrections: z
      .array(z.strictObject({ word: z.string(), instead: z.array(z.string()) }))
      .describe('Words that nobody wrote, and the known ones that were looked for as well.'),
    missing: z
      .array(z.strictObject({ signal: z.enum(SIGNALS), why: z.string() }))
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
    provider: z.string().describe('What made the vectors, or `none`.'),
    took_ms: tookMs(),
  }),
  readOnly: true,
  destructive: false,
  idempotent: true,
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
  return {
    query: searched.query,
    results: found.results.map((record, i) => resultOf(record, i + 1, searched.explain ?? false)),
    corrections: found.corrections.map(({ word, instead }) => ({ word, instead: [...instead] })),
    missing: found.missing.map(({ signal, why }) => ({ signal, why })),
    unmatched: found.results.length > 0 ? [] : await unmatchedFilters(loci, request),
    provider: found.provider,
    took_ms: Math.round(found.milliseconds),
  };
}

function requestOf(searched: SearchInput, signal: AbortSignal): FindRequest {
  const { query, limit, min_score, origins, sources, category, record_type, tags, project, from, until } =
    searched;
  return {
    query,
    signal,
    ...(limit !== undefined && { limit }),
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

function resultOf(record: FoundRecord, rank: number, explain: boolean): SearchResult {
  const { signals, boosts } = record.why;
  return {
    rank,
    id: record.id,
    title: record.title,
    citation: record.citation,
    headings: [...record.headings],
    snippet: record.snippet.text,
    highlights: record.snippet.marks.map(([start, end]) => [start, end]),
    score: rounded(record.score),
    created_at: isoTime(record.createdAt),
    age: record.age,
    origin: record.origin,
    source: record.source,
    project: record.project,
    category: record.category,
    record_type: record.recordType,
    tags: [...record.tags],
    why: reasonsOf(record.why),
    ...(explain && {
      explanation: {
        signals: signals.map(({ signal, rank: place, raw, added }) => ({
          signal,
          rank: place,
          raw: rounded(raw),
          added: rounded(added),
        })),
        boosts: boosts.map(({ name, added }) => ({ name, added: rounded(added) })),
      },
    }),
  };
}

/** Recency moves the last digits with every tick of the clock; four places say all there is to say. */
function rounded(score: number): number {
  return Math.round(score * 10_000) / 10_000;
}
