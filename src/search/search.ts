import type { SearchFilter, Store, StoredPassage } from '../store/store.ts';
import { stem } from '../core/text/analyze.ts';
import { boostsOf, freshness, sessionOf, type Boost, type BoostContext } from './boosts.ts';
import { confidenceOf, evidenceOf } from './confidence.ts';
import { datesIn } from './dates.ts';
import { fuse, type Contribution, type Fused } from './fuse.ts';
import { parseQuery, type ParsedQuery } from './query.ts';
import type { Ranking } from './ranking.ts';
import { retrieve, type Correction, type MissingSignal, type Retrieved, type VectorSide } from './retrieve.ts';
import { smooth } from './smooth.ts';

export interface SearchInput {
  readonly store: Store;
  readonly namespace: string;
  readonly query: string;
  readonly filter: SearchFilter;
  readonly limit: number;
  readonly ranking: Ranking;
  readonly vectors: VectorSide | null;
  readonly signal?: AbortSignal;
}

/** A record that was found, with the passage that speaks for it. */
export interface Hit {
  readonly passage: StoredPassage;
  /** Ranking score: comparable within one search only. */
  readonly score: number;
  readonly contributions: readonly Contribution[];
  readonly boosts: readonly Boost[];
  /** 0 to 1: how sure it is that this is about the query; never rises along the hits. */
  readonly confidence: number;
}

type Ranked = Omit<Hit, 'confidence'>;

export interface SearchOutcome {
  readonly query: ParsedQuery;
  readonly hits: readonly Hit[];
  readonly retrieved: Retrieved;
  readonly corrections: readonly Correction[];
  readonly missing: readonly MissingSignal[];
}

/** One hit a record, best first. */
export async function search(input: SearchInput): Promise<SearchOutcome> {
  const { ranking } = input;
  const query = parseQuery(input.query);
  const retrieved = await retrieve(query, input);
  const fused = fuse(retrieved.lists, ranking);
  const pool = await smoothed(fused, input);
  const passages = await input.store.passages(
    input.namespace,
    pool.map(({ passage }) => passage),
    input.filter,
  );
  const context = boostContext(query, pool, passages, input);
  const ranked = bestOfEachRecord(boosted(pool, passages, context)).slice(0, input.limit);
  const hits = withConfidence(ranked, retrieved);
  return { query, hits, retrieved, corrections: retrieved.corrections, missing: retrieved.missing };
}

async function smoothed(fused: Fused[], { store, namespace, ranking }: SearchInput): Promise<Fused[]> {
  const top = fused.slice(0, ranking.pool);
  if (ranking.smoothing === null) return top;
  const neighbourhoods = await store.neighbours(
    namespace,
    top.map(({ passage }) => passage),
    { before: 1, after: 2 },
  );
  const scored = new Map(fused.map((entry) => [entry.passage, entry]));
  return smooth(scored, neighbourhoods, ranking.smoothing).slice(0, ranking.pool);
}

function boostContext(
  query: ParsedQuery,
  pool: readonly Fused[],
  passages: readonly StoredPassage[],
  { ranking, filter }: SearchInput,
): BoostContext {
  const dates = ranking.dateBoost > 0 ? datesIn(query.text, filter.now) : [];
  return { query, ranking, dates, now: filter.now, sessionRanks: rankSessions(pool, passages) };
}

/** Sessions by the sum of their three best passages. */
function rankSessions(pool: readonly Fused[], passages: readonly StoredPassage[]): Map<string, number> {
  const sessions = new Map(passages.map((passage) => [passage.id, sessionOf(passage)]));
  const best = new Map<string, number[]>();
  for (const { passage, score } of pool) {
    const session = sessions.get(passage) ?? null;
    if (session === null) continue;
    const scores = best.get(session) ?? [];
    if (scores.length < 3) scores.push(score);
    best.set(session, scores);
  }
  const sums = [...best].map(([session, scores]) => ({ session, sum: scores.reduce((a, b) => a + b, 0) }));
  sums.sort((a, b) => b.sum - a.sum || (a.session < b.session ? -1 : 1));
  return new Map(sums.map(({ session }, i) => [session, i + 1]));
}

function boosted(pool: readonly Fused[], passages: readonly StoredPassage[], context: BoostContext): Ranked[] {
  const entries = new Map(pool.map((entry) => [entry.passage, entry]));
  const best = pool[0]?.score ?? 0;
  return passages.map((passage) => {
    const entry = entries.get(passage.id);
    const boosts = boostsOf(passage, context);
    const base = (entry?.score ?? 0) + best * boosts.reduce((sum, { added }) => sum + added, 0);
    const fresh = context.ranking.recencyReach * freshness(passage.record.createdAt, context);
    return {
      passage,
      score: base * (1 + fresh),
      contributions: entry?.contributions ?? [],
      boosts: [...boosts, { name: 'recency' as const, added: base * fresh }],
    };
  });
}

/**
 * A hit is at most as sure as its own evidence and as its rank: the best evidence among the hits, in proportion to
 * the ranking score.
 */
function withConfidence(ranked: readonly Ranked[], { terms, corrections }: Retrieved): Hit[] {
  const instead = new Map(corrections.map(({ word, instead }) => [word, new Set(instead.map(stem))]));
  const sure = ranked.map((hit) => confidenceOf(evidenceOf(hit.passage, hit.contributions, terms, instead)));
  const best = Math.max(0, ...sure);
  const top = ranked[0]?.score ?? 1;
  let last = 1;
  return ranked.map((hit) => {
    last = Math.min(last, top === 0 ? best : (best * hit.score) / top);
    return { ...hit, confidence: last };
  });
}

function bestOfEachRecord(hits: readonly Ranked[]): Ranked[] {
  const best = new Map<number, Ranked>();
  for (const hit of hits.toSorted(byScore)) {
    if (!best.has(hit.passage.record.id)) best.set(hit.passage.record.id, hit);
  }
  return [...best.values()];
}

function byScore(a: Ranked, b: Ranked): number {
  return b.score - a.score || a.passage.id - b.passage.id;
}

