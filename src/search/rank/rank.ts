import { DAY_MS } from '../../core/time/whole-day.ts';
import type { Timestamp } from '../../core/types.ts';
import { isUndatedNote } from '../../store/rules/record-time.ts';
import type { StoredPassage } from '../../store/search-model.ts';
import { isOfIntent, matchesIntent, type QueryIntent } from '../query/intent.ts';
import type { SearchRun } from '../run.ts';
import { boostsOf, sessionOf, sourceBoosts, type Boost } from './boosts.ts';
import { cosineOf, rrf, shortTurnLoss, type SignalShare, type Smoothed } from './fuse.ts';
import type { Signal } from '../retrieve/signals.ts';
import type { LinkEvidence } from '../linked-notes.ts';
import { effectiveWeight, policyOf, type SourcePolicy, type SourceRecency } from './ranking.ts';

/** How a result came about that a better result leads to. */
export interface Bridge {
  /** The record that leads to the result. */
  readonly record: number;
  readonly title: string;
  /** The headings above the passage that leads to it, outermost first. */
  readonly headings: readonly string[];
  /** A link, a mention of its name, or a phrase that both have. */
  readonly kind: 'link' | 'mention' | 'phrase';
  /** The target of the link, the name, or the phrase. */
  readonly text: string;
  /** The index terms of the query that the leading passage has. */
  readonly matchedTerms: ReadonlySet<string>;
}

/** A record with its score, and how the score is made up. */
export interface Ranked {
  /** The passage of the record that matches best by itself. */
  readonly passage: StoredPassage;
  /** Comparable within one search only. */
  readonly score: number;
  readonly contributions: readonly SignalShare[];
  readonly boosts: readonly Boost[];
  /** What the links of other notes say about the record; `null` if they do not match the query. */
  readonly links: LinkEvidence | null;
  /** The better result that leads to this one, if one does. */
  readonly bridge?: Bridge;
  /** Records with the same text, which have no place of their own: the latest first. */
  readonly same?: readonly DatedRecord[];
}

export interface DatedRecord {
  readonly record: number;
  readonly time: Timestamp;
}

interface Candidate extends Ranked {
  readonly rawScore: number;
}

/** Turns of a session whose scores are summed to rank it. */
const SESSION_TOP_K = 3;
/** The number of notes whose best cosine the documents of sources are compared with. */
const NOTE_TOP_K = 3;

/** Adds boosts and recency to the passages' scores, then ranks each record by its best passage. Best first. */
export function rank(
  run: SearchRun,
  pool: readonly Smoothed[],
  passages: readonly StoredPassage[],
  linksByRecord: ReadonlyMap<number, LinkEvidence> = new Map(),
): Ranked[] {
  const { ranking, intent, policies } = run;
  const entries = new Map(pool.map((entry) => [entry.passage, entry]));
  const sessions = sessionShares(pool, passages);
  const bestScore = pool[0]?.score ?? 0;
  const fullScore = scoreOfBestInAll(pool);
  const timeRanks = rankByTime(passages, run.filter.now);
  const cosineOfNotes = bestCosineOfNotes(pool, passages);
  const candidates = passages.flatMap((passage): Candidate[] => {
    const entry = entries.get(passage.id);
    if (entry === undefined) return [];
    const links = linksByRecord.get(passage.record.id) ?? null;
    if (links === null && isTitleOnlyVectorMatch(passage, entry)) return [];
    const matchBoosts: Boost[] = boostsOf(passage, run, sessions).map(({ name, added }) => ({
      name,
      added: added * bestScore,
    }));
    const lost = entry.score * shortTurnLoss(passage, ranking);
    if (lost > 0) matchBoosts.push({ name: 'short', added: -lost });
    if (links !== null) matchBoosts.push(linkBoost(links, fullScore - entry.score - sumOf(matchBoosts)));
    const matchScore = entry.score + sumOf(matchBoosts);
    const policy = policyOf(passage.record, policies);
    const weight = weightOf(passage, entry, policy, { cosineOfNotes, intent });
    const ofSource = sourceBoosts(passage.record, weight, matchScore, ranking);
    const boosted = matchScore + sumOf(ofSource);
    // A document in a list by time has its recency as a signal already.
    const isListed = intent?.listOnly === true && isOfIntent(passage.record, intent);
    const recency = recencyOf(passage, run, {
      rank: timeRanks.get(passage.id) ?? passages.length,
      score: isListed ? 0 : boosted,
      ofSource: policy?.recency ?? null,
    });
    return [
      {
        passage,
        rawScore: entry.rawScore,
        score: boosted + recency.added,
        contributions: withRecency(entry.contributions, recency),
        boosts: [...matchBoosts, ...ofSource],
        links,
      },
    ];
  });
  return bestOfEachRecord(candidates);
}

/** The score that a passage would have if it were the best of every signal. */
function scoreOfBestInAll(pool: readonly Smoothed[]): number {
  const best = new Map<Signal, number>();
  for (const { contributions } of pool)
    for (const { signal, added } of contributions) best.set(signal, Math.max(added, best.get(signal) ?? 0));
  return [...best.values()].reduce((sum, added) => sum + added, 0);
}

/**
 * Links add a part of what a match lacks to the best possible score: they lift a weak match, and hardly change the order of
 * strong ones.
 * @param lacking negative for a match that boosts have lifted above that score
 */
function linkBoost({ strength }: LinkEvidence, lacking: number): Boost {
  return { name: 'linked', added: strength * Math.max(0, lacking) };
}

