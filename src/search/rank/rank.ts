import type { Timestamp } from '../../core/types.ts';
import type { StoredPassage } from '../../store/store.ts';
import { boostsOf, sessionOf, type Boost } from './boosts.ts';
import type { DateRange } from '../query/dates.ts';
import { rrf, type Contribution } from './fuse.ts';
import { matchesIntent, isOfIntent, type QueryIntent } from '../query/intent.ts';
import type { ParsedQuery } from '../query/parse.ts';
import { smoothingNorm, type Ranking } from './ranking.ts';
import type { Smoothed } from './smooth.ts';
import {
  policyOf,
  sourceBoosts,
  effectiveWeight,
  type SourcePolicies,
  type SourcePolicy,
  type SourceRecency,
} from './source-policy.ts';

/** A record's place in the results, and why. */
export interface Ranked {
  /** The passage of the record that matches best by itself. */
  readonly passage: StoredPassage;
  /** Comparable within one search only. */
  readonly score: number;
  readonly contributions: readonly Contribution[];
  readonly boosts: readonly Boost[];
}

interface Candidate extends Ranked {
  readonly own: number;
}

/** What a ranking goes by beside the query and the candidates. */
export interface RankContext {
  readonly ranking: Ranking;
  /** What the query names. */
  readonly dates: readonly DateRange[];
  readonly kind: QueryIntent | null;
  readonly now: Timestamp;
  readonly policies: SourcePolicies;
}

/** Turns of a session that speak for it. */
const SESSION_VOICES = 3;
const DAY = 86_400_000;

/** Adds what speaks for a passage beside the signals, then lets each record's best passage stand for it. Best first. */
export function rank(
  query: ParsedQuery,
  pool: readonly Smoothed[],
  passages: readonly StoredPassage[],
  { ranking, dates, kind, now, policies }: RankContext,
): Ranked[] {
  const entries = new Map(pool.map((entry) => [entry.passage, entry]));
  const context = {
    query,
    asked: new Set(query.terms.flatMap(({ terms }) => terms)),
    ranking,
    dates,
    kind,
    sessionRanks: rankSessions(pool, passages),
  };
  const best = pool[0]?.score ?? 0;
  const places = nearestFirst(passages, now);
  const ofNotes = bestCosineOfNotes(pool, passages);
  const candidates = passages.flatMap((passage): Candidate[] => {
    const entry = entries.get(passage.id);
    if (entry === undefined || isEmptyLikeness(passage, entry)) return [];
    const speaking = boostsOf(passage, context).map(({ name, added }) => ({ name, added: added * best }));
    const matched = entry.score + sumOf(speaking);
    const policy = policyOf(passage.record, policies);
    const ofSource = sourceBoosts(
      passage.record,
      weightOf(passage, entry, policy, { ofNotes, kind }),
      matched,
      ranking,
    );
    const boosts = [...speaking, ...ofSource];
    const boosted = matched + sumOf(ofSource);
    const place = places.get(passage.id) ?? passages.length;
    // In a list by time that has been counted.
    const score = kind?.listOnly === true && isOfIntent(passage.record, kind) ? 0 : boosted;
    const recency = recencyOf(passage, { place, score, own: policy?.recency ?? null, ranking, now });
    const contributions = withRecency(entry.contributions, recency, ranking);
    return [{ passage, own: entry.rawScore, score: boosted + recency.added, contributions, boosts }];
  });
  return bestOfEachRecord(candidates);
}

/** Notes that stand for all of them. */
const NOTES = 3;

/** The best cosine of the notes (and memories) that match best; `null` where there are none, or no vectors. */
function bestCosineOfNotes(pool: readonly Smoothed[], passages: readonly StoredPassage[]): number | null {
  const origins = new Map(passages.map(({ id, record }) => [id, record.origin]));
  const notes = pool.filter(({ passage }) => (origins.get(passage) ?? 'source') !== 'source').slice(0, NOTES);
  const cosines = notes.flatMap((entry) => cosineOf(entry) ?? []);
  return cosines.length === 0 ? null : Math.max(...cosines);
}

function cosineOf({ contributions }: Smoothed): number | null {
  return contributions.find(({ signal }) => signal === 'vector')?.raw ?? null;
}

function weightOf(
  passage: StoredPassage,
  entry: Smoothed,
  policy: SourcePolicy | null,
  { ofNotes, kind }: { readonly ofNotes: number | null; readonly kind: QueryIntent | null },
): number | null {
  if (policy === null) return null;
  // Who asks for todos does not want them behind the notes.
  if (kind !== null && policy.weight > 0 && matchesIntent(passage, kind)) return Math.max(1, policy.weight);
  return passage.record.origin === 'source'
    ? effectiveWeight(policy.weight, cosineOf(entry), ofNotes)
    : policy.weight;
}

