import { z } from 'zod';
import type { ReplayedQuery, GoldenRun } from '../../engine/golden/replay.ts';
import type { GoldenQuery } from '../../store/item-model.ts';
import { isoTime, tookMs } from '../shared/times.ts';

const MAX_QUERY_LENGTH = 1_000_000;
const MAX_CITATION_LENGTH = 5000;
/** More than a replay looks at. */
const MAX_RESULTS = 1000;

const rank = () => z.number().int().positive().max(1_000_000);
const share = () => z.number().min(0).max(1);
const citation = () =>
  z.string().max(MAX_CITATION_LENGTH).describe('Of the record, as it was when the query was recorded.');

export const goldenText = () =>
  z.string().min(1).max(MAX_QUERY_LENGTH).describe('The query, as for `search`.');
export const replayLimit = () =>
  z
    .number()
    .int()
    .min(1)
    .max(100)
    .exactOptional()
    .describe('Results in which the expected records are looked for; 10 unless given.');

export const goldenOutput = z.strictObject({
  id: z.uuid(),
  query: z.string(),
  project: z.string().nullable(),
  expected: z.array(
    z.strictObject({
      record: z.string().describe('UUID of the record.'),
      citation: citation(),
      rank: rank().nullable().describe('Its place when the query was recorded; null if it was not found.'),
    }),
  ),
  at: z.iso.datetime(),
  actor: z.string(),
});
export type GoldenOutput = z.infer<typeof goldenOutput>;

export function goldenOutputOf({ id, query, project, expected, at, actor }: GoldenQuery): GoldenOutput {
  return { id, query, project, expected: expected.map((each) => ({ ...each })), at: isoTime(at), actor };
}

export const rankedRecord = z.strictObject({ record: z.uuid().max(36), citation: citation(), rank: rank() });

const replayedQuery = z.strictObject({
  id: z.uuid().max(36),
  query: z.string().max(MAX_QUERY_LENGTH),
  project: z.string().max(MAX_QUERY_LENGTH).nullable(),
  expected: z
    .array(
      z.strictObject({
        record: z.uuid().max(36),
        citation: citation(),
        recorded_rank: rank().nullable(),
        rank: rank().nullable().describe('Its place now; null if it is not among the results.'),
      }),
    )
    .max(MAX_RESULTS),
  unexpected: z
    .array(rankedRecord)
    .max(MAX_RESULTS)
    .describe('What stands where an expected record stood, and was not expected.'),
  results: z.array(rankedRecord).max(MAX_RESULTS),
  recall: share().describe('The share of the expected records that was found.'),
  reciprocal_rank: share().describe('One divided by the place of the first expected record.'),
  took_ms: tookMs(),
  missing_signals: z
    .array(z.string().max(MAX_QUERY_LENGTH))
    .max(10)
    .describe('Signals that could not answer.'),
});

/** The output of a replay, which `golden-diff` reads again. */
export const goldenRun = z.strictObject({
  at: z.iso.datetime().max(40),
  provider: z.string().max(1000).describe('Provider and model of the vectors, or `none`.'),
  limit: z.number().int().positive().max(1000),
  recall: share().describe('The mean over the queries.'),
  mrr: share().describe('The mean of the reciprocal ranks.'),
  missing: z.number().int().nonnegative().max(10_000_000).describe('Expected records that were not found.'),
  queries: z.array(replayedQuery).max(10_000),
  failed: z
    .array(
      z.strictObject({
        id: z.uuid().max(36),
        query: z.string().max(MAX_QUERY_LENGTH),
        why: z.string().max(MAX_QUERY_LENGTH),
      }),
    )
    .max(10_000)
    .exactOptional()
    .describe('Queries that no search accepts. They are in no other figure.'),
});
export type GoldenRunOutput = z.infer<typeof goldenRun>;

export function goldenRunOutput(run: GoldenRun): GoldenRunOutput {
  return {
    ...{ provider: run.provider, limit: run.limit, recall: run.recall, mrr: run.mrr },
    at: isoTime(run.at),
    missing: run.queries.reduce(
      (sum, { expected }) => sum + expected.filter((each) => each.rank === null).length,
      0,
    ),
    queries: run.queries.map(queryOutput),
    failed: run.failed.map((each) => ({ ...each })),
  };
}

function queryOutput(query: ReplayedQuery): GoldenRunOutput['queries'][number] {
  const { reciprocalRank, milliseconds, missingSignals, expected, unexpected, results, ...rest } = query;
  return {
    ...rest,
    expected: expected.map(({ recordedRank, ...each }) => ({ ...each, recorded_rank: recordedRank })),
    unexpected: unexpected.map((each) => ({ ...each })),
    results: results.map((each) => ({ ...each })),
    reciprocal_rank: reciprocalRank,
    took_ms: Math.round(milliseconds),
    missing_signals: [...missingSignals],
  };
}

/** The run that an output describes. */
export function goldenRunOf({
  queries,
  failed = [],
  at,
  provider,
  limit,
  recall,
  mrr,
}: GoldenRunOutput): GoldenRun {
  return {
    ...{ provider, limit, recall, mrr, failed, at: Date.parse(at) },
    queries: queries.map(({ reciprocal_rank, took_ms, missing_signals, expected, ...rest }) => ({
      ...rest,
      expected: expected.map(({ recorded_rank, ...each }) => ({ ...each, recordedRank: recorded_rank })),
      reciprocalRank: reciprocal_rank,
      milliseconds: took_ms,
      missingSignals: missing_signals,
    })),
  };
}
