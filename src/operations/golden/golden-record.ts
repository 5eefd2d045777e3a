import { z } from 'zod';
import type { Operation, OperationContext } from '../operation.ts';
import { filterValue } from '../../engine/fields/record-fields.ts';
import { answerGaps } from '../../engine/fields/answer-gaps.ts';
import { goldenOutput, goldenOutputOf, goldenText } from './golden-fields.ts';
import { recordGolden } from '../../engine/golden/golden-queries.ts';

const MAX_CITATION_LENGTH = 5000;

const input = z.strictObject({
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

// A baseline that lacks a signal is recorded nevertheless: a text without a vector, which is no outage, leaves a gap too.
const output = goldenOutput.extend({ ...answerGaps, dry_run: z.boolean() });
export type GoldenRecordOutput = z.infer<typeof output>;

export const goldenRecordOperation: Operation<typeof input, typeof output> = {
  name: 'golden-record',
  title: 'Record a golden query',
  description:
    'Records what a query finds now, or what it should find, to compare with later: before and after a change of the ' +
    'embedding model, of settings, or of Loci. It has ids and citations of records, and none of their content. Golden ' +
    'queries are yours: they are exported, and they change no ranking. To record a query again replaces what it expects.',
  input,
  output,
  readOnly: false,
  destructive: false,
  idempotent: true,
  scope: 'admin',
  examples: [
    { title: 'Keep what it finds now', input: { query: 'kitchen remodel' } },
    {
      title: 'Say what it should find',
      input: { query: 'what did we decide about the oven', expect: ['Home/Kitchen remodel.md'] },
    },
  ],
  run: runRecord,
};

async function runRecord(
  context: OperationContext,
  { dry_run: dryRun = false, ...given }: z.infer<typeof input>,
): Promise<GoldenRecordOutput> {
  const loci = await context.loci();
  const recorded = await recordGolden(loci, { ...given, dryRun, signal: context.signal });
  return {
    dry_run: dryRun,
    ...goldenOutputOf(recorded),
    missing: recorded.missing.map((each) => ({ ...each })),
    notices: [...recorded.notices],
  };
}
