import { z } from 'zod';
import { answerGaps } from '../fields/answer-gaps.ts';
import { filterValue } from '../fields/record-fields.ts';
import { isoTime, tookMs } from '../fields/times.ts';
import type { GoldenQuery } from '../../store/item-model.ts';

const MAX_QUERY_LENGTH = 1_000_000;
const MAX_CITATION_LENGTH = 5000;
/** More than a replay looks at. */
const MAX_RESULTS = 1000;

const rank = () => z.number().int().positive().max(1_000_000);
const share = () => z.number().min(0).max(1);
const citation = () =>
  z.string().max(MAX_CITATION_LENGTH).describe('Of the record, as it was when the query was recorded.');

const goldenText = () => z.string().min(1).max(MAX_QUERY_LENGTH).describe('The query, as for `search`.');
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

export const goldenListOutput = z.strictObject({
  queries: z.array(goldenOutput).describe('In the order in which they were recorded.'),
});

export type GoldenListOutput = z.infer<typeof goldenListOutput>;

export const recordGoldenInput = z.strictObject({
  query: goldenText(),
  expect: z
    .array(z.string().min(1).max(MAX_CITATION_LENGTH))
    .max(100)
    .exactOptional()
    .describe(
      'Citations of the records that it should find; the first results of a search now unless given. To compare embedding models, ' +
        'give them: what a search finds now favours the present model.',
    ),
  count: z
    .number()
    .int()
    .min(1)
    .max(100)
    .exactOptional()
    .describe('How many of the first results are recorded; 5 unless given.'),
  project: filterValue().exactOptional().describe('Search only records of this project.'),
  dry_run: z.boolean().exactOptional().describe('Record nothing, and report what would be recorded.'),
});

// A baseline that lacks a signal is recorded all the same. A text without a vector leaves such a gap too, and is no outage.
export const recordGoldenOutput = goldenOutput.extend({ ...answerGaps, dry_run: z.boolean() });

export type GoldenRecordOutput = z.infer<typeof recordGoldenOutput>;

export const removeGoldenInput = z.strictObject({
  id: z.string().min(1).max(MAX_QUERY_LENGTH).describe('Its id, or the query itself.'),
});

const rankedRecord = z.strictObject({ record: z.uuid().max(36), citation: citation(), rank: rank() });

const change = z.strictObject({ before: z.number(), after: z.number() });

const place = z.number().int().positive();

export const goldenDiffOutput = z.strictObject({
  compared: z.number().int().nonnegative().describe('Queries that both runs have.'),
  recall: change,
  mrr: change,
  lost: z.number().int().nonnegative().describe('Expected records that were found before and are not now.'),
  changed: z.array(
    z.strictObject({
      id: z.uuid(),
      query: z.string(),
      recall: change,
      reciprocal_rank: change,
      lost: z.array(rankedRecord).describe('Expected, and not found any more.'),
      gone: z.array(rankedRecord).describe('Not expected, and not found any more.'),
      new: z.array(rankedRecord),
      moved: z.array(
        z.strictObject({ record: z.string(), citation: z.string(), before: place, after: place }),
      ),
    }),
  ),
  only_before: z.array(z.string()).describe('Queries that only the earlier run has.'),
  only_after: z.array(z.string()),
});

export type GoldenDiffOutput = z.infer<typeof goldenDiffOutput>;

export function goldenOutputOf({ id, query, project, expected, at, actor }: GoldenQuery): GoldenOutput {
  return { id, query, project, expected: expected.map((each) => ({ ...each })), at: isoTime(at), actor };
}

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
export type GoldenRun = z.infer<typeof goldenRun>;
export type ReplayedQuery = GoldenRun['queries'][number];
