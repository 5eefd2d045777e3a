import { countStrong } from '../src/engine/records/results/search-messages.ts';
import { queryKey, type Run } from './run.ts';
import type { EvalSet } from './sets.ts';

/** Of some queries, how many are told that nothing surely fits. */
export interface Unsure {
  readonly queries: number;
  readonly unsure: number;
}

/** By category of the queries without an answer, and `answered` for all others; then by half, with `all` for both. */
export type UnsureByCategory = Readonly<Record<string, Readonly<Record<string, Unsure>>>>;

const ANSWERED = 'answered';
const BOTH_HALVES = 'all';

/** Counts the queries whose ten results all score too low for the command line to show them as matches. */
export function unsureOf(set: EvalSet, { queries, absent }: Run): UnsureByCategory {
  const highest = new Map([...queries, ...absent].map((result) => [result.key, result.highest]));
  const counts: Record<string, Record<string, { queries: number; unsure: number }>> = {};
  for (const collection of set.collections)
    for (const query of collection.queries) {
      const score = highest.get(queryKey(collection, query));
      if (score === undefined) continue;
      const isUnsure = countStrong(score === null ? [] : [{ score }]) === 0;
      const halves = (counts[query.gold.length > 0 ? ANSWERED : query.cat] ??= {});
      for (const half of query.half === undefined ? [BOTH_HALVES] : [BOTH_HALVES, query.half]) {
        const count = (halves[half] ??= { queries: 0, unsure: 0 });
        count.queries++;
        if (isUnsure) count.unsure++;
      }
    }
  return counts;
}
