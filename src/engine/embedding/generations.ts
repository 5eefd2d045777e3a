import { LociError } from '../../core/errors.ts';
import type { Embedder } from '../../embed/embedder.ts';
import type { Generation, GenerationSpec } from '../../store/search-model.ts';

/** What identifies the generation of the vectors that an embedder makes. Prefixes are a part of the model's name. */
export function modelSpec({ provider, model, dimensions, prefixes }: Embedder): GenerationSpec {
  const { query = '', passage = '' } = prefixes ?? {};
  const prefixed = query === '' && passage === '' ? '' : ` with ${JSON.stringify([query, passage])}`;
  return { provider, model: model + prefixed, dimensions };
}

/** The generation that searches use. */
export function activeGeneration(generations: readonly Generation[]): Generation | undefined {
  return generations.find(({ active }) => active);
}

/** @throws LociError `embedding_mismatch` if another model computed the vectors of the generation */
export function assertSameModel(generation: Generation, embedder: Embedder): void {
  const { provider, model, dimensions } = modelSpec(embedder);
  if (generation.provider === provider && generation.model === model && generation.dimensions === dimensions)
    return;
  throw new LociError(
    'embedding_mismatch',
    `the store's vectors are of ${generation.provider} ${generation.model} (${String(generation.dimensions)} dimensions), ` +
      `but ${provider} ${model} (${String(dimensions)}) is configured`,
  );
}
