import { z } from 'zod';
import { status, statusOutput } from '../../engine/health/status.ts';
import { reindex, reindexInput, reindexOutput } from '../../engine/health/reindex.ts';
import { MAX_QUERY_WAIT_MS } from '../../embed/http/availability.ts';
import { testEmbedder } from '../../engine/embedding/test-embedder.ts';
import { millisecondsSince, tookMs } from '../../engine/fields/times.ts';
import { backfill, backfillInput, backfillOutput } from '../../engine/embedding/backfill.ts';
import { operation, withNames } from '../operation.ts';

const milliseconds = () => z.number().nonnegative();
const cosine = () => z.number().min(-1.001).max(1.001);

const embedTestOutput = z.strictObject({
  provider: z.string(),
  model: z.string(),
  dimensions: z.number().int().positive().describe('The length of the vectors that the model returns.'),
  configured_dimensions: z
    .number()
    .int()
    .positive()
    .nullable()
    .describe('The setting `embedding.dimensions`.'),
  must_set_dimensions: z
    .boolean()
    .describe(
      'Whether that setting is missing: Loci does not know the model, and embeds nothing without it.',
    ),
  query_prefix: z.string().describe('What is put in front of queries.'),
  passage_prefix: z.string().describe('What is put in front of passages.'),
  max_tokens: z.number().int().positive().describe('The longest text that is sent in one piece.'),
  first_ms: milliseconds().describe('The time of the first answer, including the start of a model.'),
  latency_ms: milliseconds().describe('The median time of an answer to a query.'),
  search_wait_ms: milliseconds().describe(
    'How long a search waits for an answer at most. With a longer latency, searches go on by words.',
  ),
  texts_per_second: milliseconds(),
  tokens_per_second: milliseconds(),
  paraphrase: cosine().describe(
    'The mean similarity of questions with passages that answer them in other words.',
  ),
  stranger: cosine().describe(
    'The mean similarity of the same questions with passages about something else.',
  ),
  sane: z.boolean().describe('Whether every paraphrase is more similar than its stranger.'),
  took_ms: tookMs(),
});
export type EmbedTestOutput = z.infer<typeof embedTestOutput>;

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
    run: async (context) => {
      const started = performance.now();
      const { values } = await context.loadConfig();
      const found = await testEmbedder(values, { signal: context.signal, onProgress: context.onProgress });
      return {
        ...{ provider: found.provider, model: found.model, dimensions: found.dimensions },
        configured_dimensions: values.embedding.dimensions ?? null,
        must_set_dimensions: found.mustSetDimensions,
        ...{
          query_prefix: found.queryPrefix,
          passage_prefix: found.passagePrefix,
          max_tokens: found.maxTokens,
        },
        first_ms: rounded(found.firstMs),
        latency_ms: rounded(found.latencyMs),
        search_wait_ms: MAX_QUERY_WAIT_MS,
        texts_per_second: rounded(found.textsPerSecond),
        tokens_per_second: Math.round(found.tokensPerSecond),
        paraphrase: rounded(found.paraphrase, 1000),
        stranger: rounded(found.stranger, 1000),
        sane: found.isSane,
        took_ms: millisecondsSince(started),
      };
    },
  }),
  'embed-backfill': operation({
    description:
      'Makes the vectors of the configured model for everything that has none, beside those of another model, which searches ' +
      'use until all are made, and which are removed then. Several processes share the work, and a run that was stopped goes on where it was. ' +
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

function rounded(value: number, precision = 10): number {
  return Math.round(value * precision) / precision;
}
