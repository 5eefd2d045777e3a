import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { LociError } from '../../core/errors.ts';
import { assertNotAborted, type ProgressOptions, pickSignal } from '../../core/progress.ts';
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
import type { Generation, GenerationSpec } from '../../store/search-model.ts';
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
import { leaseProcess, withLease } from '../shared/lease.ts';
import { count } from '../fields/record-fields.ts';

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

/** A backfill has as many parts in each namespace. More processes wait until one of these ends. */
const MAX_PROCESSES = 16;
/** Held for a moment: by a process that adds a generation to fill it, or removes those that no process fills. */
const GENERATIONS_LEASE = { namespace: ADMIN_NAMESPACE, name: 'embedding generations' };

/** The leases of the processes that fill a generation. They have its name: they are taken before it has an id. */
function fillingLeases(spec: GenerationSpec): string[] {
  const name = describeGeneration(spec);
  return Array.from({ length: MAX_PROCESSES }, (_, i) => `backfill of ${name}, process ${String(i + 1)}`);
}

/**
 * Fills a generation, which is added if it does not exist. Until the work ends, or its process dies, no other process removes it.
 * @throws LociError `conflict` if the generation was removed nevertheless, such as after this process was suspended; what `work`
 *   throws
 */
export async function whileFilling<Result>(
  context: EngineContext,
  spec: GenerationSpec,
  options: ProgressOptions,
  work: (generation: Generation) => Promise<Result>,
): Promise<Result> {
  const { vectors } = context.store;
  let result: { readonly value: Result } | undefined;
  const fill = async (): Promise<void> => {
    const generation = await whileNoneIsRemoved(context, options, () =>
      vectors.setGeneration(ADMIN_NAMESPACE, { add: spec }),
    );
    try {
      result = { value: await work(generation) };
    } catch (error) {
      const all = await vectors.generations(ADMIN_NAMESPACE);
      if (all.some(({ id }) => id === generation.id)) throw error;
      throw removedMeanwhile(spec, error);
    }
  };
  for (;;) {
    assertNotAborted(options);
    await withOneLease(context, fillingLeases(spec), fill, options);
    if (result !== undefined) return result.value;
    await delay(POLL_INTERVAL_MS);
  }
}

function removedMeanwhile(spec: GenerationSpec, cause: unknown): LociError {
  return new LociError(
    'conflict',
    `the vectors of ${describeGeneration(spec)} were removed while they were being made, because searches use those of another model now`,
    { hint: 'Run `loci embed backfill`, which makes them anew.', cause },
  );
}

/**
 * Lets searches use a generation, in one transaction, and removes all others but those that another process is making.
 * @param isReady asked while no other process removes or adds generations; otherwise nothing changes
 * @returns whether searches use it
 */
export async function switchTo(
  context: EngineContext,
  id: number,
  options: ProgressOptions,
  isReady: () => Promise<boolean> = () => Promise.resolve(true),
): Promise<boolean> {
  const { vectors } = context.store;
  return whileNoneIsRemoved(context, options, async () => {
    if (!(await isReady())) return false;
    await vectors.setGeneration(ADMIN_NAMESPACE, { activate: id });
    for (const other of await vectors.generations(ADMIN_NAMESPACE))
      if (other.id !== id && !(await isBeingFilled(context, other)))
        await vectors.setGeneration(ADMIN_NAMESPACE, { remove: other.id });
    return true;
  });
}

async function isBeingFilled(context: EngineContext, spec: GenerationSpec): Promise<boolean> {
  for (const name of fillingLeases(spec))
    if ((await leaseProcess(context, { namespace: ADMIN_NAMESPACE, name })) !== null) return true;
  return false;
}

/** One process at a time removes generations or begins to fill one, so that none acts on what another changes. */
function whileNoneIsRemoved<Result>(
  context: EngineContext,
  options: ProgressOptions,
  work: () => Promise<Result>,
): Promise<Result> {
  return withLease(context, GENERATIONS_LEASE, work, { wait: true, ...pickSignal(options) });
}

/** Works under the first of the leases that no other process has. Returns whether there was one. */
async function withOneLease(
  context: EngineContext,
  names: Iterable<string>,
  work: (name: string, signal: AbortSignal) => Promise<void>,
  options: ProgressOptions,
): Promise<boolean> {
  for (const name of names) {
    let isStarted = false;
    try {
      await withLease(
        context,
        { namespace: ADMIN_NAMESPACE, name },
        (_lease, signal) => {
          isStarted = true;
          return work(name, signal);
        },
        pickSignal(options),
      );
      return true;
    } catch (error) {
      const isTaken = error instanceof LociError && error.code === 'conflict' && !isStarted;
      if (!isTaken) throw error;
    }
  }
  return false;
}
