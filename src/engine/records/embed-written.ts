import { LociError } from '../../core/errors.ts';
import type { Metadata, Passage } from '../../core/types.ts';
import { embedRecord } from '../../ingest/embed.ts';
import type { VectorIndexRef } from '../../search/run.ts';
import type { EngineContext } from '../context.ts';

export interface Embedded {
  /** Without an embedding, a record is found by its words only. */
  readonly embedded: boolean;
  /** Why it is not embedded. */
  readonly why: string | null;
}

/** Embeds the passages of a record that was just written. If the model cannot answer, the next `index` embeds them (R16). */
export async function embedWritten(
  { store, namespace }: EngineContext,
  vectors: VectorIndexRef | null,
  { title, metadata }: { readonly title: string; readonly metadata: Metadata },
  passages: readonly Passage[],
): Promise<Embedded> {
  if (vectors === null) return { embedded: false, why: 'no embedding provider is configured' };
  try {
    const record = { namespace, title, metadata };
    await embedRecord(store, vectors.embedder, vectors.generation, record, passages);
    return { embedded: true, why: null };
  } catch (error) {
    if (!(error instanceof LociError)) throw error;
    return { embedded: false, why: error.message };
  }
}
