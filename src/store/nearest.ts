import type { Timestamp } from '../core/types.ts';
import type { PassageScore } from './store.ts';

/** The order of `SearchStages.newest`, whose scores are times. */
export function nearestTo(now: Timestamp): (a: PassageScore, b: PassageScore) => number {
  return (a, b) => Math.abs(a.score - now) - Math.abs(b.score - now) || a.passage - b.passage;
}
