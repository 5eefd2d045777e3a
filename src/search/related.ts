import type { SearchFilter, Store, StoredPassage } from '../store/store.ts';
import type { Hit } from './rank/hit.ts';
import type { RetrievalResult, VectorIndexRef } from './retrieve/retrieve.ts';
import { NO_POLICIES, policyOf, type SourcePolicies } from './rank/source-policy.ts';

/** What of sources is shown beside the results, where these leave no room for it. */
export interface RelatedOptions {
  /** Results that are shown. */
  readonly resultLimit: number;
  readonly limit: number;
  /** Sources that are never shown unasked. */
  readonly excludedSources: readonly string[];
}

/** What was asked, as a search has it. */
interface RelatedInput {
  readonly store: Store;
  readonly namespace: string;
  readonly filter: SearchFilter;
  readonly vectors: VectorIndexRef | null;
  readonly policies?: SourcePolicies;
}

/** Found so far, best first. */
interface RankedResults {
  readonly hits: readonly Hit[];
  readonly retrieved: RetrievalResult;
  /** What the query must hold: nothing else may stand beside the results either. */
  readonly matchesPhrases: (passage: StoredPassage) => boolean;
}

/**
 * Tuned, with what follows, on the dev half of `eval/sets/ambient.json`: of the relevant todos a search of ten shows 71%
 * without anything beside, 90% with eight.
 */
const NOTE_SHARE = 0.3;
/** What the ranking counts; the rest is nearness. */
const RANKING_SHARE = 0.4;
/** Less near is not of this. */
const MIN_NEARNESS = 0.22;
/**
 * Where nothing is surely about the query, nothing is about what was found. On the dev half this halves what stands beside
 * the results of queries that nothing answers, and loses no todo.
 */
const MIN_CONFIDENCE = 0.2;
/** Without vectors: less of the best score is not of this. */
const MIN_SCORE_SHARE = 0.5;
/** What is done is rarely what one has to know. */
const COMPLETED_FACTOR = 0.85;
const CANDIDATE_LIMIT = 40;

/**
 * Documents of sources that belong to what was found, best first: those that the ranking holds behind the results, and
 * those that are near in meaning to the query and to the best note together. "Clear the hall for the cabinets" shares no
 * word with "the kitchen remodel"; with the note about it, it does.
 */
export async function relatedDocuments(
  input: RelatedInput,
  related: RelatedOptions,
  found: RankedResults,
): Promise<Hit[]> {
  const shown = new Set(found.hits.slice(0, related.resultLimit).map(({ passage }) => passage.record.id));
  const filter = ofSources(input.filter, related.excludedSources);
  const [best] = found.hits;
  if (filter === null || best === undefined || related.limit === 0) return [];
  if (best.answerConfidence.confidence < MIN_CONFIDENCE) return [];
  const near = await nearestDocuments(input, filter, found);
  const top = best.score / sourceFactor(best);
  const farthest = Math.max(...[...near.values()].map(({ score }) => score), Number.EPSILON);
  const scored = [...found.hits.filter(isOfSource), ...(await brought(near, input, filter, found))]
    .filter(
      ({ passage }) =>
        !shown.has(passage.record.id) && !related.excludedSources.includes(passage.record.source),
    )
    .flatMap((hit) => {
      const { record } = hit.passage;
      const ranked = top > 0 ? hit.score / sourceFactor(hit) / top : 0;
      const nearness = near.get(record.id)?.score ?? 0;
      const isOfThis = near.size > 0 ? nearness >= MIN_NEARNESS : ranked >= MIN_SCORE_SHARE;
      if (!isOfThis) return [];
      const done = record.metadata['completed'] === true ? COMPLETED_FACTOR : 1;
      return [{ hit, score: done * (RANKING_SHARE * ranked + (1 - RANKING_SHARE) * (nearness / farthest)) }];
    });
  scored.sort((a, b) => b.score - a.score || a.hit.passage.id - b.hit.passage.id);
  return scored.slice(0, related.limit).map(({ hit }) => hit);
}

function isOfSource({ passage }: Hit): boolean {
  return passage.record.origin === 'source';
}

/** What a source weighs decides where its documents stand among the notes, not which of them belong here. */
function sourceFactor({ boosts }: Hit): number {
  return boosts.reduce((product, { factor = 1 }) => product * (factor > 0 ? factor : 1), 1);
}

/** `null` where the request leaves sources out. */
function ofSources(filter: SearchFilter, except: readonly string[]): SearchFilter | null {
  if (filter.origins !== undefined && !filter.origins.includes('source')) return null;
  return { ...filter, origins: ['source'], exceptSources: [...(filter.exceptSources ?? []), ...except] };
}

interface NearDocument {
  readonly passage: number;
  readonly record: number;
  /** (1 − `NOTE_SHARE`) × cosine with the query + `NOTE_SHARE` × cosine with the best note. */
  readonly score: number;
  /** From 1. */
  readonly rank: number;
}

/** The best passage of each record of a source that is near, by record; empty without vectors. */
async function nearestDocuments(
  { store, namespace, vectors }: RelatedInput,
  filter: SearchFilter,
  { hits, retrieved: { vector } }: RankedResults,
): Promise<Map<number, NearDocument>> {
  if (vectors === null || vector === null) return new Map();
  const note = hits.find((hit) => !isOfSource(hit));
  const ofNote =
    note === undefined ? null : await store.vectorOf(namespace, vectors.generation, note.passage.id);
  const sum = vector.map(
    (component, i) => (1 - NOTE_SHARE) * component + NOTE_SHARE * (ofNote?.[i] ?? component),
  );
  const length = Math.hypot(...sum);
  const both = sum.map((component) => component / length);
  const scores = await store.searchVectors(namespace, vectors.generation, both, filter, CANDIDATE_LIMIT);
  const near = new Map<number, NearDocument>();
  for (const [i, { passage, record, score }] of scores.entries())
    if (!near.has(record)) near.set(record, { passage, record, score: score * length, rank: i + 1 });
  return near;
}

/** What nearness alone brought, as hits: they stand where their nearness puts them. */
async function brought(
  near: ReadonlyMap<number, NearDocument>,
  { store, namespace, policies = NO_POLICIES }: RelatedInput,
  filter: SearchFilter,
  { hits, matchesPhrases: fits }: RankedResults,
): Promise<Hit[]> {
  const known = new Set(hits.map(({ passage }) => passage.record.id));
  const others = [...near.values()].filter(({ record }) => !known.has(record));
  const [best] = hits;
  if (best === undefined || others.length === 0) return [];
  const passages = await store.passages(
    namespace,
    others.map(({ passage }) => passage),
    filter,
  );
  return passages.filter(fits).flatMap((passage): Hit[] => {
    const { score: raw = 0, rank = 1 } = near.get(passage.record.id) ?? {};
    const policy = policyOf(passage.record, policies);
    const share = Math.min(1, Math.max(0, raw) * (policy?.weight ?? 1));
    const score = best.score * share;
    const confidence = best.answerConfidence.confidence * share;
    if (confidence < (policy?.minScore ?? 0)) return [];
    const contributions = [{ signal: 'vector' as const, rank, raw, added: 0 }];
    const boosts = [{ name: 'near' as const, added: score }];
    return [
      {
        passage,
        score,
        contributions,
        boosts,
        confidence,
        answerConfidence: { ...best.answerConfidence, share },
      },
    ];
  });
}
