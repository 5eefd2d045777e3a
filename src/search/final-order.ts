import { LociError } from '../core/errors.ts';
import type { Reranker } from '../embed/rerank/reranker.ts';
import { writtenTime } from '../store/rules/record-time.ts';
import type { SearchRun } from './run.ts';
import { sessionOf } from './rank/boosts.ts';
import type { Hit } from './rank/confidence.ts';
import type { DatedRecord, Ranked } from './rank/rank.ts';
import { policyOf, type Ranking, type SourcePolicies } from './rank/ranking.ts';

/**
 * Orders the first results by their score and the confidence in them, so that few results stand below one that is less
 * likely. They exchange places: each gets the score of its new place. Turns of sessions keep their places, since the
 * confidence in a single turn orders long chats worse than the score does.
 */
export function orderByConfidence(
  ranked: readonly Ranked[],
  rate: (hit: Ranked) => Hit,
  { confidenceOrder }: Pick<Ranking, 'confidenceOrder'>,
): readonly (Ranked | Hit)[] {
  if (confidenceOrder === null) return ranked;
  const { share, results } = confidenceOrder;
  const hits = ranked.slice(0, results).map(rate);
  const best = hits[0]?.score ?? 0;
  const keyOf = ({ score, confidence, boosts }: Hit): number => {
    // The weight of a source lowers the score, and says nothing about the confidence.
    const weight = boosts.reduce((product, { factor = 1 }) => product * factor, 1);
    return (1 - share) * (best === 0 ? 0 : score / best) + share * confidence * weight;
  };
  const ordered = hits
    .filter(({ passage }) => sessionOf(passage) === null)
    .map((hit) => ({ hit, key: keyOf(hit) }))
    .sort((a, b) => b.key - a.key)
    .map(({ hit }) => hit)
    .values();
  const first = hits.map((place): Hit => {
    if (sessionOf(place.passage) !== null) return place;
    const hit = ordered.next().value!;
    const added = place.score - hit.score;
    if (added === 0) return hit;
    return { ...hit, score: place.score, boosts: [...hit.boosts, { name: 'confidence', added }] };
  });
  return [...first, ...ranked.slice(results)];
}

/** Results that are sent to the reranker. */
export const RERANKED = 50;

interface Reranked<Result> {
  readonly ranked: readonly Result[];
  /** Why the order is as it was; `null` if it was changed. */
  readonly notice: string | null;
}

/** The last stage: puts the best results into the order of the reranker. If it cannot answer in time, the order stays. */
export async function rerankBest<Result extends Ranked>(
  reranker: Pick<Reranker, 'provider' | 'rerank'>,
  query: string,
  ranked: readonly Result[],
  signal: AbortSignal | undefined,
): Promise<Reranked<Result>> {
  const best = ranked.slice(0, RERANKED);
  if (best.length < 2) return { ranked, notice: null };
  try {
    const scores = await reranker.rerank(query, best.map(rerankedText), signal);
    const order = best.map((each, i) => ({ each, score: scores[i]! })).sort((a, b) => b.score - a.score);
    return { ranked: [...order.map(({ each }) => each), ...ranked.slice(RERANKED)], notice: null };
  } catch (error) {
    if (!(error instanceof LociError) || error.code !== 'embedding_unavailable') throw error;
    return { ranked, notice: `ranked without the reranker ${reranker.provider}: ${error.message}` };
  }
}

/** The passage, below the title and headings that say what it is about. */
function rerankedText({ passage: { record, headings, text } }: Ranked): string {
  const above = [...new Set([record.title, ...headings])].filter((each) => each !== '').join(' > ');
  return above === '' ? text : `${above}\n\n${text}`;
}

/** Results that are compared: more than are usually shown. */
const COMPARED = 50;
/** A sentence or two, in UTF-16 code units. */
const MAX_LENGTH = 300;

/**
 * Memories and facts with the same title, text and trust, in any case, take one place: the latest stands in that of the first, and names the
 * others. Turns of sessions and notes are something of their own.
 */
export async function withoutRepetition<Hit extends Ranked>(
  { store, namespace }: SearchRun,
  ranked: readonly Hit[],
): Promise<readonly Hit[]> {
  const byText = Map.groupBy(ranked.slice(0, COMPARED), textOf);
  byText.delete(null);
  const repeated = [...byText.values()].filter((hits) => hits.length > 1);
  if (repeated.length === 0) return ranked;
  const ids = repeated.flat().map(({ passage }) => passage.record.id);
  const records = await store.records.get(namespace, ids, 'any');
  // The passages may be the beginnings of longer texts.
  const contents = new Map(records.map(({ id, content }) => [id, normalised(content)]));
  const places = new Map<Hit, Hit | null>();
  for (const hits of repeated)
    for (const [, same] of Map.groupBy(hits, ({ passage }) => contents.get(passage.record.id))) {
      const [latest, ...others] = same.toSorted((a, b) => timeOf(b) - timeOf(a));
      for (const hit of same) places.set(hit, null);
      places.set(same[0]!, { ...latest!, same: others.map(datedRecord) });
    }
  return ranked.flatMap((hit) => (places.has(hit) ? (places.get(hit) ?? []) : [hit]));
}

