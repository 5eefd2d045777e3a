import type { Embedder } from '../../embed/embedder.ts';
import { countAllPending } from '../../ingest/embed.ts';
import type { Generation, GenerationSpec } from '../../store/search-model.ts';
import type { EngineContext } from '../context.ts';
import { activeGeneration, generationOf, modelSpec } from './generations.ts';

/** The progress of a change from the model of searches to that of the settings, in the caller's namespace. */
export interface ModelChange {
  /** What searches use. */
  readonly from: GenerationSpec;
  /** What the settings name. */
  readonly to: GenerationSpec;
  /** Texts, and those of them that have a vector of `to`. */
  readonly texts: number;
  readonly embedded: number;
  /** The next step. A switch needs the vectors of all namespaces. */
  readonly next: 'backfill' | 'switch';
}

interface Known {
  /** Of the settings. */
  readonly embedder: Embedder;
  readonly generations: readonly Generation[];
  /** Of the caller's namespace. */
  readonly texts: number;
}

/** `null` if searches use the model of the settings, or none. */
export async function modelChange(
  { store, namespace }: EngineContext,
  { embedder, generations, texts }: Known,
): Promise<ModelChange | null> {
  const from = activeGeneration(generations);
  const target = generationOf(generations, embedder);
  if (from === undefined || target?.active === true) return null;
  const change = { from, to: modelSpec(embedder), texts };
  if (target === undefined) return { ...change, embedded: 0, next: 'backfill' };
  const isComplete = (await countAllPending(store, target.id)) === 0;
  return {
    ...change,
    embedded: texts - (await store.vectors.pending(namespace, target.id, { totals: true })).texts,
    next: isComplete ? 'switch' : 'backfill',
  };
}
