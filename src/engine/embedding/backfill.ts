import { z } from 'zod';
import { count } from '../../core/number-fields.ts';
import { LociError } from '../../core/errors.ts';
import { type ProgressOptions, pickSignal } from '../../core/progress.ts';
import type { Embedder } from '../../embed/embedder.ts';
import {
  countAllPending,
  countVectors,
  embedPending,
  pendingTotals,
  NO_GENERATION,
  Refusals,
} from '../../ingest/embed.ts';
import { ADMIN_NAMESPACE } from '../../store/rules/admin-namespace.ts';
import type { Generation } from '../../store/search-model.ts';
import type { EngineContext } from '../context.ts';
import { embedderOf } from './models.ts';
import {
  activeGeneration,
  describeGeneration,
  generation,
  generationFields,
  generationOf,
  modelSpec,
} from './generations.ts';
import { NO_REFUSALS, refusalFields, refusalReport } from './refusal-report.ts';
import { millisecondsSince, tookMs } from '../fields/times.ts';
import { leaseHolder, leaseProcess, withLease } from '../shared/lease.ts';

export const backfillInput = z.strictObject({
  dry_run: z.boolean().exactOptional().describe('Only count what would be embedded, and estimate the cost.'),
});

export const backfillOutput = z.strictObject({
  target: generation.describe('The configured model.'),
  active: generation.nullable().describe('The model whose vectors searches used before.'),
  is_active: z.boolean().describe('Whether searches use the vectors of the target now.'),
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
export type EmbedBackfillOutput = z.infer<typeof backfillOutput>;

/** Of English text, and of the title and headings that are embedded with each passage. */
const BYTES_PER_TOKEN = 4;
const TOKENS_OF_HEADINGS = 12;
const MILLION = 1_000_000;

/**
 * Makes the vectors of the configured model for everything that has none, in all namespaces. Searches go on with their own until all
 * are there; then they use the new ones, and the others are removed. Each batch is stored at once, so that a run that was killed goes
 * on where it was.
 * @throws LociError `invalid_input` with the provider `none`; `conflict` if another process embeds and `wait` is false;
 *   `embedding_unavailable`, `aborted`
 */
export async function backfill(
  context: EngineContext,
  { dry_run = false }: z.infer<typeof backfillInput> = {},
  options: EmbedOptions = {},
): Promise<EmbedBackfillOutput> {
  const started = performance.now();
  const { store } = context;
  const embedder = await requireEmbedder(context);
  const generations = await store.vectors.generations(ADMIN_NAMESPACE);
  const active = activeGeneration(generations) ?? null;
  const found = generationOf(generations, embedder);
  const before = found?.id ?? NO_GENERATION;
  const { texts, bytes } = await pendingTotals(store, before);
  const tokens = Math.ceil(bytes / BYTES_PER_TOKEN) + TOKENS_OF_HEADINGS * texts;
  const price = context.config.embedding.pricePerMillionTokens;
  const report = {
    target: generationFields(modelSpec(embedder)),
    active: active === null ? null : generationFields(active),
    is_active: found?.active === true,
    ...{ dry_run, texts, tokens },
    cost: price === undefined ? null : Math.round((1e4 * price * tokens) / MILLION) / 1e4,
  };
  const took = () => ({ took_ms: millisecondsSince(started) });
  if (dry_run) return { ...report, embedded: 0, remaining: texts, ...NO_REFUSALS, ...took() };
  return whileEmbedding(context, options, texts, async (signal) => {
    const target = await store.vectors.setGeneration(ADMIN_NAMESPACE, { add: modelSpec(embedder) });
    const { refusals = new Refusals() } = options;
    const announced = meanwhile(active, target);
    const onProgress: ProgressOptions['onProgress'] = (progress) =>
      options.onProgress?.({ ...progress, ...(announced !== undefined && { meanwhile: announced }) });
    let embedded = 0;
    let remaining = 0;
    let isActive = false;
    for (let added = 1; !isActive && added > 0; embedded += added) {
      added = await embedPending(store, embedder, target.id, { signal, onProgress, refusals });
      // What was written meanwhile needs its vectors too. A model that refuses every text does not replace another.
      remaining = await countAllPending(store, target.id);
      isActive =
        remaining <= refusals.count && (remaining === 0 || (await countVectors(store, target.id)) > 0);
    }
    // A process that was suspended may have lost the lease to another one, which fills another model.
    signal.throwIfAborted();
    if (isActive) await switchTo(context, target.id);
    const refused = await refusalReport(context, refusals);
    return { ...report, is_active: isActive, embedded, remaining, ...refused, ...took() };
  });
}

/** Says what searches use during the backfill; `undefined` if they use the vectors that it makes. */
function meanwhile(active: Generation | null, target: Generation): string | undefined {
  if (target.active) return undefined;
  const used = active === null ? 'words alone' : `the vectors of ${describeGeneration(active, target)}`;
  return `Searches use ${used} until all are made.`;
}

/** @throws LociError `invalid_input` */
async function requireEmbedder(context: EngineContext): Promise<Embedder> {
  const embedder = await embedderOf(context);
  if (embedder !== null) return embedder;
  throw new LociError('invalid_input', 'embedding.provider is none: nothing is embedded', {
    hint: 'Choose a provider: `loci config set embedding.provider local`. docs/providers.md describes each.',
  });
}

/** Lets searches use a generation, and removes all others. */
async function switchTo({ store, namespace }: EngineContext, id: number): Promise<void> {
  const { vectors } = store;
  await vectors.setGeneration(ADMIN_NAMESPACE, { activate: id });
  for (const other of await vectors.generations(ADMIN_NAMESPACE))
    if (other.id !== id) await vectors.setGeneration(ADMIN_NAMESPACE, { remove: other.id });
  // Frees the space of the others.
  await store.admin.compact(namespace);
}

const EMBEDDING_LEASE = { namespace: ADMIN_NAMESPACE, name: 'embedding' };

export interface EmbedOptions extends ProgressOptions {
  /** The refusals of earlier calls. Their texts are not sent again. */
  readonly refusals?: Refusals;
  /** With `false`, an error if another process embeds. */
  readonly wait?: boolean;
}

/**
 * One process at a time embeds what has no vector, and adds and removes generations, so that nothing is embedded twice and no
 * generation is removed while it is filled.
 * @param pending how many texts have no vector
 * @throws LociError `conflict` while another process embeds, unless the options wait; `aborted`; what `work` throws
 */
export function whileEmbedding<Result>(
  context: EngineContext,
  options: EmbedOptions,
  pending: number,
  work: (signal: AbortSignal) => Promise<Result>,
  note?: string,
): Promise<Result> {
  return withLease(context, EMBEDDING_LEASE, (_lease, signal) => work(signal), {
    wait: options.wait ?? true,
    onWait: (process) =>
      options.onProgress?.({ stage: 'waiting', subject: `${process} to embed`, done: 0, total: pending }),
    ...(note !== undefined && { note }),
    ...pickSignal(options),
  });
}

/** The process that embeds now, in words; else `null`. */
export function embeddingProcess(context: EngineContext): Promise<string | null> {
  return leaseProcess(context, EMBEDDING_LEASE);
}

/** The process that embeds now, as `embeddingProcess` gives it, and when it will be done. */
interface RunningEmbedding {
  readonly process: string | null;
  /** By an estimate from its work so far, in milliseconds; `null` if none embeds, or if it has embedded nothing yet. */
  readonly leftMs: number | null;
}

export async function runningEmbedding(context: EngineContext): Promise<RunningEmbedding> {
  const { process, note } = await leaseHolder(context, EMBEDDING_LEASE);
  const [began, before] = (note ?? '').split('-').map(Number);
  if (began === undefined || before === undefined) return { process, leftMs: null };
  const active = activeGeneration(await context.store.vectors.generations(ADMIN_NAMESPACE));
  const pending = active === undefined ? before : await countAllPending(context.store, active.id);
  const done = before - pending;
  return { process, leftMs: done <= 0 ? null : ((context.now() - began) / done) * pending };
}
