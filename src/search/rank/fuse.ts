import type { Neighbourhood, PassageScore, StoredPassage } from '../../store/search-model.ts';
import type { Signal, SignalList } from '../retrieve/signals.ts';
import { sessionOf } from './boosts.ts';
import type { Ranking, SignalWeights, Smoothing } from './ranking.ts';

/** One signal's part of a passage's score. */
export interface SignalShare {
  readonly signal: Signal;
  /** From 1. */
  readonly rank: number;
  /** The signal's own score: cosine, BM25. */
  readonly raw: number;
  /** What it added to the passage's score. */
  readonly added: number;
  /** For recency as a tie-break. */
  readonly halfLifeDays?: number;
}

export function cosineOf(contributions: readonly SignalShare[]): number | null {
  return contributions.find(({ signal }) => signal === 'vector')?.raw ?? null;
}

export interface Fused {
  readonly passage: number;
  readonly record: number;
  /** The weighted sum of the signals; comparable within one search only. */
  readonly score: number;
  readonly contributions: readonly SignalShare[];
}

/**
 * Combines the lists of the signals. Best first; ties in the order of passages, so that the result is deterministic.
 * @param notEmbedded passages that the vector signal could not judge: the signals that judged them count in full
 */
export function fuse(
  lists: readonly SignalList[],
  ranking: Ranking,
  notEmbedded: ReadonlySet<number> = new Set(),
): Fused[] {
  const fused = new Map<
    number,
    { passage: number; record: number; score: number; contributions: SignalShare[] }
  >();
  const { weights, notEmbeddedFactor } = fusionWeights(lists, ranking, notEmbedded);
  for (const { signal, scores } of lists) {
    if (weights[signal] === 0) continue;
    const scale = ranking.fusion === 'rrf' ? rrf(ranking.rrfK) : minMax(scores);
    for (const [i, { passage, record, score: raw }] of scores.entries()) {
      const factor = notEmbedded.has(passage) ? notEmbeddedFactor : 1;
      const added = factor * weights[signal] * scale(raw, i + 1);
      const entry = fused.get(passage) ?? { passage, record, score: 0, contributions: [] };
      entry.score += added;
      entry.contributions.push({ signal, rank: i + 1, raw, added });
      fused.set(passage, entry);
    }
  }
  return inOrder([...fused.values()]);
}

interface FusionWeights {
  readonly weights: SignalWeights;
  /** For the signals of a passage that has no vector. */
  readonly notEmbeddedFactor: number;
}

/**
 * While a store is partly embedded, the weight of vectors falls with the share of the passages found by words that they
 * can judge, and words get the rest: an unrelated passage must not rank first because few others have a vector.
 */
function fusionWeights(
  lists: readonly SignalList[],
  ranking: Ranking,
  notEmbedded: ReadonlySet<number>,
): FusionWeights {
  const weights = effectiveWeights(lists, ranking);
  if (notEmbedded.size === 0) return { weights, notEmbeddedFactor: 1 };
  const wordLists = lists.filter(
    ({ signal, scores }) => (signal === 'text' || signal === 'spelling') && scores.length > 0,
  );
  const found = new Set(wordLists.flatMap(({ scores }) => scores.map(({ passage }) => passage)));
  const embedded = 1 - notEmbedded.size / found.size;
  const ofWords = wordLists.reduce((sum, { signal }) => sum + weights[signal], 0);
  if (ofWords === 0) return { weights, notEmbeddedFactor: 1 };
  const factor = 1 + (weights.vector * (1 - embedded)) / ofWords;
  const vector = weights.vector * embedded;
  const [text, spelling] = [weights.text * factor, weights.spelling * factor];
  return {
    weights: { ...weights, vector, text, spelling },
    notEmbeddedFactor: 1 + vector / (ofWords * factor),
  };
}

export function inOrder<Entry extends Fused>(fused: Entry[]): Entry[] {
  return fused.sort((a, b) => b.score - a.score || a.passage - b.passage);
}

/** The passage with other contributions of its signals, and their sum as its score. */
export function withContributions(entry: Fused, contributions: readonly SignalShare[]): Fused {
  return { ...entry, contributions, score: contributions.reduce((sum, { added }) => sum + added, 0) };
}

type Scale = (raw: number, rank: number) => number;

/** Reciprocal Rank Fusion (Cormack, Clarke & Büttcher 2009), scaled so that rank 1 is 1. */
export function rrf(k: number): Scale {
  return (_raw, rank) => (k + 1) / (k + rank);
}

/** The best of the list is 1 and the worst 0; in a short list a raw score of 0 is 0. */
function minMax(scores: readonly PassageScore[]): Scale {
  const best = scores[0]?.score ?? 0;
  const last = scores.at(-1)?.score ?? 0;
  const worst = scores.length < MIN_FULL_LIST ? Math.min(0, last) : last;
  const span = best - worst;
  return (raw) => (span > 0 ? (raw - worst) / span : 1);
}

