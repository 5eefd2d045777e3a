import { LociError } from '../core/errors.ts';
import type { Embedder } from '../embed/embedder.ts';
import type { PendingEmbedding } from '../store/embeddings.ts';
import type { Store } from '../store/store.ts';
import { embeddingText } from './embedding-text.ts';

export interface EmbedPendingOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number, total: number) => void;
}

/** Contents embedded in one call, and vectors written in one transaction. */
const BATCH = 64;

/**
 * Embeds whatever lacks a vector of the generation; what is done stays done, whenever it stops.
 * Answers how many contents were embedded.
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
    const page: PendingEmbedding[] = await store.pendingEmbeddings(generation, { after, limit: BATCH });
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
