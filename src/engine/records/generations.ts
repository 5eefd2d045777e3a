import { LociError } from '../../core/errors.ts';
import type { Embedder } from '../../embed/embedder.ts';
import type { Generation } from '../../store/search-model.ts';

/** The fields that identify a model and the generation of its vectors. */
export function modelSpec({
  provider,
  model,
  dimensions,
}: Embedder): Pick<Embedder, 'provider' | 'model' | 'dimensions'> {
  return { provider, model, dimensions };
}

/** The generation that searches use. */
export function activeGeneration(generations: readonly Generation[]): Generation | undefined {
  return generations.find(({ active }) => active);
}

/** @throws LociError `embedding_mismatch` if another model computed the vectors of the generation */
export function assertSameModel(generation: Generation, embedder: Embedder): void {
  const { provider, model, dimensions } = embedder;
  if (generation.provider === provider && generation.model === model && generation.dimensions === dimensions)
    return;
  throw new LociError(
    'embedding_mismatch',
    `the store's vectors are of ${generation.provider} ${generation.model} (${String(generation.dimensions)} dimensions), ` +
      `but ${provider} ${model} (${String(dimensions)}) is configured`,
  );
}
