import { z } from 'zod';
import { MAX_QUERY_WAIT_MS } from '../../embed/http/availability.ts';
import { testEmbedder } from '../../engine/embedding/test-embedder.ts';
import type { Operation } from '../operation.ts';
import { millisecondsSince, tookMs } from '../../engine/fields/times.ts';

const milliseconds = () => z.number().nonnegative();
const cosine = () => z.number().min(-1.001).max(1.001);

const input = z.strictObject({});
const output = z.strictObject({
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
export type EmbedTestOutput = z.infer<typeof output>;

export const embedTestOperation: Operation<typeof input, typeof output> = {
  name: 'embed-test',
  title: 'Try the embedding provider',
  description:
    'Sends a few short texts to the configured embedding provider, and measures the length of its vectors, its latency and ' +
    'throughput, and whether a paraphrase is more similar than a passage about something else. Needs no store and stores nothing.',
  input,
  output,
  readOnly: true,
  destructive: false,
  idempotent: true,
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
};

function rounded(value: number, precision = 10): number {
  return Math.round(value * precision) / precision;
}
