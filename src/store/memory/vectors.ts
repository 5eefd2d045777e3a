import { LociError } from '../../core/errors.ts';
import type { LociRecord } from '../../core/types.ts';
import type { Generation, GenerationSpec, PendingEmbedding, VectorWrite } from '../embeddings.ts';
import type { Page } from '../page.ts';
import type { PassageScore, SearchFilter } from '../store.ts';
import { assertVectorDimensions } from '../vector-check.ts';
import { admits } from '../admits.ts';
import { emptyNamespace, type HeldPassage, type Namespace, type State } from './state.ts';

export function addGeneration(
  { generations }: State,
  { provider, model, dimensions }: GenerationSpec,
): Generation {
  const known = generations.find(
    (held) => held.provider === provider && held.model === model && held.dimensions === dimensions,
  );
  if (known !== undefined) return { ...known };
  const made = { id: generations.length + 1, provider, model, dimensions, active: false };
  generations.push(made);
  return { ...made };
}

export function activateGeneration(state: State, id: number): void {
  generationById(state, id);
  for (const [i, generation] of state.generations.entries()) {
    state.generations[i] = { ...generation, active: generation.id === id };
  }
}

export function generationById({ generations }: State, id: number): Generation {
  const found = generations.find((generation) => generation.id === id);
  if (found === undefined) throw new LociError('not_found', `no generation ${String(id)} of vectors`);
  return found;
}

export function putVectors(state: State, generation: Generation, writes: readonly VectorWrite[]): void {
  for (const { vector } of writes) assertVectorDimensions(generation, vector);
  for (const { namespace: name, hash, vector } of writes) {
    const namespace = state.namespaces.get(name) ?? emptyNamespace(name);
    state.namespaces.set(name, namespace);
    const vectors = namespace.vectors.get(generation.id) ?? new Map<string, Float32Array>();
    namespace.vectors.set(generation.id, vectors);
    if (!vectors.has(hash)) vectors.set(hash, vector.slice());
  }
}

/** Every passage, one after the other. */
export function searchVectors(
  namespace: Namespace,
  generation: number,
  query: Float32Array,
  filter: SearchFilter,
  limit: number,
): PassageScore[] {
  const allowed = [...namespace.passages.values()].filter(({ record }) => {
    const found = namespace.records.get(record)?.record;
    return found !== undefined && admits(found, filter);
  });
  return allowed
    .flatMap((held) => scoreOf(namespace, generation, query, held))
    .sort((a, b) => b.score - a.score || a.passage - b.passage)
    .slice(0, limit);
}

export function scoreVectors(
  namespace: Namespace,
  generation: number,
  query: Float32Array,
  passages: readonly number[],
): PassageScore[] {
  return passages.flatMap((id) => {
    const held = namespace.passages.get(id);
    return held === undefined ? [] : scoreOf(namespace, generation, query, held);
  });
}

export function vectorOf(namespace: Namespace, generation: number, passage: number): Float32Array | null {
  const hash = namespace.passages.get(passage)?.passage.hash;
  return (hash === undefined ? undefined : namespace.vectors.get(generation)?.get(hash)?.slice()) ?? null;
}

function scoreOf(
  namespace: Namespace,
  generation: number,
  query: Float32Array,
  { id, record, passage }: HeldPassage,
): PassageScore[] {
  const vector = namespace.vectors.get(generation)?.get(passage.hash);
  if (vector === undefined) return [];
  return [
    { passage: id, record, score: vector.reduce((sum, component, i) => sum + component * query[i]!, 0) },
  ];
}

export function pendingEmbeddings(state: State, generation: number, page: Page<number>): PendingEmbedding[] {
  return pending(state, generation)
    .filter(({ held }) => held.id > (page.after ?? 0))
    .slice(0, page.limit)
    .map(({ held: { id, passage }, owner: { namespace, title, metadata } }) => {
      const { hash, headings, text } = passage;
      return structuredClone({ passage: id, namespace, hash, headings, text, title, metadata });
    });
}

export function countPending(state: State, generation: number, namespace?: string): number {
  const contents = pending(state, generation)
    .filter(({ owner }) => namespace === undefined || owner.namespace === namespace)
    .map(({ held, owner }) => `${held.passage.hash} ${owner.namespace}`);
  return new Set(contents).size;
}

/** Passages without a vector, by id. */
function pending(state: State, generation: number): { held: HeldPassage; owner: LociRecord }[] {
  const found: { held: HeldPassage; owner: LociRecord }[] = [];
  for (const namespace of state.namespaces.values()) {
    for (const held of namespace.passages.values()) {
      const owner = namespace.records.get(held.record)?.record;
      const has = namespace.vectors.get(generation)?.has(held.passage.hash) ?? false;
      if (owner?.deletedAt === null && !has) found.push({ held, owner });
    }
  }
  return found.sort((a, b) => a.held.id - b.held.id);
}
