import { compareGenerations, compareInput, compareOutput } from '../../engine/golden/compare.ts';
import type { Operation } from '../operation.ts';

export const embedCompareOperation: Operation<typeof compareInput, typeof compareOutput> = {
  name: 'embed-compare',
  title: 'Compare two models on the golden queries',
  description:
    'Runs your golden queries with the vectors that searches use and with those of the configured model, which ' +
    '`embed_backfill` has made, before `embed_switch`: recall, MRR, latency, and how many queries each answers better.',
  input: compareInput,
  output: compareOutput,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'operator',
  examples: [{ title: 'After `loci embed backfill`', input: {} }],
  run: async (context, given) => compareGenerations(await context.loci(), given, context),
};
