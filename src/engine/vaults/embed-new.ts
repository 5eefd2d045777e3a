import { embedPending } from '../../ingest/embed.ts';
import type { VectorIndexRef } from '../../search/run.ts';
import type { EngineContext } from '../context.ts';
import { signalOption, type ProgressOptions } from '../../core/progress.ts';
import { withLease } from '../refresh/lease.ts';

/**
 * Embeds whatever has no vector yet, of all namespaces; answers how many contents. One process at a time: what another
 * one embeds meanwhile is waited for, and not embedded twice.
 * @throws LociError `embedding_mismatch`, `embedding_unavailable`, `aborted`
 */
export async function embedNew(context: EngineContext, options: ProgressOptions = {}): Promise<number> {
  const vectors = await context.vectorsToFill();
  if (vectors === null || (await context.store.countPending(vectors.generation)) === 0) return 0;
  const embedded = await withLease(
    context,
    'embedding',
    (_held, signal) => embedAll(context, vectors, { ...options, signal }),
    {
      waits: true,
      onWait: () => options.onProgress?.({ stage: 'waiting', subject: 'embedding', done: 0, total: 0 }),
      ...signalOption(options),
    },
  );
  await context.store.sweep();
  return embedded;
}

function embedAll(
  { store }: EngineContext,
  { embedder, generation }: VectorIndexRef,
  options: ProgressOptions,
): Promise<number> {
  return embedPending(store, embedder, generation, {
    ...signalOption(options),
    onProgress: (done, total) => options.onProgress?.({ stage: 'embedding', subject: '', done, total }),
  });
}
