import { z } from 'zod';
import { count } from '../../core/number-fields.ts';
import { LociError } from '../../core/errors.ts';
import { parseJson } from '../../core/json.ts';
import type { Embedder } from '../../embed/embedder.ts';
import type { NamespaceStats } from '../../store/admin-model.ts';
import type { Generation, GenerationSpec } from '../../store/search-model.ts';

/** Identifies the generation of an embedder's vectors. Prefixes are a part of the model's name. */
export function modelSpec({ provider, model, dimensions, prefixes }: Embedder): GenerationSpec {
  const { query = '', passage = '' } = prefixes ?? {};
  const prefixed = query === '' && passage === '' ? '' : ` with ${JSON.stringify([query, passage])}`;
  return { provider, model: model + prefixed, dimensions };
}

/** The parts that `modelSpec` joins: the model's own name, and its prefixes. */
export function parseModelName(text: string): ModelName {
  const at = text.lastIndexOf(' with ["');
  const prefixes = at === -1 ? undefined : parseJson(text.slice(at + ' with '.length));
  if (!Array.isArray(prefixes)) return { model: text, query: '', passage: '' };
  const [query, passage] = prefixes as readonly unknown[];
  return { model: text.slice(0, at), query: String(query), passage: String(passage) };
}

interface ModelName {
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
  const { query, passage } = parseModelName(generation.model);
  const prefixes =
    query === '' && passage === '' ? 'no prefixes' : `prefixes ${JSON.stringify([query, passage])}`;
  return `${nameOf(generation)} with ${prefixes}`;
}

function nameOf({ provider, model, dimensions }: GenerationSpec): string {
  return `${provider} ${parseModelName(model).model} (${String(dimensions)} dimensions)`;
}

/** The error for settings with another model than that of the vectors in use. */
export function mismatch(active: Generation, embedder: Embedder): LociError {
  const configured = modelSpec(embedder);
  return new LociError(
    'embedding_mismatch',
    `the store's vectors are of ${describeGeneration(active, configured)}, but ${describeGeneration(configured, active)} is configured`,
  );
}

/**
 * Providers that answer with the model of the request, or not at all. Others, such as llama.cpp, answer with the model that they
 * have: its vectors would be compared with those of another one.
 */
const NAMED_MODELS: ReadonlySet<string> = new Set(['local', 'ollama', 'openai', 'voyage', 'gemini']);
/** Their own address is on this machine, so that they may be asked without being in the settings. */
const ON_THIS_MACHINE: ReadonlySet<string> = new Set(['local', 'ollama']);

/**
 * Why the model of vectors that were made with earlier settings is not asked for queries; `null` if it is. Nothing is sent to an
 * address that the present settings do not name: the earlier ones may have had a proxy, and not the provider itself.
 * @param provider that of the present settings
 */
export function whyNotAsked(previous: GenerationSpec, provider: string): string | null {
  if (previous.provider !== provider && !ON_THIS_MACHINE.has(previous.provider))
    return 'it is not asked, because the settings no longer name its address';
  return NAMED_MODELS.has(previous.provider)
    ? null
    : 'it is not asked, because its provider may answer with another model';
}

/**
 * How searches are answered, and what writes use, until all vectors of the configured model are made.
 * @param provider that of the present settings
 */
export function previousNotice(active: Generation, configured: GenerationSpec, provider: string): string {
  const [previous, target] = [describeGeneration(active, configured), describeGeneration(configured, active)];
  const why = whyNotAsked(active, provider);
  const until = `until those of ${target} are made, by a running server, \`loci index\` or \`loci embed backfill\``;
  return why === null
    ? `searches use the vectors of ${previous} ${until}`
    : `searches use words alone ${until}: ${previous} made the vectors, and ${why}`;
}

/** A model in an output. */
export const generation = z.strictObject({
  provider: z.string(),
  model: z.string(),
  dimensions: z.number().int().positive(),
  query_prefix: z.string().describe('What is put in front of queries. Other prefixes make other vectors.'),
  passage_prefix: z.string().describe('What is put in front of passages.'),
});

export function generationFields({
  provider,
  model: joined,
  dimensions,
}: GenerationSpec): z.infer<typeof generation> {
  const { model, query, passage } = parseModelName(joined);
  return { provider, model, dimensions, query_prefix: query, passage_prefix: passage };
}

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
  readonly stats: Pick<NamespaceStats, 'texts' | 'embedded'>;
}

/** `null` if searches use the model of the settings, or none. */
export function modelChange({
  embedder,
  generations,
  stats: { texts, embedded },
}: Known): z.infer<typeof modelChangeOutput> | null {
  const from = activeGeneration(generations);
  const target = generationOf(generations, embedder);
  if (from === undefined || target?.active === true) return null;
  return {
    ...{ from: generationFields(from), to: generationFields(modelSpec(embedder)), texts },
    embedded: target === undefined ? 0 : (embedded.get(target.id) ?? 0),
  };
}
