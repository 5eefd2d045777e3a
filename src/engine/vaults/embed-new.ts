import { ADMIN_NAMESPACE } from '../../store/rules/admin-namespace.ts';
import { countAllPending, embedPending } from '../../ingest/embed.ts';
import type { EngineContext } from '../context.ts';
import { pickSignal, type ProgressOptions } from '../../core/progress.ts';
import { withLease } from '../refresh/lease.ts';

/**
 * Embeds the contents of all namespaces that have no vector. Returns their number. Waits while another process embeds, so that nothing is
 * embedded twice.
 * @throws LociError `embedding_mismatch`, `embedding_unavailable`, `aborted`
 */
export async function embedNew(context: EngineContext, options: ProgressOptions = {}): Promise<number> {
  const vectors = await context.vectorsToFill();
  if (vectors === null || (await countAllPending(context.store, vectors.generation)) === 0) return 0;
  const embedded = await withLease(
    context,
    { namespace: ADMIN_NAMESPACE, name: 'embedding' },
    (_lease, signal) =>
      embedPending(context.store, vectors.embedder, vectors.generation, { ...options, signal }),
    {
      wait: true,
      onWait: () => options.onProgress?.({ stage: 'waiting', subject: 'embedding', done: 0, total: 0 }),
      ...pickSignal(options),
    },
  );
  for (const namespace of await context.store.admin.namespaces(ADMIN_NAMESPACE))
    await context.store.admin.compact(namespace);
  return embedded;
}
