import { ADMIN_NAMESPACE } from '../../store/rules/admin-namespace.ts';
import type { GenerationSpec } from '../../store/search-model.ts';
import type { EngineContext } from '../context.ts';
import { generationOf } from './generations.ts';

export interface RemovedGeneration extends GenerationSpec {
  /** In all namespaces. */
  readonly vectors: number;
}

/**
 * Removes the vectors that are neither those of searches nor those of the configured model, which a backfill may be filling. A
 * server that still works with removed ones fails with `embedding_mismatch` until it is restarted.
 */
export async function prune(context: EngineContext): Promise<readonly RemovedGeneration[]> {
  const { store } = context;
  const generations = await store.vectors.generations(ADMIN_NAMESPACE);
  const embedder = await context.embedder();
  const configured = embedder === null ? undefined : generationOf(generations, embedder);
  const removed: RemovedGeneration[] = [];
  for (const { id, active, provider, model, dimensions } of generations) {
    if (active || id === configured?.id) continue;
    const vectors = await store.vectors.removeGeneration(ADMIN_NAMESPACE, id);
    removed.push({ provider, model, dimensions, vectors });
  }
  for (const namespace of await store.admin.namespaces(ADMIN_NAMESPACE)) await store.admin.compact(namespace);
  return removed;
}
