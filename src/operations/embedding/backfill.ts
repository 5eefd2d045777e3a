import { backfill, backfillInput, backfillOutput } from '../../engine/embedding/backfill.ts';
import type { Operation } from '../operation.ts';

export const embedBackfillOperation: Operation<typeof backfillInput, typeof backfillOutput> = {
  name: 'embed-backfill',
  title: 'Fill in vectors',
  description:
    'Makes the vectors of the configured model for everything that has none, beside those of another model, which searches ' +
    'use until all are made, and which are removed then. Several processes share the work, and a run that was stopped goes on where it was. ' +
    'Texts that the provider refuses stay without one.',
  input: backfillInput,
  output: backfillOutput,
  readOnly: false,
  destructive: false,
  idempotent: true,
  scope: 'operator',
  steps: true,
  examples: [
    { title: 'How much there is to do', input: { dry_run: true } },
    { title: 'After a change of the embedding model', input: {} },
  ],
  run: async (context, given) => backfill(await context.loci(), given, context),
};
