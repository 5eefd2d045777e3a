import { z } from 'zod';
import { count, share } from '../../../core/number-fields.ts';
import { ORIGINS, TRUST } from '../../../core/types.ts';
import { EVIDENCE_NAMES, RELATED_NAMES } from '../../../search/rank/confidence.ts';
import { BOOST_NAMES } from '../../../search/rank/ranking.ts';
import { SIGNALS } from '../../../search/retrieve/signals.ts';
import {
  answerGaps,
  filterValue,
  recordFilters,
  sourceFields,
  validityField,
  limitField,
} from '../../fields/record-fields.ts';
import { timeBound } from '../../fields/time-bound.ts';
import { tookMs } from '../../fields/times.ts';
import { unmatchedFilter, whyNothing } from './why-nothing.ts';

const label = () => filterValue().exactOptional();

/** A query may be a whole text; see `MAX_QUERY_LENGTH` for how much of it is searched for. */
const MAX_INPUT_LENGTH = 1_000_000;

const fields = z.strictObject({
  query: z
    .string()
    .max(MAX_INPUT_LENGTH)
    .describe(
      'The query, in plain words. When all of it is in quotes, results have exactly these words in this order; beside other words, a phrase only ranks higher. `path:x`, `file:x` and `tag:x` find only what has x there; `-word`, `-"a phrase"` and `-path:x` leave out what has it.',
    ),
  limit: limitField(1000).describe('Maximum number of results; as configured (10) unless given.'),
  related: limitField(100, 0).describe(
    'Maximum number of related documents of sources; as configured (5) unless given.',
  ),
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

export const searchInput = fields.superRefine(({ from, until }, context) => {
  if (from === undefined || until === undefined || from < until) return;
  context.addIssue({ code: 'custom', path: ['until'], message: 'the same day as `from`, or later' });
});

const scoreExplanation = z
  .strictObject({
    typical: z.number().describe('Log odds of a result whose evidence is typical of a first result.'),
    parts: z.array(
      z.strictObject({
        name: z
          .enum([...EVIDENCE_NAMES, ...RELATED_NAMES, 'newer'])
          .describe(
            '`match`: by words or by meaning. `lead`: over the other results, as far as it matches. `agreement`: with the best ' +
              'of every signal. `neighbours`: what neighbouring turns contribute. `known`: the share of the query that any record has. ' +
              '`newer`: of a later result in the place of an earlier one that says the same. ' +
              'Of a related document: `belongs`: the probability that it belongs to the note, `note`: the score of the note, ' +
              '`note_lead`: its lead over the other notes.',
          ),
        value: z.number(),
        added: z.number().describe('What it added to the log odds.'),
      }),
    ),
    log_odds: z.number().describe('The sum of `typical` and of what the parts added.'),
    factor: share().describe(
      'Below 1 for a note that has the dates of the query by the time of its file alone.',
    ),
    coverage: share().describe("IDF-weighted share of the query's words that this result has."),
    cosine: z
      .number()
      .nullable()
      .describe(
        'Cosine of this result and the query in the embedding; null without vectors, and for related documents.',
      ),
    model_coverage: share().describe(
      'Share of the query that the model can judge, by its language and the codes in it: the weight of the cosine.',
    ),
  })
  .describe('How `score` came about: `factor` / (1 + e^−`log_odds`).');

/** How a score came about. */
export type ScoreExplanation = z.infer<typeof scoreExplanation>;

const explanation = z.strictObject({
  signals: z.array(
    z.strictObject({
      signal: z.enum(SIGNALS),
      rank: z.number().int().positive(),
      raw: z
        .number()
        .describe(
          "The signal's own score: cosine, BM25; for recency the record's time, in milliseconds since 1970.",
        ),
      added: z.number().describe('What it added to the ranking score.'),
      half_life_days: z
        .number()
        .exactOptional()
        .describe('For recency: the distance from now, past or future, that halves it.'),
    }),
  ),
  boosts: z.array(
    z.strictObject({
      name: z.enum(BOOST_NAMES),
      added: z.number().describe('What it added to the ranking score; negative when it lowered it.'),
      factor: z
        .number()
        .exactOptional()
        .describe(
          'For `source` the weight in the settings, for `completed` the factor of completed documents.',
        ),
    }),
  ),
  neighbour_contribution: z
    .number()
    .describe(
      'Share of the ranking score that comes from neighbouring turns, or from another passage of the record.',
    ),
  ranking: z
    .number()
    .describe('The ranking score, the sum of all of these; comparable within one search only.'),
  score: scoreExplanation,
});

const datedRecord = z.strictObject({
  id: z.number().int().positive().describe('Number of the record in its namespace.'),
  citation: z.string().describe('`get` reads it.'),
  date: z.iso.date().describe('Its day.'),
});

export const searchResult = z.strictObject({
  rank: z.number().int().positive(),
  id: z.number().int().positive().describe('Number of the record in its namespace.'),
  title: z.string(),
  citation: z.string().describe('`get` reads it.'),
  headings: z.array(z.string()).describe('Headings above the passage, outermost first.'),
  snippet: z
    .string()
    .describe(
      'The passage of the record that answers best, as text without Markdown, around the matched words; after front-matter properties that match words it lacks.',
    ),
  highlights: z
    // Not a tuple: validators of draft-07 read the schema of a tuple as a list without elements.
    .array(z.array(count()).length(2))
    .describe('Matched words in the snippet: start and end, in UTF-16 code units, end exclusive.'),
  second: z
    .strictObject({
      citation: z.string().describe('`get` reads it.'),
      text: z.string().describe('The words around the matched ones, on one line.'),
    })
    .exactOptional()
    .describe('The second best passage of the record, if it has another one.'),
  score: share().describe(
    'Probability that this result, or one of the four after it, is what the query asks for. If no result has 0.3, nothing surely fits.',
  ),
  created_at: z.iso.datetime(),
  age: z.string(),
  ...validityField(),
  origin: z.enum(ORIGINS),
  source: z.string().describe('The vault, source or surface that the record comes from.'),
  ...sourceFields(),
  trust: z.enum(TRUST).describe('Who is responsible for the text: operator, agent or external.'),
  project: z.string(),
  category: z.string(),
  record_type: z.string(),
  tags: z.array(z.string()),
  linked_as: z
    .strictObject({
      text: z.string().describe('The words around the link. They are not those of the linked note.'),
      id: z.number().int().positive().describe('Number of the note that has the link.'),
      title: z.string(),
    })
    .exactOptional()
    .describe('A link in another note that has words of the query which the passage does not have.'),
  via: z
    .strictObject({
      id: z.number().int().positive().describe('Number of the better result.'),
      title: z.string(),
      how: z
        .string()
        .describe('`linked under Oven`, `mentioned under Oven` or `both name “Falkland Islands”`.'),
    })
    .exactOptional()
    .describe(
      'A better result that leads to this one, which has words of the query that the better one lacks.',
    ),
  later: datedRecord
    .exactOptional()
    .describe(
      'Of a result that is earlier than another one above it which says the same: the latest such one.',
    ),
  also: z
    .array(datedRecord)
    .exactOptional()
    .describe(
      'Of a memory with the same text as others, which are not among the results: these, the latest first.',
    ),
  why: z
    .string()
    .describe('Why it was found: each signal with its rank, then the boosts that raised or lowered it.'),
  explanation: explanation.exactOptional().describe('With `explain`.'),
});

export type SearchResultOutput = z.infer<typeof searchResult>;

export const relatedResult = searchResult.extend({
  belongs_to: z
    .strictObject({
      id: z.number().int().positive().describe('Number of the note; `get` reads it as `record/ID`.'),
      title: z.string(),
    })
    .describe('The note that the document belongs to: its own text finds this note first.'),
});

export type RelatedResultOutput = z.infer<typeof relatedResult>;

export const searchOutput = z.strictObject({
  query: z.string(),
  results: z.array(searchResult).describe('Best first, one for each record.'),
  strong: count().describe(
    'How many results stand before the weak ones; 0 if nothing surely fits the query.',
  ),
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

export type SearchInput = z.infer<typeof searchInput>;
export type SearchOutput = z.infer<typeof searchOutput>;