/** An empty note is found by the words of its title, not by what its title is like. */
function isEmptyLikeness({ text }: StoredPassage, { contributions }: Smoothed): boolean {
  return text === '' && !contributions.some(({ signal }) => signal === 'text' || signal === 'trigram');
}

function sumOf(boosts: readonly Boost[]): number {
  return boosts.reduce((sum, { added }) => sum + added, 0);
}

interface RecencyCase {
  readonly place: number;
  readonly score: number;
  /** What the passage's source says of it. */
  readonly own: SourceRecency | null;
  readonly ranking: Ranking;
  readonly now: Timestamp;
}

/**
 * As a tie-break it multiplies a score by at most 1 + reach: a record whose score is higher by more than that share
 * stays above, however old it is (R2).
 */
function recencyOf(
  { record }: StoredPassage,
  { place, score, own, ranking, now }: RecencyCase,
): Contribution {
  const { recency, rrfK } = ranking;
  const weight = own?.weight ?? ranking.weights.recency;
  const said = { signal: 'recency', rank: place, raw: record.createdAt } as const;
  if (recency.kind === 'rank') return { ...said, added: weight * rrf(rrfK)(0, place) };
  const halfLifeDays = own?.halfLifeDays ?? recency.halfLifeDays;
  const days = distance(record.createdAt, now) / DAY;
  return { ...said, added: score * weight * recency.reach * 2 ** (-days / halfLifeDays), halfLifeDays };
}

/** Where times are all that was asked for, recency is a signal already: then it is one thing that both made. */
function withRecency(
  contributions: readonly Contribution[],
  recency: Contribution,
  { smoothing }: Ranking,
): readonly Contribution[] {
  const signal = contributions.find((one) => one.signal === 'recency');
  if (signal === undefined) return recency.added > 0 ? [...contributions, recency] : contributions;
  const whole = smoothing === null ? 1 : smoothingNorm(smoothing);
  const both = { ...recency, rank: signal.rank, added: signal.added / whole + recency.added };
  return contributions.map((one) => (one === signal ? both : one));
}

/** What is due tomorrow is as near as what was written yesterday. */
function distance(time: Timestamp, now: Timestamp): number {
  return Math.abs(now - time);
}

/** Place of each passage by how near its record's time is to now, from 1; equally near ones share a place. */
function nearestFirst(passages: readonly StoredPassage[], now: Timestamp): Map<number, number> {
  const distances = passages.map(({ record }) => distance(record.createdAt, now));
  const nearest = [...new Set(distances)].sort((a, b) => a - b);
  const places = new Map(nearest.map((one, i) => [one, i + 1]));
  return new Map(passages.map(({ id }, i) => [id, places.get(distances[i] ?? 0) ?? nearest.length]));
}

/** Sessions by the sum of their best turns, from 1. */
function rankSessions(pool: readonly Smoothed[], passages: readonly StoredPassage[]): Map<string, number> {
  const sessions = new Map(passages.map((passage) => [passage.id, sessionOf(passage)]));
  const voices = new Map<string, number[]>();
  for (const { passage, score } of pool) {
    const session = sessions.get(passage) ?? null;
    if (session === null) continue;
    const scores = voices.get(session) ?? [];
    if (scores.length < SESSION_VOICES) scores.push(score);
    voices.set(session, scores);
  }
  const sums = [...voices].map(([session, scores]) => ({ session, sum: scores.reduce((a, b) => a + b, 0) }));
  sums.sort((a, b) => b.sum - a.sum || (a.session < b.session ? -1 : 1));
  return new Map(sums.map(({ session }, i) => [session, i + 1]));
}

/** A record stands where its best passage stands; the passage shown is the one that matches best by itself. */
function bestOfEachRecord(candidates: readonly Candidate[]): Ranked[] {
  const ofRecord = new Map<number, Candidate[]>();
  for (const candidate of candidates.toSorted(byScore)) {
    const { id } = candidate.passage.record;
    ofRecord.set(id, [...(ofRecord.get(id) ?? []), candidate]);
  }
  const records = [...ofRecord.values()].flatMap(([best, ...others]): Ranked[] => {
    if (best === undefined) return [];
    const { own: _, ...shown } = others.reduce((a, b) => (b.own > a.own ? b : a), best);
    return [{ ...shown, score: best.score }];
  });
  return records.sort(byScore);
}

function byScore(a: Ranked, b: Ranked): number {
  return b.score - a.score || a.passage.id - b.passage.id;
}
