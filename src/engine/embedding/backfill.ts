import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { count } from '../../core/number-fields.ts';
import { LociError } from '../../core/errors.ts';
import { assertNotAborted, type ProgressOptions } from '../../core/progress.ts';
import type { Embedder } from '../../embed/embedder.ts';
import {
  countAllPending,
  countVectors,
  pendingTotals,
  embedNamespace,
  NO_GENERATION,
  pendingTexts,
  Refusals,
} from '../../ingest/embed.ts';
import { ADMIN_NAMESPACE } from '../../store/rules/admin-namespace.ts';
import type { Generation } from '../../store/search-model.ts';
import type { EngineContext } from '../context.ts';
import { embedderOf } from './models.ts';
import { switchTo, whileFilling, withOneLease } from './filling.ts';
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

/** Texts are divided by the first digit of their hashes. A process works on one part at a time, under its lease. */
const partOf = (hash: string): string => hash.charAt(0);
const POLL_INTERVAL_MS = 250;
/** Of English text, and of the title and headings that are embedded with each passage. */
const BYTES_PER_TOKEN = 4;
const TOKENS_OF_HEADINGS = 12;
const MILLION = 1_000_000;

/**
 * Makes the vectors of the configured model for everything that has none, in all namespaces. Searches go on with their own until all
 * are there; then they use the new ones, and the others are removed. Several processes share the work. Each batch is stored at once,
 * so that a run that was killed goes on where it was.
 * @param options with the `refusals` of earlier calls, whose texts are not sent again
 * @throws LociError `invalid_input` with the provider `none`; `conflict` if the vectors were removed meanwhile;
 *   `embedding_unavailable`, `aborted`
 */
export async function backfill(
  context: EngineContext,
  { dry_run = false }: z.infer<typeof backfillInput> = {},
  options: ProgressOptions & { readonly refusals?: Refusals } = {},
): Promise<EmbedBackfillOutput> {
  const started = performance.now();
  const { store } = context;
  const embedder = await requireEmbedder(context);
  const generations = await store.vectors.generations(ADMIN_NAMESPACE);
  const active = activeGeneration(generations) ?? null;
  const found = generationOf(generations, embedder);
  const before = found?.id ?? NO_GENERATION;
  const namespaces = await store.admin.namespaces(ADMIN_NAMESPACE);
  const { texts, bytes } = await pendingTotals(store, before, namespaces);
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
  return whileFilling(context, modelSpec(embedder), options, async (target) => {
    const { refusals = new Refusals() } = options;
    const work = { embedder, generation: target.id, refusals, meanwhile: meanwhile(active, target) };
    let embedded = 0;
    let remaining = 0;
    let isActive = false;
    for (let count = 1; !isActive && count > 0; embedded += count) {
      count = await embedShared(context, work, texts, options);
      // What was written meanwhile needs its vectors too. A model that refuses every text does not replace another.
      isActive = await switchTo(context, target.id, options, async () => {
        remaining = await countAllPending(store, target.id);
        return remaining <= refusals.count && (remaining === 0 || (await countVectors(store, target.id)) > 0);
      });
    }
    for (const namespace of namespaces) await store.admin.compact(namespace);
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

interface SharedWork {
  readonly embedder: Embedder;
  readonly generation: number;
  /** The provider's refusals to this process; another one may try the same texts once. */
  readonly refusals: Refusals;
  readonly meanwhile: string | undefined;
}

/** Takes one part after the other that no process works on, until no text of any namespace is left but refused ones. */
async function embedShared(
  context: EngineContext,
  { embedder, generation: id, refusals, meanwhile: announced }: SharedWork,
  total: number,
  options: ProgressOptions,
): Promise<number> {
  const { store } = context;
  let embedded = 0;
  let done = 0;
  const report = (): void => {
    const counts = { done: Math.min(done, total), total };
    const announcement = announced === undefined ? {} : { meanwhile: announced };
    options.onProgress?.({ stage: 'embedding', subject: '', ...counts, ...announcement });
  };
  report();
  for (const namespace of await store.admin.namespaces(ADMIN_NAMESPACE)) {
    for (;;) {
      assertNotAborted(options);
      const pending = await pendingTexts(store, namespace, id, refusals);
      const parts = new Set(pending.map(({ hash }) => partOf(hash)));
      if (parts.size === 0) break;
      const lease = (part: string): string => ['backfill', namespace, String(id), part].join(' ');
      const partOfLease = new Map([...parts].map((part) => [lease(part), part]));
      const work = async (taken: string, signal: AbortSignal): Promise<void> => {
        const selects = (hash: string): boolean => partOf(hash) === partOfLease.get(taken);
        const own = { signal, selects, refusals };
        for await (const { texts, refused } of embedNamespace(store, embedder, namespace, id, own)) {
          embedded += texts.length - refused;
          done += texts.length;
          report();
        }
      };
      const isTaken = await withOneLease(context, partOfLease.keys(), work, options);
      // What other processes have embedded counts too.
      done = Math.max(embedded, total - (await countAllPending(store, id))) + refusals.count;
      report();
      if (!isTaken) await delay(POLL_INTERVAL_MS);
    }
  }
  return embedded;
}
