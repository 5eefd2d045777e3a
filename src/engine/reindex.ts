import { embedPending } from '../ingest/embed-pending.ts';
import { activeOf, specOf, type EngineContext } from './context.ts';
import { abortable, deriveStale, type LongCallOptions } from './index-vaults.ts';

export interface ReindexOptions extends LongCallOptions {
  /** Embeds everything anew; the way to another model. Without a model, vectors are left as they are. */
  readonly vectors?: boolean;
}

export interface ReindexReport {
  readonly records: number;
  readonly embedded: number;
}

/**
 * Rebuilds everything derived from the canonical records: passages, full text, vocabulary; with `vectors`, these too.
 * Until it is done, searches see what has been rebuilt so far. Stopped anywhere, `index` or `reindex` goes on.
 * @throws LociError `aborted`, `embedding_unavailable`
 */
export async function reindex(context: EngineContext, options: ReindexOptions = {}): Promise<ReindexReport> {
  const { store, config } = context;
  const embedder = await context.embedder();
  if (options.vectors !== true) await context.vectors();
  await store.dropDerived(config.namespace, { vectors: options.vectors === true && embedder !== null });
  const records = await deriveStale(context, options);
  if (embedder === null) return { records, embedded: 0 };
  const before = activeOf(await store.generations());
  const generation = await store.addGeneration(specOf(embedder));
  const embedded = await embedPending(store, embedder, generation.id, {
    ...abortable(options),
    onProgress: (done, total) => options.onProgress?.({ stage: 'embedding', subject: '', done, total }),
  });
  if (before?.id !== generation.id) await store.activateGeneration(generation.id);
  await store.sweep();
  return { records, embedded };
}
