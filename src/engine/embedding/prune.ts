import type { ProgressOptions } from '../../core/progress.ts';
import { countVectors } from '../../ingest/embed.ts';
import { ADMIN_NAMESPACE } from '../../store/rules/admin-namespace.ts';
import type { GenerationSpec } from '../../store/search-model.ts';
import type { EngineContext } from '../context.ts';
import { fillingProcess, whileNoneIsRemoved } from './filling.ts';
import { generationOf } from './generations.ts';

export interface RemovedGeneration extends GenerationSpec {
  /** In all namespaces. */
  readonly vectors: number;
}

/** A generation that a process is filling. */
export interface FilledGeneration extends GenerationSpec {
  /** In words, such as `process 4711`. */
  readonly process: string;
}

export interface PruneOptions extends ProgressOptions {
  /** Removes nothing. `removed` are then those that would be, with the vectors of texts that are still in the store. */
  readonly dryRun?: boolean;
}

export interface PruneReport {
  readonly removed: readonly RemovedGeneration[];
  readonly inUse: readonly FilledGeneration[];
}

/**
 * Removes the vectors that are neither those of searches, nor those of the configured model, nor those that a backfill of any
 * process is making. A server that still works with removed ones fails with `embedding_mismatch` until it is restarted.
 */
export async function prune(context: EngineContext, options: PruneOptions = {}): Promise<PruneReport> {
  const { store } = context;
  const embedder = await context.embedder();
  const report = await whileNoneIsRemoved(context, options, async () => {
    const generations = await store.vectors.generations(ADMIN_NAMESPACE);
    const configured = embedder === null ? undefined : generationOf(generations, embedder);
    const removed: RemovedGeneration[] = [];
    const inUse: FilledGeneration[] = [];
    for (const { id, active, provider, model, dimensions } of generations) {
      if (active || id === configured?.id) continue;
      const spec = { provider, model, dimensions };
      const process = await fillingProcess(context, spec);
      if (process !== null) inUse.push({ ...spec, process });
      else
        removed.push({
          ...spec,
          vectors:
            options.dryRun === true
              ? await countVectors(store, id)
              : (await store.vectors.setGeneration(ADMIN_NAMESPACE, { remove: id })).removedVectors,
        });
    }
    return { removed, inUse };
  });
  if (options.dryRun === true) return report;
  for (const namespace of await store.admin.namespaces(ADMIN_NAMESPACE)) await store.admin.compact(namespace);
  return report;
}
