import type { SearchFilter, StoredPassage } from '../store/search-model.ts';
import { requiredPhrases } from './query/parse.ts';
import { containsPhrases } from './query/phrases.ts';
import { isCompleted } from './rank/boosts.ts';
import type { Hit } from './rank/confidence.ts';
import { policyOf } from './rank/source-policy.ts';
import type { RetrievalResult } from './retrieve/retrieve.ts';
import type { SearchRun } from './run.ts';

/**
 * Weight of the best note in the vector to compare with; the rest is the query's. Tuned, with the constants below, on
 * the dev half of `eval/sets/ambient.json`: of the relevant todos a search of ten shows 71% without related documents
 * and 90% with eight of them.
 */
const NOTE_SHARE = 0.3;
/** Weight of the ranking in the score of a related document; the rest is its nearness. */
const RANKING_SHARE = 0.4;
const MIN_NEARNESS = 0.22;
/**
 * Results below this confidence are probably not about the query and get no related documents. On the dev half this
 * halves the related documents of queries without an answer, and loses no todo.
 */
const MIN_CONFIDENCE = 0.2;
/** Without vectors: the minimum share of the best score. */
const MIN_SCORE_SHARE = 0.5;
const COMPLETED_FACTOR = 0.85;
const CANDIDATE_LIMIT = 40;

/**
 * Documents of sources that belong to the results, best first: those that rank below the results, and those near in
 * meaning to the query and the best note together. "Clear the hall for the cabinets" has no word of "the kitchen
 * remodel", but words of the note about it.
 * @param hits all hits, best first: those that are shown and those beyond the limit
 */
export async function relatedDocuments(
  run: SearchRun,
  hits: readonly Hit[],
  retrieved: RetrievalResult,
): Promise<Hit[]> {
  const { related: options, trace } = run;
  const [best] = hits;
  if (options === null || options.limit === 0 || best === undefined) return [];
  const filter = sourceFilter(run.filter, options.excludedSources);
  if (filter === null || best.answerConfidence.confidence < MIN_CONFIDENCE) return [];
  const shown = new Set(hits.slice(0, options.resultLimit).map(({ passage }) => passage.record.id));
  const { near, passages } = await nearestDocuments(run, filter, hits, retrieved);
  const bestScore = best.score / sourceFactor(best);
  const bestNearness = Math.max(...[...near.values()].map(({ score }) => score), Number.EPSILON);
  const scored = [...hits.filter(isOfSource), ...hitsOfNearest(run, passages, hits, near)]
    .filter(
      ({ passage: { record } }) => !shown.has(record.id) && !options.excludedSources.includes(record.source),
    )
    .flatMap((hit) => {
      const { id: passage, record } = hit.passage;
      const scoreShare = bestScore > 0 ? hit.score / sourceFactor(hit) / bestScore : 0;
      const nearness = near.get(record.id)?.score ?? 0;
      const isRelated = near.size > 0 ? nearness >= MIN_NEARNESS : scoreShare >= MIN_SCORE_SHARE;
      if (!isRelated) {
        trace.drop('unrelated', { passage, record: record.id });
        return [];
      }
      const factor = isCompleted(record) ? COMPLETED_FACTOR : 1;
      const score = factor * (RANKING_SHARE * scoreShare + (1 - RANKING_SHARE) * (nearness / bestNearness));
      return [{ hit, score }];
    });
  scored.sort((a, b) => b.score - a.score || a.hit.passage.id - b.hit.passage.id);
  const limited = trace.filter('over-related-limit', scored, (_, i) => i < options.limit, subjectOf);
  return trace
    .filter('below-min-score', limited, ({ hit }) => hit.confidence >= run.minScore, subjectOf)
    .map(({ hit }) => hit);
}

function subjectOf({ hit: { passage } }: { readonly hit: Hit }): { passage: number; record: number } {
  return { passage: passage.id, record: passage.record.id };
}

function isOfSource({ passage }: Hit): boolean {
  return passage.record.origin === 'source';
}

/** The weight of a source affects the rank of its documents among the notes, but not which documents are related. */
function sourceFactor({ boosts }: Hit): number {
  return boosts.reduce((product, { factor = 1 }) => product * (factor > 0 ? factor : 1), 1);
}

/** `null` when the search excludes documents of sources. */
function sourceFilter(filter: SearchFilter, excludedSources: readonly string[]): SearchFilter | null {
  if (filter.origins !== undefined && !filter.origins.includes('source')) return null;
  return {
    ...filter,
    origins: ['source'],
    excludedSources: [...(filter.excludedSources ?? []), ...excludedSources],
  };
}

interface NearDocument {
  readonly passage: number;
  readonly record: number;
  /** (1 − `NOTE_SHARE`) × cosine with the query + `NOTE_SHARE` × cosine with the best note. */
  readonly score: number;
  /** From 1. */
  readonly rank: number;
}

/** The nearest passage of each document near the query and the best note, by record; empty without vectors. */
async function nearestDocuments(
  { store, namespace }: SearchRun,
  filter: SearchFilter,
  hits: readonly Hit[],
  { vector }: RetrievalResult,
): Promise<{ near: Map<number, NearDocument>; passages: readonly StoredPassage[] }> {
  const near = new Map<number, NearDocument>();
  if (vector === null) return { near, passages: [] };
  const note = hits.find((hit) => !isOfSource(hit));
  const mix = note === undefined ? {} : { mix: { passage: note.passage.id, share: NOTE_SHARE } };
  const query = { by: 'vector' as const, vector, ...mix, filter, limit: CANDIDATE_LIMIT };
  const { lists, passages } = await store.search.retrieve(namespace, { queries: [query], load: true });
  for (const [i, { passage, record, score }] of (lists[0]?.scores ?? []).entries())
    if (!near.has(record)) near.set(record, { passage, record, score, rank: i + 1 });
  return { near, passages };
}

/** Hits for the near documents that the ranking has not found, scored by their nearness. */
function hitsOfNearest(
  { policies, query, trace }: SearchRun,
  passages: readonly StoredPassage[],
  hits: readonly Hit[],
  near: ReadonlyMap<number, NearDocument>,
): Hit[] {
  const ranked = new Set(hits.map(({ passage }) => passage.record.id));
  const [best] = hits;
  if (best === undefined) return [];
  const phrases = requiredPhrases(query);
  return passages.flatMap((passage): Hit[] => {
    const { record } = passage;
    if (ranked.has(record.id)) return [];
    if (!containsPhrases(passage, phrases)) {
      trace.drop('phrase-missing', { passage: passage.id, record: record.id });
      return [];
    }
    const { score: raw = 0, rank = 1 } = near.get(record.id) ?? {};
    const policy = policyOf(record, policies);
    const share = Math.min(1, Math.max(0, raw) * (policy?.weight ?? 1));
    const confidence = best.answerConfidence.confidence * share;
    if (confidence < (policy?.minScore ?? 0)) {
      trace.drop('below-source-min-score', { passage: passage.id, record: record.id });
      return [];
    }
    const score = best.score * share;
    return [
      {
        passage,
        score,
        contributions: [{ signal: 'vector', rank, raw, added: 0 }],
        boosts: [{ name: 'near', added: score }],
        confidence,
        answerConfidence: { ...best.answerConfidence, share },
      },
    ];
  });
}
