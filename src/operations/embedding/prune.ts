import { prune, pruneInput, pruneOutput } from '../../engine/embedding/prune.ts';
import type { Operation } from '../operation.ts';

export const embedPruneOperation: Operation<typeof pruneInput, typeof pruneOutput> = {
  name: 'embed-prune',
  title: 'Remove vectors that are no longer used',
  description:
    'Removes the vectors of previous embedding models. Those that searches use, those of the configured model, and those ' +
    'that a process is making, stay. To switch back to a previous model, everything must then be embedded again.',
  input: pruneInput,
  output: pruneOutput,
  readOnly: false,
  destructive: true,
  idempotent: true,
  scope: 'operator',
  examples: [
    { title: 'What would be removed', input: { dry_run: true } },
    { title: 'After `loci embed switch`, when the new model has proved itself', input: {} },
  ],
  run: async (context, given) => prune(await context.loci(), given, { signal: context.signal }),
};
