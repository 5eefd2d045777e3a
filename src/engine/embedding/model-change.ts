import { z } from 'zod';
import { count } from '../../core/number-fields.ts';
import type { Embedder } from '../../embed/embedder.ts';
import type { Generation } from '../../store/search-model.ts';
import type { EngineContext } from '../context.ts';
import { activeGeneration, generation, generationFields, generationOf, modelSpec } from './generations.ts';

/** How far a change from the model of searches to that of the settings is, in the caller's namespace. Searches use `from` until all namespaces have all vectors. */
export const modelChangeOutput = z.strictObject({
  from: generation.describe('The model whose vectors searches use.'),
  to: generation.describe('The model in the settings.'),
  texts: count(),
  embedded: count().describe('Those of them that have a vector of it.'),
});

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
): Promise<z.infer<typeof modelChangeOutput> | null> {
  const from = activeGeneration(generations);
  const target = generationOf(generations, embedder);
  if (from === undefined || target?.active === true) return null;
  const pending = { totals: true } as const;
  const lacking =
    target === undefined ? texts : (await store.vectors.pending(namespace, target.id, pending)).texts;
  return {
    ...{ from: generationFields(from), to: generationFields(modelSpec(embedder)), texts },
    embedded: texts - lacking,
  };
}
