import { z } from 'zod';
import { modelParts } from '../../engine/embedding/generations.ts';
import type { GenerationSpec } from '../../store/search-model.ts';
import type { Operation, OperationContext } from '../operation.ts';
import { refusalFields, refusalOutput } from '../shared/refusals.ts';
import { millisecondsSince, tookMs } from '../shared/times.ts';
import { backfill } from '../../engine/embedding/backfill.ts';

const count = () => z.number().int().nonnegative();

export const generation = z.strictObject({
  provider: z.string(),
  model: z.string(),
  dimensions: z.number().int().positive(),
  query_prefix: z.string().describe('What is put in front of queries. Other prefixes make other vectors.'),
  passage_prefix: z.string().describe('What is put in front of passages.'),
});

const input = z.strictObject({
  dry_run: z.boolean().exactOptional().describe('Only count what would be embedded, and estimate the cost.'),
});
type EmbedBackfillInput = z.infer<typeof input>;

const output = z.strictObject({
  target: generation.describe('The configured model.'),
  active: generation.nullable().describe('The model whose vectors searches use.'),
  is_active: z.boolean().describe('Whether searches use the vectors of the target already.'),
  dry_run: z.boolean(),
  texts: count().describe('Texts that had no vector of the target.'),
  tokens: count().describe('Their tokens, by an estimate.'),
  cost: z
    .number()
    .nonnegative()
    .nullable()
    .describe('What they cost by `embedding.pricePerMillionTokens`; `null` without that setting.'),
  embedded: count().describe('Texts that this call embedded.'),
  remaining: count().describe('Texts that have no vector of the target yet.'),
  ...refusalFields,
  took_ms: tookMs(),
});
export type EmbedBackfillOutput = z.infer<typeof output>;

export const embedBackfillOperation: Operation<typeof input, typeof output> = {
  name: 'embed-backfill',
  title: 'Fill in vectors',
  description:
    'Makes the vectors of the configured model for everything that has none, beside those of another model, which searches ' +
    'keep using. Several processes share the work, and a run that was stopped goes on where it was. Texts that the provider ' +
    'refuses stay without one. `embed_switch` then makes searches use them.',
  input,
  output,
  readOnly: false,
  destructive: false,
  idempotent: true,
  scope: 'operator',
  steps: true,
  examples: [
    { title: 'How much there is to do', input: { dry_run: true } },
    { title: 'After a change of the embedding model', input: {} },
  ],
  run: runEmbedBackfill,
};

const MILLION = 1_000_000;

async function runEmbedBackfill(
  context: OperationContext,
  { dry_run: dryRun = false }: EmbedBackfillInput,
): Promise<EmbedBackfillOutput> {
  const started = performance.now();
  const { values } = await context.loadConfig();
  const loci = await context.loci();
  const { signal, onProgress } = context;
  const report = await backfill(loci, { dryRun, signal, onProgress });
  const { target, active, isActive, texts, tokens, embedded, remaining } = report;
  const price = values.embedding.pricePerMillionTokens;
  return {
    target: generationFields(target),
    active: active === null ? null : generationFields(active),
    ...{ is_active: isActive, dry_run: dryRun, texts, tokens },
    cost: price === undefined ? null : Math.round((1e4 * price * tokens) / MILLION) / 1e4,
    ...{ embedded, remaining, ...refusalOutput(report), took_ms: millisecondsSince(started) },
  };
}

export function generationFields({
  provider,
  model: joined,
  dimensions,
}: GenerationSpec): z.infer<typeof generation> {
  const { model, query, passage } = modelParts(joined);
  return { provider, model, dimensions, query_prefix: query, passage_prefix: passage };
}
