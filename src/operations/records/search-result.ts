import { z } from 'zod';
import { ORIGINS, TRUST } from '../../core/types.ts';
import type { Explanation, RelatedResult, SearchResult } from '../../engine/records/search.ts';
import { EVIDENCE_NAMES, MIN_SURE_CONFIDENCE } from '../../search/rank/confidence.ts';
import { BOOST_NAMES } from '../../search/rank/ranking.ts';
import { SIGNALS } from '../../search/retrieve/signals.ts';
import { isoTime } from '../../engine/fields/times.ts';
import { sourceFields, sourceFieldsOf } from '../../engine/fields/source-fields.ts';
import { howOf, reasonsOf } from './reasons.ts';

const share = () => z.number().min(0).max(1);

const scoreExplanation = z
  .strictObject({
    typical: z.number().describe('Log odds of a result whose evidence is typical of a first result.'),
    parts: z.array(
      z.strictObject({
        name: z
          .enum(EVIDENCE_NAMES)
          .describe(
            '`match`: by words or by meaning. `lead`: over the other results, as far as it matches. `agreement`: with the best ' +
              'of every signal. `neighbours`: what neighbouring turns contribute. `known`: the share of the query that any record has.',
          ),
        value: z.number(),
        added: z.number().describe('What it added to the log odds.'),
      }),
    ),
    log_odds: z.number().describe('The sum of `typical` and of what the parts added.'),
    factor: share().describe(
      'Below 1 for a note that has the dates of the query by the time of its file alone, and for related documents.',
    ),
    coverage: share().describe("IDF-weighted share of the query's words that this result has."),
    cosine: z
      .number()
      .nullable()
      .describe('Cosine of this result and the query in the embedding; null without vectors.'),
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

export const searchResult = z.strictObject({
  rank: z.number().int().positive(),
  id: z.number().int().positive().describe('Number of the record in its namespace.'),
  title: z.string(),
  citation: z.string().describe('`get` reads it.'),
  headings: z.array(z.string()).describe('Headings above the passage, outermost first.'),
  snippet: z
    .string()
    .describe(
      'The passage around the matched words, after front-matter properties that match words it lacks.',
    ),
  highlights: z
    // Not a tuple: validators of draft-07 read the schema of a tuple as a list without elements.
    .array(z.array(z.number().int().nonnegative()).length(2))
    .describe('Matched words in the snippet: start and end, in UTF-16 code units, end exclusive.'),
  score: share().describe(
    'Probability that this result, or one of the four after it, is what the query asks for. If no result has 0.3, nothing surely fits.',
  ),
  created_at: z.iso.datetime(),
  age: z.string(),
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

/** @param rank from 1 */
export function relatedResultOf(
  { belongsTo, ...result }: RelatedResult,
  rank: number,
  explain: boolean,
): RelatedResultOutput {
  const { record: id, title } = belongsTo;
  return { ...resultOf(result, rank, explain), belongs_to: { id, title } };
}

/** @param rank from 1 */
export function resultOf(record: SearchResult, rank: number, explain: boolean): SearchResultOutput {
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
    ...sourceFieldsOf(record.from, record.source),
    trust: record.trust,
    project: record.project,
    category: record.category,
    record_type: record.recordType,
    tags: [...record.tags],
    ...(record.linkedAs !== null && { linked_as: linkedAsOf(record.linkedAs) }),
    ...(record.via !== null && {
      via: { id: record.via.record, title: record.via.title, how: howOf(record.via) },
    }),
    why: reasonsOf(record.why),
    ...(explain && { explanation: explanationOf(record.why) }),
  };
}

function linkedAsOf({
  text,
  record,
  title,
}: NonNullable<SearchResult['linkedAs']>): NonNullable<SearchResultOutput['linked_as']> {
  return { text, id: record, title };
}

function explanationOf({
  signals,
  boosts,
  neighbourContribution,
  ranking,
  confidenceParts,
}: Explanation): z.infer<typeof explanation> {
  return {
    signals: signals.map(({ signal, rank, raw, added, halfLifeDays }) => ({
      signal,
      rank,
      raw: rounded(raw),
      added: rounded(added),
      ...(halfLifeDays !== undefined && { half_life_days: rounded(halfLifeDays) }),
    })),
    boosts: boosts.map(({ name, added, factor }) => ({
      name,
      added: rounded(added),
      ...(factor !== undefined && { factor }),
    })),
    neighbour_contribution: rounded(neighbourContribution),
    ranking: rounded(ranking),
    score: scoreExplanationOf(confidenceParts),
  };
}

function scoreExplanationOf({
  typical,
  parts,
  match,
  modelCoverage,
  factor,
}: Explanation['confidenceParts']): ScoreExplanation {
  return {
    typical: rounded(typical),
    parts: parts.map(({ name, value, added }) => ({ name, value: rounded(value), added: rounded(added) })),
    log_odds: rounded(parts.reduce((sum, { added }) => sum + added, typical)),
    factor: rounded(factor),
    coverage: rounded(match.coverage),
    cosine: match.cosine === null ? null : rounded(match.cosine),
    model_coverage: rounded(modelCoverage),
  };
}

/** Results are weak after the last one that has this share of the best score. */
const MIN_SHARE_OF_BEST = 0.5;

/** How many results come before the weak ones, which are often noise; 0 if nothing surely fits. */
export function strongMatches(results: readonly Pick<SearchResultOutput, 'score'>[]): number {
  const best = Math.max(0, ...results.map(({ score }) => score));
  return best < MIN_SURE_CONFIDENCE
    ? 0
    : 1 + results.findLastIndex(({ score }) => score >= best * MIN_SHARE_OF_BEST);
}

/** A notice for texts without scores. */
export const NOTHING_FITS = 'nothing surely fits the query';

/** Four decimal places: recency changes further ones with every millisecond. */
function rounded(score: number): number {
  return Math.round(score * 10_000) / 10_000;
}
