import type { Neighbourhood } from '../../store/store.ts';
import { inOrder, type Fused } from './fuse.ts';
import { smoothingNorm, type Smoothing } from './ranking.ts';

/** `own` is the score before neighbours lent theirs: what says which passage of a record to show. */
export interface Smoothed extends Fused {
  readonly rawScore: number;
}

/**
 * In a conversation an answer stands beside its question, and a thought runs over several turns: each turn is lent a
 * share of its neighbours' scores, and a neighbour that no signal found comes in with what it is lent. The passages
 * of a note are not: it would only favour long notes.
 * `fused` is every scored passage, `pool` the best of them; answers these and the neighbours they lend to.
 */
export function smooth(
  fused: ReadonlyMap<number, Fused>,
  pool: readonly Fused[],
  neighbourhoods: readonly Neighbourhood[],
  shares: Smoothing,
): Smoothed[] {
  const lent = new Map<number, number>();
  const lend = (to: number | undefined, amount: number): void => {
    if (to !== undefined) lent.set(to, (lent.get(to) ?? 0) + amount);
  };
  for (const { passage, before, after } of neighbourhoods) {
    const score = fused.get(passage)?.score ?? 0;
    lend(after[0], score * shares.previous);
    lend(after[1], score * shares.beforePrevious);
    lend(before[0], score * shares.next);
  }
  const whole = smoothingNorm(shares);
  const passages = new Set([...pool.map(({ passage }) => passage), ...lent.keys()]);
  const smoothed = [...passages].map((passage) => {
    const own = fused.get(passage) ?? { passage, record: 0, score: 0, contributions: [] };
    return { ...own, rawScore: own.score, score: (own.score + (lent.get(passage) ?? 0)) / whole };
  });
  return inOrder(smoothed);
}
