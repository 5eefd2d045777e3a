import { ADMIN_NAMESPACE } from '../store/rules/admin-namespace.ts';
import { LociError } from '../core/errors.ts';
import { pickSignal, type ProgressOptions } from '../core/progress.ts';
import type { Metadata, Passage } from '../core/types.ts';
import type { Embedder } from '../embed/embedder.ts';
import type { PendingEmbedding } from '../store/search-model.ts';
import type { Store } from '../store/store.ts';
import { embeddingText } from './embedding-text.ts';

/** Texts that are embedded in one call and written in one transaction. */
const BATCH_SIZE = 64;

/**
 * Embeds every text that has no vector of the generation yet. Each batch is written at once, so a run that stops loses
 * at most one batch. Returns the number of texts embedded.
 * @throws LociError `embedding_unavailable`, `aborted`
 */
export async function embedPending(
  store: Store,
  embedder: Embedder,
  generation: number,
  options: ProgressOptions = {},
): Promise<number> {
  const total = await countAllPending(store, generation);
  let done = 0;
  const report = (count: number): void => {
    done += count;
    options.onProgress?.({ stage: 'embedding', subject: '', done: Math.min(done, total), total });
  };
  if (total === 0) return 0;
  for (const namespace of await store.admin.namespaces(ADMIN_NAMESPACE))
    await embedNamespace(store, embedder, namespace, generation, options, report);
  return done;
}

/** The number of texts without a vector of the generation, in all namespaces. */
export async function countAllPending(store: Store, generation: number): Promise<number> {
  let pending = 0;
  for (const namespace of await store.admin.namespaces(ADMIN_NAMESPACE))
    pending += await store.vectors.countPending(namespace, generation);
  return pending;
}

async function embedNamespace(
  store: Store,
  embedder: Embedder,
  namespace: string,
  generation: number,
  options: Pick<ProgressOptions, 'signal'>,
  report: (count: number) => void,
): Promise<void> {
  let after: PendingEmbedding | null = null;
  for (;;) {
    if (options.signal?.aborted === true) throw new LociError('aborted', 'embedding was stopped');
    const page: PendingEmbedding[] = await store.vectors.pending(namespace, generation, {
      after,
      limit: BATCH_SIZE,
    });
    after = page.at(-1) ?? null;
    if (after === null) return;
    const texts = new Map(page.map((pending) => [pending.hash, embeddingText(pending, pending)]));
    await embedTexts(store, embedder, namespace, generation, texts, options);
    report(texts.size);
  }
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
  await embedTexts(store, embedder, record.namespace, generation, texts);
}

/** @param texts by their hashes */
async function embedTexts(
  store: Store,
  embedder: Embedder,
  namespace: string,
  generation: number,
  texts: ReadonlyMap<string, string>,
  options: Pick<ProgressOptions, 'signal'> = {},
): Promise<void> {
  const vectors = await embedder.embed([...texts.values()], {
    ...{ purpose: 'passage', owner: namespace },
    ...pickSignal(options),
  });
  const writes = [...texts.keys()].map((hash, i) => ({ hash, vector: vectors[i]! }));
  await store.vectors.put(namespace, generation, writes);
}
