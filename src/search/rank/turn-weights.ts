import type { StoredPassage } from '../../store/search-model.ts';
import { sessionOf } from './boosts.ts';
import { inOrder, type Fused } from './fuse.ts';
import type { Ranking } from './ranking.ts';

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
      const contributions = entry.contributions.map((each) => ({
        ...each,
        added: each.added * factors[each.signal],
      }));
      return { ...entry, contributions, score: contributions.reduce((sum, { added }) => sum + added, 0) };
    }),
  );
}

/** The share of its score that a passage loses because it is a short turn. 0 to 1. */
export function shortTurnLoss(passage: StoredPassage, { shortTurns }: Pick<Ranking, 'shortTurns'>): number {
  if (shortTurns === null || sessionOf(passage) === null) return 0;
  return shortTurns.loss * Math.max(0, 1 - passage.text.length / shortTurns.maxCharacters);
}
