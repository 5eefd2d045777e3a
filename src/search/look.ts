import type { PassageScore, SearchFilter } from '../store/store.ts';
import type { DateRange } from './dates.ts';
import type { Ranking } from './ranking.ts';

/** Asks a signal by filter and depth. */
export type Look = (
  ask: (filter: SearchFilter, depth: number) => Promise<PassageScore[]>,
) => Promise<PassageScore[]>;

/** What decides how far a signal looks. */
interface Looking {
  readonly filter: SearchFilter;
  readonly dates: readonly DateRange[];
  readonly ranking: Ranking;
}

/** Passages of the days that a query names, which each signal brings beside the best of all days. */
export const OF_THOSE_DAYS = 30;

/**
 * "What did I buy last week": among years of notes, those of that week need not be among the best. A filter that
 * names days itself brings no others.
 */
export function lookingAtDays({ filter, dates, ranking }: Looking): DaysLook {
  const ofThoseDays = new Set<number>();
  const named = filter.from !== undefined || filter.until !== undefined;
  const several = new Set(dates.map(({ text }) => text)).size > 1;
  const days = named || several ? [] : dates.map(({ from, until }) => ({ ...filter, from, until }));
  const look: Look = async (ask) => {
    const all = deepEnough(ranking.depth, (depth) => ask(filter, depth));
    if (days.length === 0) return all;
    const [scores, ...ofDays] = await Promise.all([all, ...days.map((each) => ask(each, OF_THOSE_DAYS))]);
    const of = ofDays.flat();
    for (const { passage } of of) ofThoseDays.add(passage);
    const found = new Map([...scores, ...of].map((score) => [score.passage, score]));
    return [...found.values()].sort(bestFirst);
  };
  return { days, look, ofThoseDays };
}

export function bestFirst(a: PassageScore, b: PassageScore): number {
  return b.score - a.score || a.passage - b.passage;
}

interface DaysLook {
  /** What lets through the days that the query names: one for each that is meant; none when it names none, or several. */
  readonly days: readonly SearchFilter[];
  readonly look: Look;
  readonly ofThoseDays: Set<number>;
}

/** A list of fewer records than this, cut off at its depth, is one long note crowding out the others. */
const ENOUGH_RECORDS = 20;
const MAX_DEPTH = 10_000;
/** Passages of one record that one signal brings. */
const PASSAGES_A_RECORD = 8;

/** Asks deeper while a few records fill the list, and keeps the best passages of each. */
async function deepEnough(
  depth: number,
  ask: (depth: number) => Promise<PassageScore[]>,
): Promise<PassageScore[]> {
  const scores = await ask(depth);
  const records = new Set(scores.map(({ record }) => record)).size;
  if (scores.length === depth && records < ENOUGH_RECORDS && depth < MAX_DEPTH) {
    return deepEnough(Math.min(MAX_DEPTH, depth * 8), ask);
  }
  const taken = new Map<number, number>();
  return scores.filter(({ record }) => {
    const count = (taken.get(record) ?? 0) + 1;
    taken.set(record, count);
    return count <= PASSAGES_A_RECORD;
  });
}
