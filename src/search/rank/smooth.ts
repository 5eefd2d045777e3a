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
