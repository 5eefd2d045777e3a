import type { PassageScore } from '../../store/store.ts';
import type { Ranking, SignalWeights } from './ranking.ts';
import type { SignalList } from '../retrieve/retrieve.ts';
import type { Signal } from '../retrieve/signals.ts';

/** What one signal said of a passage. */
export interface Contribution {
  readonly signal: Signal;
  /** From 1. */
  readonly rank: number;
  /** The signal's own score: cosine, BM25. */
  readonly raw: number;
  /** What it added to the passage's score. */
  readonly added: number;
  /** Of recency as a tie-break: the days after which half of it is left. */
  readonly halfLifeDays?: number;
}

export interface Fused {
  readonly passage: number;
  readonly record: number;
  /** The signals' weighed sum; comparable within one search only. */
  readonly score: number;
  readonly contributions: readonly Contribution[];
}

/** Joins the signals' lists. Best first; ties by passage, so that the order is always the same. */
export function fuse(lists: readonly SignalList[], ranking: Ranking): Fused[] {
  const fused = new Map<
    number,
    { passage: number; record: number; score: number; contributions: Contribution[] }
  >();
  const weights = weightsInForce(lists, ranking);
  for (const { signal, scores } of lists) {
    if (weights[signal] === 0) continue;
    const scale = ranking.fusion === 'rrf' ? rrf(ranking.rrfK) : minMax(scores);
    for (const [i, { passage, record, score: raw }] of scores.entries()) {
      const added = weights[signal] * scale(raw, i + 1);
      const entry = fused.get(passage) ?? { passage, record, score: 0, contributions: [] };
      entry.score += added;
      entry.contributions.push({ signal, rank: i + 1, raw, added });
      fused.set(passage, entry);
    }
  }
  return inOrder([...fused.values()]);
}

export function inOrder<Entry extends Fused>(fused: Entry[]): Entry[] {
  return fused.sort((a, b) => b.score - a.score || a.passage - b.passage);
}

type Scale = (raw: number, rank: number) => number;

/** Reciprocal Rank Fusion (Cormack, Clarke & Büttcher 2009), scaled so that rank 1 is 1. */
export function rrf(k: number): Scale {
  return (_raw, rank) => (k + 1) / (k + rank);
}

/** The list's best is 1, its worst (for a list of few: nothing at all) is 0. */
function minMax(scores: readonly PassageScore[]): Scale {
  const best = scores[0]?.score ?? 0;
  const last = scores.at(-1)?.score ?? 0;
  const worst = scores.length < SHORT_LIST ? Math.min(0, last) : last;
  const span = best - worst;
  return (raw) => (span > 0 ? (raw - worst) / span : 1);
}

/** In a list this short the last may be as good as the first. */
const SHORT_LIST = 20;

/**
 * Where words were corrected, the corrected list says all that the literal one does and more: it takes over
 * `correctionShare` of text's weight.
 */
function weightsInForce(lists: readonly SignalList[], { weights, correctionShare }: Ranking): SignalWeights {
  const corrected = lists.some(({ signal, scores }) => signal === 'trigram' && scores.length > 0);
  if (!corrected) return weights;
  const moved = weights.text * correctionShare;
  return { ...weights, text: weights.text - moved, trigram: weights.trigram + moved };
}
