import { LociError } from '../core/errors.ts';
import type { Metadata, Passage } from '../core/types.ts';
import type { Embedder } from '../embed/embedder.ts';
import type { PendingEmbedding } from '../store/embeddings.ts';
import type { Store } from '../store/store.ts';
import { embeddingText } from './embedding-text.ts';

export interface EmbedPendingOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number, total: number) => void;
}

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
  options: EmbedPendingOptions = {},
): Promise<number> {
  const total = await store.countPending(generation);
  let done = 0;
  let after: number | null = null;
  while (total > 0) {
    if (options.signal?.aborted === true) throw new LociError('aborted', 'embedding was stopped');
    const page: PendingEmbedding[] = await store.pendingEmbeddings(generation, { after, limit: BATCH_SIZE });
    const last = page.at(-1);
    if (last === undefined) break;
    after = last.passage;
    const contents = [
      ...new Map(page.map((pending) => [`${pending.namespace}\0${pending.hash}`, pending])).values(),
    ];
    const vectors = await embedder.embed(
      contents.map((pending) => embeddingText(pending, pending)),
      { purpose: 'passage', ...(options.signal === undefined ? {} : { signal: options.signal }) },
    );
    await store.putVectors(
      generation,
      contents.map(({ namespace, hash }, i) => ({ namespace, hash, vector: vectors[i]! })),
    );
    done += contents.length;
    options.onProgress?.(Math.min(done, total), total);
  }
  return done;
}

/** Embeds the passages of one record at once, before any pending ones. @throws LociError `embedding_unavailable` */
export async function embedRecord(
  store: Store,
  embedder: Embedder,
  generation: number,
  record: { readonly namespace: string; readonly title: string; readonly metadata: Metadata },
  passages: readonly Passage[],
): Promise<void> {
  const contents = [...new Map(passages.map((passage) => [passage.hash, passage])).values()];
  const texts = contents.map((passage) => embeddingText(record, passage));
  const vectors = await embedder.embed(texts, { purpose: 'passage' });
  await store.putVectors(
    generation,
    contents.map(({ hash }, i) => ({ namespace: record.namespace, hash, vector: vectors[i]! })),
  );
}
