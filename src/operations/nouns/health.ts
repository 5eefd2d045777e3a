import { status, statusOutput } from '../../engine/health/status.ts';
import { reindex, reindexInput, reindexOutput } from '../../engine/health/reindex.ts';
import { embedTestOutput, testEmbedder } from '../../engine/embedding/test-embedder.ts';
import { backfill, backfillInput, backfillOutput } from '../../engine/embedding/backfill.ts';
import { operation, withNames } from '../operation.ts';

export const healthOperations = withNames({
  status: operation({
    description:
      'Shows how many records there are, where they come from, how they are embedded and where the store is.',
    output: statusOutput,
    kind: 'read',
    scope: 'admin',
    examples: [{ title: 'The status', input: {} }],
    run: async (context) => status(await context.loci(), context.home, context.vaults),
  }),
  reindex: operation({
    description:
      'Rebuilds passages, full text and vocabulary from the records, which do not change. With `vectors`, also embeds ' +
      'everything again, which is needed after a change of the embedding model. Searches work meanwhile; a reindex that ' +
      'was interrupted continues when it is run again.',
    input: reindexInput,
    output: reindexOutput,
    kind: 'write',
    scope: 'operator',
    steps: true,
    examples: [
      { title: 'After `loci doctor` reported a difference', input: {} },
      { title: 'After a change of the embedding model', input: { vectors: true } },
    ],
    run: async (context, given) => reindex(await context.loci(), given, context),
  }),
  'embed-test': operation({
    description:
      'Sends a few short texts to the configured embedding provider, and measures the length of its vectors, its latency and ' +
      'throughput, and whether a paraphrase is more similar than a passage about something else. Needs no store and stores nothing.',
    output: embedTestOutput,
    kind: 'read',
    scope: 'operator',
    examples: [{ title: 'After a change of `embedding`', input: {} }],
    run: async (context) => testEmbedder((await context.loadConfig()).values, context),
  }),
  'embed-backfill': operation({
    description:
      'Makes the vectors of the configured model for everything that has none, beside those of another model, which searches ' +
      'use until all are made, and which are removed then. One process at a time does it, and a run that was stopped goes on where it was. ' +
      'Texts that the provider refuses stay without one.',
    input: backfillInput,
    output: backfillOutput,
    kind: 'write',
    scope: 'operator',
    steps: true,
    examples: [
      { title: 'How much there is to do', input: { dry_run: true } },
      { title: 'After a change of the embedding model', input: {} },
    ],
    run: async (context, given) => backfill(await context.loci(), given, context),
  }),
});
