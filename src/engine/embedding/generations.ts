import { LociError } from '../../core/errors.ts';
import { parseJson } from '../../core/json.ts';
import type { Embedder } from '../../embed/embedder.ts';
import type { Generation, GenerationSpec } from '../../store/search-model.ts';

/** What identifies the generation of the vectors that an embedder makes. Prefixes are a part of the model's name. */
export function modelSpec({ provider, model, dimensions, prefixes }: Embedder): GenerationSpec {
  const { query = '', passage = '' } = prefixes ?? {};
  const prefixed = query === '' && passage === '' ? '' : ` with ${JSON.stringify([query, passage])}`;
  return { provider, model: model + prefixed, dimensions };
}

/** The parts that `modelSpec` joins: the model's own name, and its prefixes. */
export function modelParts(text: string): ModelParts {
  const at = text.lastIndexOf(' with ["');
  const prefixes = at === -1 ? undefined : parseJson(text.slice(at + ' with '.length));
  if (!Array.isArray(prefixes)) return { model: text, query: '', passage: '' };
  const [query, passage] = prefixes as readonly unknown[];
  return { model: text.slice(0, at), query: String(query), passage: String(passage) };
}

interface ModelParts {
  readonly model: string;
  readonly query: string;
  readonly passage: string;
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

/**
 * A generation in words: `ollama bge-m3 (1024 dimensions)`.
 * @param other one that the same text names: the prefixes are shown if nothing else tells the two apart
 */
export function describeGeneration(generation: GenerationSpec, other?: GenerationSpec): string {
  const isSameModel = other !== undefined && nameOf(generation) === nameOf(other);
  if (!isSameModel || generation.model === other.model) return nameOf(generation);
  const { query, passage } = modelParts(generation.model);
  const prefixes =
    query === '' && passage === '' ? 'no prefixes' : `prefixes ${JSON.stringify([query, passage])}`;
  return `${nameOf(generation)} with ${prefixes}`;
}

function nameOf({ provider, model, dimensions }: GenerationSpec): string {
  return `${provider} ${modelParts(model).model} (${String(dimensions)} dimensions)`;
}

/** The error for settings whose model is not that of the vectors that searches use. */
export function mismatch(active: Generation, embedder: Embedder): LociError {
  const configured = modelSpec(embedder);
  return new LociError(
    'embedding_mismatch',
    `the store's vectors are of ${describeGeneration(active, configured)}, but ${describeGeneration(configured, active)} is configured`,
  );
}

/** How searches are answered while the vectors of the configured model are being made. */
export function previousNotice(active: Generation, configured: Generation): string {
  return (
    `searches use the vectors of ${describeGeneration(active, configured)} until \`loci embed switch\`; ` +
    `${describeGeneration(configured, active)} is configured`
  );
}
