import { ADMIN_NAMESPACE } from '../store/rules/admin-namespace.ts';
import { LociError } from '../core/errors.ts';
import { pickSignal, type ProgressOptions } from '../core/progress.ts';
import type { Metadata, Passage } from '../core/types.ts';
import type { Embedder, EmbedOptions } from '../embed/embedder.ts';
import type { PendingEmbedding, VectorWrite } from '../store/search-model.ts';
import type { Store } from '../store/store.ts';
import { embeddingText } from './embedding-text.ts';

/** Texts that are embedded in one call and written in one transaction. */
const BATCH_SIZE = 64;
/** Batches that the model has at least, so that no thread of it waits for the last texts of a batch or for its commit. */
const MIN_BATCHES_IN_WORK = 2;
/** A run that stops loses these. */
const MAX_BATCHES_IN_WORK = 16;
/** Texts whose order is determined at once, which takes a scan of all passages. */
export const ROUND_SIZE = 64 * BATCH_SIZE;

/**
 * Embeds every text that has no vector of the generation yet, those first that improve searches most. Each batch is written at once,
 * so a run that stops loses only those in work. Returns the number of texts embedded.
 * @throws LociError `embedding_unavailable`, `aborted`
 */
export async function embedPending(
  store: Store,
  embedder: Embedder,
  generation: number,
  options: ProgressOptions = {},
): Promise<number> {
  const total = await countAllPending(store, generation);
  if (total === 0) return 0;
  const namespaces = await store.admin.namespaces(ADMIN_NAMESPACE);
  const totalBytes = await sumOf(namespaces, (namespace) =>
    store.vectors.pendingBytes(namespace, generation),
  );
  let done = 0;
  let bytes = 0;
  const report = (): void => {
    const work = { done: Math.min(bytes, totalBytes), total: totalBytes };
    options.onProgress?.({ stage: 'embedding', subject: '', done: Math.min(done, total), total, work });
  };
  report();
  for (const namespace of namespaces) {
    for await (const batch of embedNamespace(store, embedder, namespace, generation, options)) {
      done += batch.length;
      bytes += batch.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
      report();
    }
  }
  return done;
}

/** The number of texts without a vector of the generation, in all namespaces. */
export async function countAllPending(store: Store, generation: number): Promise<number> {
  const namespaces = await store.admin.namespaces(ADMIN_NAMESPACE);
  return sumOf(namespaces, (namespace) => store.vectors.countPending(namespace, generation));
}

async function sumOf(
  namespaces: readonly string[],
  count: (namespace: string) => Promise<number>,
): Promise<number> {
  const counts = await Promise.all(namespaces.map(count));
  return counts.reduce((sum, each) => sum + each, 0);
}

/**
 * Embeds the texts of a namespace that have no vector of the generation. Returns each batch after its vectors are stored.
 * @param options `selects` leaves the others to somebody else, by the hashes of texts
 */
export async function* embedNamespace(
  store: Store,
  embedder: Embedder,
  namespace: string,
  generation: number,
  options: Pick<ProgressOptions, 'signal'> & { readonly selects?: (hash: string) => boolean },
): AsyncGenerator<readonly PendingEmbedding[]> {
  for (;;) {
    const found = await store.vectors.pending(namespace, generation, ROUND_SIZE);
    const mine = found.filter(({ hash }) => options.selects?.(hash) ?? true);
    const round = [...new Map(mine.map((pending) => [pending.hash, pending])).values()];
    if (round.length === 0) return;
    const count = Math.ceil(round.length / BATCH_SIZE);
    const batches = Array.from({ length: count }, (_, i) =>
      round.slice(i * BATCH_SIZE, (i + 1) * BATCH_SIZE),
    );
    const start = (batch: readonly PendingEmbedding[]): Promise<readonly VectorWrite[]> => {
      const texts = new Map(batch.map((pending) => [pending.hash, embeddingText(pending, pending)]));
      const vectors = embedTexts(embedder, namespace, texts, options);
      // If an earlier batch fails, nothing waits for this one.
      vectors.catch(() => undefined);
      return vectors;
    };
    const inWork = batchesInWork(embedder);
    const running = batches.slice(0, inWork).map(start);
    for (const [i, batch] of batches.entries()) {
      if (options.signal?.aborted === true) throw new LociError('aborted', 'embedding was stopped');
      const vectors = await running.shift()!;
      const next = batches[i + inWork];
      if (next !== undefined) running.push(start(next));
      await store.vectors.put(namespace, generation, vectors);
      yield batch;
    }
  }
}

/** As many as keep the provider busy, and one more. */
function batchesInWork({ concurrentTexts = 0 }: Embedder): number {
  const busy = Math.ceil(concurrentTexts / BATCH_SIZE) + 1;
  return Math.max(MIN_BATCHES_IN_WORK, Math.min(MAX_BATCHES_IN_WORK, busy));
}

/** Embeds the passages of one record at once, before any pending ones. @throws LociError `embedding_unavailable` */
export async function embedRecord(
  store: Store,
  embedder: Embedder,
  generation: number,
  record: { readonly namespace: string; readonly title: string; readonly metadata: Metadata },
  passages: readonly Passage[],
): Promise<void> {
  const texts = new Map(passages.map((passage) => [passage.hash, embeddingText(record, passage)]));
  const vectors = await embedTexts(embedder, record.namespace, texts, { brief: true });
  await store.vectors.put(record.namespace, generation, vectors);
}

/** @param texts by their hashes */
async function embedTexts(
  embedder: Embedder,
  namespace: string,
  texts: ReadonlyMap<string, string>,
  options: Pick<EmbedOptions, 'brief' | 'signal'> = {},
): Promise<readonly VectorWrite[]> {
  const vectors = await embedder.embed([...texts.values()], {
    ...{ purpose: 'passage', owner: namespace },
    ...(options.brief !== undefined && { brief: options.brief }),
    ...pickSignal(options),
  });
  return [...texts.keys()].map((hash, i) => ({ hash, vector: vectors[i]! }));
}