function textOf({ passage }: Ranked): string | null {
  const { record, ordinal, text } = passage;
  const isWritten = record.origin === 'memory' || record.origin === 'fact';
  if (!isWritten || ordinal > 0 || text.length > MAX_LENGTH || sessionOf(passage) !== null) return null;
  if (writtenTime(record) === null) return null;
  return `${record.trust}\n${normalised(record.title)}\n${normalised(text)}`;
}

function normalised(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim().toLowerCase();
}

function timeOf({ passage }: Ranked): number {
  return writtenTime(passage.record) ?? 0;
}

function datedRecord(hit: Ranked): DatedRecord {
  return { record: hit.passage.record.id, time: timeOf(hit) };
}

/**
 * Puts conflict copies that stand above their note directly after it. Nothing is raised: such a copy gets at most the score and the
 * confidence of the note, which keeps its own.
 */
export function originalsFirst(
  ranked: readonly (Ranked | Hit)[],
  rate: (hit: Ranked | Hit) => Hit,
): readonly (Ranked | Hit)[] {
  const first = ranked.slice(0, COMPARED);
  const found = new Set(first.map((hit) => documentOf(hit, hit.passage.record.key)));
  const placed = new Set<string>();
  const waiting = new Map<string, (Ranked | Hit)[]>();
  const withCopies = (hit: Ranked | Hit): (Ranked | Hit)[] => {
    const document = documentOf(hit, hit.passage.record.key);
    placed.add(document);
    const copies = waiting.get(document) ?? [];
    waiting.delete(document);
    return [hit, ...copies.flatMap((copy) => withCopies(atMost(rate(copy), rate(hit))))];
  };
  const ordered = first.flatMap((hit) => {
    const original = originalOf(hit);
    if (original === null || !found.has(original) || placed.has(original)) return withCopies(hit);
    waiting.set(original, [...(waiting.get(original) ?? []), hit]);
    return [];
  });
  return [...ordered, ...ranked.slice(COMPARED)];
}

/** The document that a hit is a conflict copy of. Its name is shorter, so that no two documents are copies of each other. */
function originalOf(hit: Ranked): string | null {
  const { origin, key, metadata } = hit.passage.record;
  const { copyOf } = metadata;
  // A source could set its own.
  if (origin !== 'vault' || key === null || typeof copyOf !== 'string') return null;
  return copyOf.length < key.length ? documentOf(hit, copyOf) : null;
}

function atMost(copy: Hit, { score, confidence }: Hit): Hit {
  const added = Math.min(0, score - copy.score);
  return {
    ...copy,
    score: Math.min(score, copy.score),
    confidence: Math.min(confidence, copy.confidence),
    ...(added < 0 && { boosts: [...copy.boosts, { name: 'original', added }] }),
  };
}

function documentOf({ passage }: Ranked, key: string | null): string {
  return JSON.stringify([passage.record.source, key]);
}

interface LimitedHits {
  readonly hits: readonly Hit[];
  readonly belowMinScore: readonly Hit[];
  readonly belowSourceMinScore: readonly Hit[];
  /** The hits within the limit, and the best note even if it is beyond the limit. */
  readonly eligible: readonly Hit[];
}

/** Whether a hit is dropped because of the minimum score of its vault or source. */
function isBelowSourceMinScore(
  { passage, confidence, confidenceParts }: Hit,
  policies: SourcePolicies,
): boolean {
  const policy = policyOf(passage.record, policies);
  if (policy === null || confidence >= policy.minScore) return false;
  return !(policy.allWordsSuffice && confidenceParts.match.coverage === 1);
}

/** Applies the limit and the minimum scores. A hit below its source's minimum does not count towards the limit. */
export function limitHits(
  { limit, minScore, policies }: SearchRun,
  ranked: readonly (Ranked | Hit)[],
  rate: (hit: Ranked | Hit) => Hit,
): LimitedHits {
  const limited: Hit[] = [];
  const belowMinScore: Hit[] = [];
  const belowSourceMinScore: Hit[] = [];
  let note: Hit | undefined;
  let taken = 0;
  for (const each of ranked) {
    taken++;
    // Only what may be shown is rated.
    const hit = rate(each);
    if (isBelowSourceMinScore(hit, policies)) {
      if (taken <= limit) belowSourceMinScore.push(hit);
      continue;
    }
    if (hit.passage.record.origin !== 'source') note ??= hit;
    if (limited.length < limit) {
      limited.push(hit);
      if (hit.confidence < minScore) belowMinScore.push(hit);
    }
    if (limited.length === limit && note !== undefined) break;
  }
  return {
    hits: limited.filter(({ confidence }) => confidence >= minScore),
    belowMinScore,
    belowSourceMinScore,
    eligible: note === undefined || limited.includes(note) ? limited : [...limited, note],
  };
}
