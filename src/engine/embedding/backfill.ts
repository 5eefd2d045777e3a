import { setTimeout as delay } from 'node:timers/promises';
import { LociError } from '../../core/errors.ts';
import { assertNotAborted, type ProgressOptions } from '../../core/progress.ts';
import type { Embedder } from '../../embed/embedder.ts';
import {
  countAllPending,
  pendingTotals,
  embedNamespace,
  NO_GENERATION,
  pendingTexts,
  Refusals,
} from '../../ingest/embed.ts';
import { ADMIN_NAMESPACE } from '../../store/rules/admin-namespace.ts';
import type { Generation, GenerationSpec } from '../../store/search-model.ts';
import type { EngineContext } from '../context.ts';
import { whileFilling, withOneLease } from './filling.ts';
import { activeGeneration, describeGeneration, generationOf, modelSpec } from './generations.ts';
import { NO_REFUSALS, refusalReport, type RefusalReport } from './refusal-report.ts';

export interface BackfillOptions extends ProgressOptions {
  /** Only counts what would be embedded. */
  readonly dryRun?: boolean;
}

export interface BackfillReport extends RefusalReport {
  /** What the settings name. */
  readonly target: GenerationSpec;
  /** What searches use; `null` before anything was embedded. */
  readonly active: GenerationSpec | null;
  /** Whether searches use the target already. */
  readonly isActive: boolean;
  /** Texts that had no vector of the target, their bytes, and an estimate of their tokens. */
  readonly texts: number;
  readonly bytes: number;
  readonly tokens: number;
  /** Texts that this call embedded. */
  readonly embedded: number;
  /** Texts that have no vector yet, those that the provider refused to this call included. */
  readonly remaining: number;
}

/** Texts are divided by the first digit of their hashes. A process works on one part at a time, under its lease. */
const partOf = (hash: string): string => hash.charAt(0);
const POLL_INTERVAL_MS = 250;
/** Of English text, and of the title and headings that are embedded with each passage. */
const BYTES_PER_TOKEN = 4;
const TOKENS_OF_HEADINGS = 12;

/**
 * Makes the vectors of the configured model for everything that has none, in all namespaces, beside those that searches use.
 * Texts that the provider refuses stay without one. Several processes share the work. Each batch is stored at once, so that a run that was stopped or killed goes on where it was.
 * @throws LociError `invalid_input` with the provider `none`; `conflict` if the vectors were removed meanwhile;
 *   `embedding_unavailable`, `aborted`
 */
export async function backfill(
  context: EngineContext,
  { dryRun = false, ...options }: BackfillOptions = {},
): Promise<BackfillReport> {
  const { store } = context;
  const embedder = await requireEmbedder(context);
  const generations = await store.vectors.generations(ADMIN_NAMESPACE);
  const active = activeGeneration(generations) ?? null;
  const found = generationOf(generations, embedder);
  const before = found?.id ?? NO_GENERATION;
  const namespaces = await store.admin.namespaces(ADMIN_NAMESPACE);
  const { texts, bytes } = await pendingTotals(store, before, namespaces);
  const report = {
    ...{ target: modelSpec(embedder), active, texts, bytes },
    isActive: found?.active === true,
    tokens: Math.ceil(bytes / BYTES_PER_TOKEN) + TOKENS_OF_HEADINGS * texts,
  };
  if (dryRun) return { ...report, ...NO_REFUSALS, embedded: 0, remaining: texts };
  return whileFilling(context, modelSpec(embedder), options, async (target) => {
    const refusals = new Refusals();
    const work = { embedder, generation: target.id, refusals, meanwhile: meanwhile(active, target) };
    const embedded = await embedShared(context, work, texts, options);
    for (const namespace of namespaces) await store.admin.compact(namespace);
    const remaining = await countAllPending(store, target.id);
    return { ...report, embedded, remaining, ...(await refusalReport(context, refusals)) };
  });
}

/** What searches use during the backfill; `undefined` if it is what is made now. */
function meanwhile(active: Generation | null, target: Generation): string | undefined {
  if (target.active) return undefined;
  const used = active === null ? 'words alone' : `the vectors of ${describeGeneration(active, target)}`;
  return `Searches use ${used} until \`loci embed switch\`.`;
}

/** @throws LociError `invalid_input` */
export async function requireEmbedder(context: EngineContext): Promise<Embedder> {
  const embedder = await context.embedder();
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