/** The best cosine of the notes and memories that match best; `null` without any, or without vectors. */
function bestCosineOfNotes(pool: readonly Smoothed[], passages: readonly StoredPassage[]): number | null {
  const origins = new Map(passages.map(({ id, record }) => [id, record.origin]));
  const notes = pool
    .filter(({ passage }) => (origins.get(passage) ?? 'source') !== 'source')
    .slice(0, NOTE_TOP_K);
  const cosines = notes.flatMap((entry) => cosineOf(entry.contributions) ?? []);
  return cosines.length === 0 ? null : Math.max(...cosines);
}

function weightOf(
  passage: StoredPassage,
  entry: Smoothed,
  policy: SourcePolicy | null,
  { cosineOfNotes, intent }: { readonly cosineOfNotes: number | null; readonly intent: QueryIntent | null },
): number | null {
  if (policy === null) return null;
  // A query for todos should not rank them below the notes.
  if (intent !== null && policy.weight > 0 && matchesIntent(passage, intent))
    return Math.max(1, policy.weight);
  return passage.record.origin === 'source'
    ? effectiveWeight(policy.weight, cosineOf(entry.contributions), cosineOfNotes)
    : policy.weight;
}

/** The vector of an empty note is that of its title: only the words of the title may find it. */
function isTitleOnlyVectorMatch({ text, context }: StoredPassage, { contributions }: Smoothed): boolean {
  return (
    text === '' &&
    context === null &&
    !contributions.some(({ signal }) => signal === 'text' || signal === 'spelling')
  );
}

function sumOf(boosts: readonly Boost[]): number {
  return boosts.reduce((sum, { added }) => sum + added, 0);
}

interface RecencyInput {
  /** By time, from 1. */
  readonly rank: number;
  readonly score: number;
  readonly ofSource: SourceRecency | null;
}

/**
 * As a tie-break it multiplies a score by at most 1 + reach: a record whose score is higher by more than that share
 * ranks higher, however old it is (R2).
 */
function recencyOf(
  { record }: StoredPassage,
  { ranking, filter: { now } }: SearchRun,
  { rank: timeRank, score, ofSource }: RecencyInput,
): SignalShare {
  const { recency, rrfK } = ranking;
  const weight = ofSource?.weight ?? ranking.weights.recency;
  const contribution = { signal: 'recency', rank: timeRank, raw: record.createdAt } as const;
  if (isUndatedNote(record)) return { ...contribution, added: 0 };
  if (recency.kind === 'rank') return { ...contribution, added: weight * rrf(rrfK)(0, timeRank) };
  const halfLifeDays = ofSource?.halfLifeDays ?? recency.halfLifeDays;
  const days = distance(record.createdAt, now) / DAY_MS;
  const added = score * weight * recency.reach * 2 ** (-days / halfLifeDays);
  return { ...contribution, added, halfLifeDays };
}

/** In a list by time, recency is a retrieval signal already: both become one contribution. */
function withRecency(contributions: readonly SignalShare[], recency: SignalShare): readonly SignalShare[] {
  const retrieved = contributions.find(({ signal }) => signal === 'recency');
  if (retrieved === undefined) return recency.added > 0 ? [...contributions, recency] : contributions;
  const merged = { ...recency, rank: retrieved.rank, added: retrieved.added + recency.added };
  return contributions.map((each) => (each === retrieved ? merged : each));
}

/** The absolute distance: an item due tomorrow is as near as one written yesterday. */
function distance(time: Timestamp, now: Timestamp): number {
  return Math.abs(now - time);
}

/** Rank of each passage by the distance of its record's time from now, from 1; equal distances share a rank. */
function rankByTime(passages: readonly StoredPassage[], now: Timestamp): Map<number, number> {
  // Numbers in a typed array are sorted without a call for each comparison.
  const distances = Float64Array.from(passages, ({ record }) =>
    isUndatedNote(record) ? Infinity : distance(record.createdAt, now),
  );
  const ranks = new Map<number, number>();
  for (const each of distances.toSorted()) if (!ranks.has(each)) ranks.set(each, ranks.size + 1);
  return new Map(passages.map(({ id }, i) => [id, ranks.get(distances[i]!)!]));
}

/** The square of the sum of each session's best scores, as a share of that of the best session: many sessions may be about as good. */
function sessionShares(pool: readonly Smoothed[], passages: readonly StoredPassage[]): Map<string, number> {
  const sessions = new Map(passages.map((passage) => [passage.id, sessionOf(passage)]));
  const topScores = new Map<string, number[]>();
  for (const { passage, score } of pool) {
    const session = sessions.get(passage) ?? null;
    if (session === null) continue;
    const scores = topScores.get(session) ?? [];
    if (scores.length < SESSION_TOP_K) scores.push(score);
    topScores.set(session, scores);
  }
  const sums = [...topScores].map(
    ([session, scores]) => [session, scores.reduce((a, b) => a + b, 0)] as const,
  );
  const best = Math.max(...sums.map(([, sum]) => sum));
  return new Map(sums.map(([session, sum]) => [session, best > 0 ? (sum / best) ** 2 : 0]));
}

/** The score of a record is that of its best passage; the passage to show is the one with the best score of its own. */
function bestOfEachRecord(candidates: readonly Candidate[]): Ranked[] {
  const byRecord = Map.groupBy(candidates.toSorted(byScore), ({ passage }) => passage.record.id);
  const records = [...byRecord.values()].flatMap(([best, ...others]): Ranked[] => {
    if (best === undefined) return [];
    const shown = others.reduce((a, b) => (b.rawScore > a.rawScore ? b : a), best);
    const { rawScore: _, ...hit } = shown;
    return [{ ...hit, score: best.score }];
  });
  return records.sort(byScore);
}

function byScore(a: Ranked, b: Ranked): number {
  return b.score - a.score || a.passage.id - b.passage.id;
}
