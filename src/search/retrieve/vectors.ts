import { LociError } from '../../core/errors.ts';
import type { PassageScore } from '../../store/search-model.ts';
import { dateTerms } from '../query/dates.ts';
import type { SearchRun } from '../run.ts';
import type { RetrievalPlan } from './constrained-retrieval.ts';
import { bestFirst, type MissingSignal, type SignalList } from './signals.ts';
import { idfWeight, type WeightedTerm } from './text.ts';

interface VectorResult {
  readonly scores: readonly PassageScore[];
  /** The query's embedding. */
  readonly vector: Float32Array | null;
  readonly missing: readonly MissingSignal[];
}

const NO_VECTORS: VectorResult = { scores: [], vector: null, missing: [] };

/** The passages whose vectors are nearest to the query's. A provider that cannot answer is reported as missing. */
export async function retrieveVectors(run: SearchRun, plan: RetrievalPlan): Promise<VectorResult> {
  const { store, namespace, ranking, vectors, signal, query } = run;
  if (vectors === null || ranking.weights.vector === 0) return NO_VECTORS;
  try {
    const options = { purpose: 'query' as const, ...(signal === undefined ? {} : { signal }) };
    const [vector] = await vectors.embedder.embed([query.text], options);
    if (vector === undefined) return NO_VECTORS;
    const scores = await plan.retrieveWithConstraints((filter, limit) =>
      store.vectors.search(namespace, vectors.generation, vector, filter, limit),
    );
    return { scores, vector, missing: [] };
  } catch (error) {
    if (!(error instanceof LociError) || error.code !== 'embedding_unavailable') throw error;
    return { ...NO_VECTORS, missing: [{ signal: 'vector', why: error.message }] };
  }
}

/**
 * Adds the cosines of the passages that other signals found, so that every passage is judged by both.
 * `isIncomplete` when some of these have no vector yet.
 */
export async function completeVectorScores(
  { store, namespace, vectors }: SearchRun,
  { scores, vector }: VectorResult,
  lists: readonly SignalList[],
): Promise<{ readonly list: SignalList | null; readonly isIncomplete: boolean }> {
  if (vector === null || vectors === null) return { list: null, isIncomplete: false };
  const scored = new Set(scores.map(({ passage }) => passage));
  const unscored = new Set<number>();
  for (const list of lists) {
    for (const { passage } of list.scores) if (!scored.has(passage)) unscored.add(passage);
  }
  const added = await store.vectors.scores(namespace, vectors.generation, vector, [...unscored]);
  const all = [...scores, ...added].sort(bestFirst);
  return { list: { signal: 'vector', scores: all }, isIncomplete: added.length < unscored.size };
}

/** The share of the query that the model can judge, 0 to 1: by its language, and without codes such as `ABC-1128`. */
export function modelCoverageOf(
  { vectors, query, dates }: SearchRun,
  terms: readonly WeightedTerm[],
): number {
  return (vectors?.embedder.modelCoverage?.(query.text) ?? 1) * semanticShare(terms, dates);
}

/** A word of at least three characters with a digit: `CONV-1234`, `0171`, `F.22`. */
const CODE = /^(?=.*\d).{3,}$/s;

/**
 * The IDF-weighted share of the terms that are not codes with a passage. The passage that has the code is meant,
 * whatever likeness a model sees in it.
 */
function semanticShare(terms: readonly WeightedTerm[], dates: SearchRun['dates']): number {
  const ofDates = dateTerms(dates);
  let [total, codes] = [0, 0];
  for (const { terms: words, surface, passages } of terms) {
    const weight = idfWeight(passages);
    total += weight;
    const isCode = CODE.test(surface) && !words.every((word) => ofDates.has(word));
    if (isCode && passages > 0) codes += weight;
  }
  return total === 0 ? 1 : 1 - codes / total;
}
