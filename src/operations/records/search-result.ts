import { z } from 'zod';
import { ORIGINS, TRUST, type Origin, type Trust } from '../../core/types.ts';
import type { Explanation, SearchResult } from '../../engine/records/search.ts';
import { isoTime } from '../shared/dates.ts';
import { reasonsOf, type BoostName, type SignalName } from './reasons.ts';
import { sourceFields, sourceFieldsOf, type SourceFields } from '../shared/source-fields.ts';

export interface SearchResultOutput extends SourceFields {
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
  readonly trust: Trust;
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
      readonly half_life_days?: number;
    }[];
    readonly boosts: { readonly name: BoostName; readonly added: number; readonly factor?: number }[];
    readonly neighbour_contribution: number;
    readonly ranking: number;
    readonly score: ScoreExplanation;
  };
}

/** How a score came about: `answer_confidence` × `share`. */
export interface ScoreExplanation {
  readonly answer_confidence: number;
  readonly share: number;
  readonly best_evidence_rank: number;
  readonly coverage: number;
  readonly cosine: number | null;
  readonly model_coverage: number;
}

export const SIGNAL_NAMES: { readonly [Signal in SignalName]: Signal } = {
  vector: 'vector',
  text: 'text',
  spelling: 'spelling',
  recency: 'recency',
};
const BOOST_NAMES: { readonly [Boost in BoostName]: Boost } = {
  date: 'date',
  speaker: 'speaker',
  session: 'session',
  user: 'user',
  title: 'title',
  source: 'source',
  completed: 'completed',
  near: 'near',
  kind: 'kind',
};

const share = () => z.number().min(0).max(1);

const scoreExplanation: z.ZodType<ScoreExplanation> = z
  .strictObject({
    answer_confidence: share().describe(
      'Confidence in the answer as a whole: the highest of the five results that match best.',
    ),
    share: share().describe("This result's ranking score as a share of the best's."),
    best_evidence_rank: z.number().int().positive().describe('Rank of the result with the best evidence.'),
    coverage: share().describe("Share of the query's words that it holds; rare ones count more."),
    cosine: z.number().nullable().describe('How near it is to the query in meaning; null without vectors.'),
    model_coverage: share().describe(
      'How far the model can judge the query, by its language and the codes in it: so much the cosine counts.',
    ),
  })
  .describe('How `score` came about: `answer_confidence` × `share`.');

export const searchResult: z.ZodType<SearchResultOutput> = z.strictObject({
  rank: z.number().int().positive(),
  id: z.number().int().positive().describe('Number of the record in its namespace.'),
  title: z.string(),
  citation: z.string().describe('Where it stands; `get` reads it.'),
  headings: z.array(z.string()).describe('Headings above the passage, outermost first.'),
  snippet: z
    .string()
    .describe('The passage around what matched, below front-matter properties that matched alone.'),
  highlights: z
    .array(z.tuple([z.number().int().nonnegative(), z.number().int().nonnegative()]))
    .describe('Matched words in the snippet: start and end, in UTF-16 code units, end exclusive.'),
  score: z.number().min(0).max(1).describe('How sure Loci is that this is about the query.'),
  created_at: z.iso.datetime(),
  age: z.string(),
  origin: z.enum(ORIGINS),
  source: z.string().describe('The vault, source or surface that brought it.'),
  ...sourceFields(),
  trust: z.enum(TRUST).describe('Whose word it is: operator, agent or external.'),
  project: z.string(),
  category: z.string(),
  record_type: z.string(),
  tags: z.array(z.string()),
  why: z
    .string()
    .describe('What found it: each signal with its rank, then what else spoke for it, or against it.'),
  explanation: z
    .strictObject({
      signals: z.array(
        z.strictObject({
          signal: z.enum(SIGNAL_NAMES),
          rank: z.number().int().positive(),
          raw: z
            .number()
            .describe(
              "The signal's own score: cosine, BM25; of recency the record's time, in milliseconds since 1970.",
            ),
          added: z.number().describe('What it added to the ranking score.'),
          half_life_days: z
            .number()
            .exactOptional()
            .describe('Of recency: after so many days from now, behind or ahead, half of it is left.'),
        }),
      ),
      boosts: z.array(
        z.strictObject({
          name: z.enum(BOOST_NAMES),
          added: z.number().describe('To the ranking score; below 0 it takes away.'),
          factor: z
            .number()
            .exactOptional()
            .describe('Of `source` the weight in the settings, of `completed` what is left of what is done.'),
        }),
      ),
      neighbour_contribution: z
        .number()
        .describe(
          'Share of the ranking score that comes from neighbouring turns, or from another passage of the record.',
        ),
      ranking: z.number().describe('What all of that adds up to; comparable within one search only.'),
      score: scoreExplanation,
    })
    .exactOptional()
    .describe('With `explain`.'),
});

/** Ranks count from 1. */
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
    why: reasonsOf(record.why),
    ...(explain && { explanation: explanationOf(record.why) }),
  };
}

function explanationOf({
  signals,
  boosts,
  neighbourContribution,
  ranking,
  answerConfidence,
}: Explanation): NonNullable<SearchResultOutput['explanation']> {
  const { confidence, bestEvidence, evidence, modelCoverage, share } = answerConfidence;
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
    score: {
      answer_confidence: rounded(confidence),
      share: rounded(share),
      best_evidence_rank: bestEvidence,
      coverage: rounded(evidence.coverage),
      cosine: evidence.cosine === null ? null : rounded(evidence.cosine),
      model_coverage: rounded(modelCoverage),
    },
  };
}

/** Recency moves the last digits with every tick of the clock; four places say all there is to say. */
function rounded(score: number): number {
  return Math.round(score * 10_000) / 10_000;
}
