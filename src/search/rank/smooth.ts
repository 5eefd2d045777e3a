import type { Neighbourhood } from '../../store/search-model.ts';
import { inOrder, type Fused } from './fuse.ts';
import type { Smoothing } from './ranking.ts';

export interface Smoothed extends Fused {
  /** The score before smoothing, which determines the passage of a record that is shown. */
  readonly rawScore: number;
}

/**
 * In a conversation an answer follows its question, and a thought spans several turns: each turn gets a share of its
 * neighbours' scores, and a neighbour that no signal found joins the pool. The sum of these shares counts for the part of 1
 * that the turn's own score leaves: neighbours lift a weak turn, and hardly change the order of strong ones. Passages of a
 * note get nothing: that would favour long notes.
 * @param fused all scored passages, by id
 * @param pool the best of them; the result has these and their neighbours
 */
export function smooth(
  fused: ReadonlyMap<number, Fused>,
  pool: readonly Fused[],
  neighbourhoods: readonly Neighbourhood[],
  shares: Smoothing,
): Smoothed[] {
  const received = new Map<number, number>();
  const give = (passage: number | undefined, amount: number): void => {
    if (passage !== undefined) received.set(passage, (received.get(passage) ?? 0) + amount);
  };
  for (const { passage, before, after } of neighbourhoods) {
    const score = fused.get(passage)?.score ?? 0;
    give(after[0], score * shares.previous);
    give(after[1], score * shares.beforePrevious);
    give(before[0], score * shares.next);
  }
  const passages = new Set([...pool.map(({ passage }) => passage), ...received.keys()]);
  const smoothed = [...passages].map((passage) => {
    const entry = fused.get(passage) ?? { passage, record: 0, score: 0, contributions: [] };
    const room = Math.max(0, 1 - entry.score);
    return { ...entry, rawScore: entry.score, score: entry.score + (received.get(passage) ?? 0) * room };
  });
  return inOrder(smoothed);
}