/** In a shorter list the last entry may be as good as the first. */
const MIN_FULL_LIST = 20;

/** The corrected query finds every match of the literal one, so `correctionShare` of text's weight moves to it. */
function effectiveWeights(
  lists: readonly SignalList[],
  { weights, correctionShare }: Ranking,
): SignalWeights {
  const isCorrected = lists.some(({ signal, scores }) => signal === 'spelling' && scores.length > 0);
  if (!isCorrected) return weights;
  const moved = weights.text * correctionShare;
  return { ...weights, text: weights.text - moved, spelling: weights.spelling + moved };
}

export interface Smoothed extends Fused {
  /** The score before smoothing, which determines the passage of a record that is shown. */
  readonly rawScore: number;
}

/**
 * In a conversation an answer follows its question, and a thought spans several turns: each turn gets a share of its
 * neighbours' scores, and a neighbour that no signal found joins the pool. The sum of these shares counts for the part of 1
 * that the turn's own score leaves: neighbours lift a weak turn, and hardly change the order of strong ones. One of the same
 * role lifts it at most to the share `most` of its own score: a turn beside the answer does not rank above it, but the reply of an
 * assistant may lead to the message that it answers. Between two messages of the user the shares are smaller, since the second
 * one seldom answers the first; two people who talk have no roles. Passages of a note get nothing: that would favour long notes.
 * @param fused all scored passages, by id
 * @param pool the best of them; the result has these and their neighbours
 * @param roleOf the role of a turn: that of the user, of an assistant, or none
 */
export function smooth(
  fused: ReadonlyMap<number, Fused>,
  pool: readonly Fused[],
  neighbourhoods: readonly Neighbourhood[],
  shares: Smoothing,
  roleOf: (passage: number) => unknown = () => undefined,
): Smoothed[] {
  const received = new Map<number, { readonly amount: number; readonly most: number }>();
  const give = (from: number, to: number | undefined, share: number): void => {
    if (to === undefined) return;
    const score = fused.get(from)?.score ?? 0;
    const { amount, most } = received.get(to) ?? { amount: 0, most: 0 };
    const isOfSameRole = roleOf(from) === roleOf(to);
    const part = isOfSameRole && roleOf(to) !== undefined ? shares.sameRole : 1;
    received.set(to, {
      amount: amount + score * share * part,
      most: Math.max(most, isOfSameRole ? score * shares.most : Infinity),
    });
  };
  for (const { passage, before, after } of neighbourhoods) {
    give(passage, after[0], shares.previous);
    give(passage, after[1], shares.beforePrevious);
    give(passage, before[0], shares.next);
  }
  const passages = new Set([...pool.map(({ passage }) => passage), ...received.keys()]);
  const smoothed = [...passages].map((passage) => {
    const entry = fused.get(passage) ?? { passage, record: 0, score: 0, contributions: [] };
    const room = Math.max(0, 1 - entry.score);
    const { amount, most } = received.get(passage) ?? { amount: 0, most: 0 };
    const score = Math.max(entry.score, Math.min(entry.score + amount * room, most));
    return { ...entry, rawScore: entry.score, score };
  });
  return inOrder(smoothed);
}

/**
 * Gives full text more weight, and vectors less, for short turns of a conversation: the embedding of "yes, on Tuesday" says
 * little. Passages without a vector score keep their score.
 * @param passages the passages of `fused` that are loaded
 */
export function weighShortTurns(
  fused: readonly Fused[],
  passages: readonly StoredPassage[],
  { shortTurns, weights }: Pick<Ranking, 'shortTurns' | 'weights'>,
): Fused[] {
  // A search by one signal alone has no weight to move.
  if (shortTurns === null || weights.vector === 0 || weights.text === 0) return [...fused];
  const isShortTurn = (passage: StoredPassage): boolean =>
    sessionOf(passage) !== null && passage.text.length < shortTurns.maxCharacters;
  const turns = new Set(passages.filter(isShortTurn).map(({ id }) => id));
  const total = weights.vector + weights.text;
  const byWords = (total * shortTurns.textWeight) / weights.text;
  const byVector = (total * (1 - shortTurns.textWeight)) / weights.vector;
  const factors = { vector: byVector, text: byWords, spelling: byWords, recency: 1 };
  return inOrder(
    fused.map((entry) => {
      const isScoredByVector = entry.contributions.some(({ signal }) => signal === 'vector');
      if (!isScoredByVector || !turns.has(entry.passage)) return entry;
      return withContributions(
        entry,
        entry.contributions.map((each) => ({ ...each, added: each.added * factors[each.signal] })),
      );
    }),
  );
}

/** The share of its score that a passage loses because it is a short turn. 0 to 1. */
export function shortTurnLoss(passage: StoredPassage, { shortTurns }: Pick<Ranking, 'shortTurns'>): number {
  if (shortTurns === null || sessionOf(passage) === null) return 0;
  return shortTurns.loss * Math.max(0, 1 - passage.text.length / shortTurns.maxCharacters);
}
