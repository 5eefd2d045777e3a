import { LociError } from '../../core/errors.ts';
import { within } from '../../core/time/deadline.ts';
import type { Metadata, Passage } from '../../core/types.ts';
import { embedRecord } from '../../ingest/embed.ts';
import type { VectorIndexRef } from '../../search/run.ts';
import type { EngineContext } from '../context.ts';
import { UnembeddedWrites } from '../embedding/models.ts';

export interface Embedded {
  /** Without an embedding, a record is found by its words only. */
  readonly embedded: boolean;
  /** Why it is not embedded. */
  readonly why: string | null;
}

/** A write does not wait longer for its embedding, which then goes on while the engine is open. */
const MAX_WAIT_MS = 10_000;

const STILL_EMBEDDING: Embedded = {
  embedded: false,
  why: 'its passages are still being embedded; until then, it is found by its words',
};

/**
 * Embeds the passages of a record that was just written. If the model cannot answer (R16), or if the engine closes before a long
 * text is embedded, the next `index` embeds them, or a server that runs.
 */
export async function embedWritten(
  context: EngineContext,
  vectors: VectorIndexRef | null,
  { title, metadata }: { readonly title: string; readonly metadata: Metadata },
  passages: readonly Passage[],
): Promise<Embedded> {
  if (vectors === null) return { embedded: false, why: 'no embedding provider is configured' };
  const record = { namespace: context.namespace, title, metadata };
  const embedding = embedRecord(context.store, vectors.embedder, vectors.generation, record, passages).then(
    () => ({ embedded: true, why: null }),
    (error: unknown) => {
      if (!(error instanceof LociError)) throw error;
      context.shared(UnembeddedWrites).count++;
      return { embedded: false, why: error.message };
    },
  );
  return within<Embedded>(embedding, MAX_WAIT_MS, () => STILL_EMBEDDING);
}
