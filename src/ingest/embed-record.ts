import type { Metadata, Passage } from '../core/types.ts';
import type { Embedder } from '../embed/embedder.ts';
import type { Store } from '../store/store.ts';
import { embeddingText } from './embedding-text.ts';

/** Embeds one record's passages now, whatever else is waiting. @throws LociError `embedding_unavailable` */
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
