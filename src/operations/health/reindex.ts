import { reindex, reindexInput, reindexOutput } from '../../engine/health/reindex.ts';
import type { Operation } from '../operation.ts';

export const reindexOperation: Operation<typeof reindexInput, typeof reindexOutput> = {
  name: 'reindex',
  title: 'Rebuild the index',
  description:
    'Rebuilds passages, full text and vocabulary from the records, which do not change. With `vectors`, also embeds ' +
    'everything again, which is needed after a change of the embedding model. Searches work meanwhile; a reindex that ' +
    'was interrupted continues when it is run again.',
  input: reindexInput,
  output: reindexOutput,
  readOnly: false,
  destructive: false,
  idempotent: true,
  scope: 'operator',
  steps: true,
  examples: [
    { title: 'After `loci doctor` reported a difference', input: {} },
    { title: 'After a change of the embedding model', input: { vectors: true } },
  ],
  run: async (context, given) => reindex(await context.loci(), given, context),
};
