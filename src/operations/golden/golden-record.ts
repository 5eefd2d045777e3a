import { goldenOutputOf, recordGoldenInput, recordGoldenOutput } from '../../engine/golden/golden-fields.ts';
import { recordGolden } from '../../engine/golden/golden-queries.ts';
import type { Operation } from '../operation.ts';

export const goldenRecordOperation: Operation<typeof recordGoldenInput, typeof recordGoldenOutput> = {
  name: 'golden-record',
  title: 'Record a golden query',
  description:
    'Records what a query finds now, or what it should find, to compare with later: before and after a change of the ' +
    'embedding model, of settings, or of Loci. It has ids and citations of records, and none of their content. Golden ' +
    'queries are yours: they are exported, and they change no ranking. To record a query again replaces what it expects.',
  input: recordGoldenInput,
  output: recordGoldenOutput,
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
  run: async (context, { dry_run: dryRun = false, ...given }) => {
    const loci = await context.loci();
    const recorded = await recordGolden(loci, { ...given, dryRun, signal: context.signal });
    return {
      dry_run: dryRun,
      ...goldenOutputOf(recorded),
      missing: recorded.missing.map((each) => ({ ...each })),
      notices: [...recorded.notices],
    };
  },
};
