import type { Deadline } from '../../core/time/deadline.ts';
import type { PassageQuery, PassageScore } from '../search-model.ts';

/** The limit to which a query's own may grow, and the factor by which it grows. */
const MAX_LIMIT = 10_000;
const GROWTH = 8;

/**
 * Ranks with a growing limit until the list has enough records or the deadline is past, and keeps the best passages of
 * each.
 */
export async function spreadOverRecords(
  { limit, spread }: Pick<PassageQuery, 'limit' | 'spread'>,
  rank: (limit: number) => Promise<readonly PassageScore[]>,
  deadline: Deadline,
): Promise<readonly PassageScore[]> {
  let scores = await rank(limit);
  if (spread === undefined) return scores;
  for (
    let count = limit;
    scores.length === count && count < MAX_LIMIT && isCrowded(scores, spread.minRecords);
  ) {
    count = Math.min(MAX_LIMIT, count * GROWTH);
    const more = await rank(count);
    // A ranking that the deadline cut short may lack the best passages of the one before.
    if (deadline.isPast) break;
    scores = more;
  }
  const counts = new Map<number, number>();
  return scores.filter(({ record }) => {
    const count = (counts.get(record) ?? 0) + 1;
    counts.set(record, count);
    return count <= spread.maxPerRecord;
  });
}

function isCrowded(scores: readonly PassageScore[], minRecords: number): boolean {
  return new Set(scores.map(({ record }) => record)).size < minRecords;
}

/** The first passage of each record. */
export function bestOfRecords(scores: readonly PassageScore[]): number[] {
  const best = new Map<number, number>();
  for (const { passage, record } of scores) if (!best.has(record)) best.set(record, passage);
  return [...best.values()];
}
