import type { PassageScore } from '../../store/search-model.ts';
import type { Ranking, SignalWeights } from './ranking.ts';
import type { Signal, SignalList } from '../retrieve/signals.ts';

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
