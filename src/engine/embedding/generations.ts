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

/** The generation of the vectors that the embedder makes. */
export function generationOf(generations: readonly Generation[], embedder: Embedder): Generation | undefined {
  const { provider, model, dimensions } = modelSpec(embedder);
  return generations.find(
    (each) => each.provider === provider && each.model === model && each.dimensions === dimensions,
  );
}

/** A generation in words: `ollama bge-m3 (1024 dimensions)`. */
export function describeGeneration({ provider, model, dimensions }: GenerationSpec): string {
  return `${provider} ${model} (${String(dimensions)} dimensions)`;
}

/** The error for settings whose model is not that of the vectors that searches use. */
export function mismatch(active: Generation, embedder: Embedder): LociError {
  return new LociError(
    'embedding_mismatch',
    `the store's vectors are of ${describeGeneration(active)}, but ${describeGeneration(modelSpec(embedder))} is configured`,
  );
}

/** How searches are answered while the vectors of the configured model are being made. */
export function previousNotice(active: Generation, configured: Generation): string {
  return (
    `searches use the vectors of ${describeGeneration(active)} until \`loci embed switch\`; ` +
    `${describeGeneration(configured)} is configured`
  );
}
