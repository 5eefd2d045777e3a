import type { PassageScore, SearchFilter } from '../../store/store.ts';
import type { DateRange } from '../query/dates.ts';
import type { QueryIntent } from '../query/intent.ts';
import type { Ranking } from '../rank/ranking.ts';

/** Asks a signal by filter and depth. */
export type ConstrainedRetriever = (
  ask: (filter: SearchFilter, depth: number) => Promise<PassageScore[]>,
) => Promise<PassageScore[]>;

/** What decides how far a signal looks. */
interface ConstraintInput {
  readonly filter: SearchFilter;
  readonly dates: readonly DateRange[];
  readonly intent: QueryIntent | null;
  readonly ranking: Ranking;
}

/** Passages of the days or the kind that a query names, which each signal brings beside the best of all. */
export const CONSTRAINED_LIMIT = 30;

/**
 * "What did I buy last week": among years of notes, those of that week need not be among the best; nor need todos be
 * among all that is about the kitchen. A filter that names days itself brings no others.
 */
export function retrieveWithConstraints({
  filter,
  dates,
  intent: kind,
  ranking,
}: ConstraintInput): ConstrainedRetrieval {
  const ofThose = new Set<number>();
  const named = filter.from !== undefined || filter.until !== undefined;
  const several = new Set(dates.map(({ text }) => text)).size > 1;
  const days = named || several ? [] : dates.map(({ from, until }) => ({ ...filter, from, until }));
  const ofKind =
    kind === null ? [] : (days.length > 0 ? days : [filter]).flatMap((each) => filtersForIntent(each, kind));
  const filters = [...days, ...ofKind];
  const look: ConstrainedRetriever = async (ask) => {
    const all = retrieveEnoughRecords(ranking.depth, (depth) => ask(filter, depth));
    if (filters.length === 0) return all;
    const [scores, ...others] = await Promise.all([
      all,
      ...filters.map((each) => ask(each, CONSTRAINED_LIMIT)),
    ]);
    const of = others.flat();
    for (const { passage } of of) ofThose.add(passage);
    const found = new Map([...scores, ...of].map((score) => [score.passage, score]));
    return [...found.values()].sort(bestFirst);
  };
  return { dateFilters: days, intentFilters: ofKind, retrieve: look, constrainedMatches: ofThose };
}

/** What lets through the documents of a kind that a filter lets through. */
function filtersForIntent(filter: SearchFilter, { filters }: QueryIntent): SearchFilter[] {
  if (filter.origins !== undefined && !filter.origins.includes('source')) return [];
  return filters.flatMap(({ sources, recordTypes, undated, from, until }): SearchFilter[] => {
    const both = {
      sources: intersection(filter.sources, sources),
      recordTypes: intersection(filter.recordTypes, recordTypes),
    };
    if (both.sources?.length === 0 || both.recordTypes?.length === 0) return [];
    return [
      {
        ...filter,
        origins: ['source'],
        ...(both.sources !== undefined && { sources: both.sources }),
        ...(both.recordTypes !== undefined && { recordTypes: both.recordTypes }),
        ...(undated !== undefined && { undated }),
        ...(from !== undefined && { from: Math.max(from, filter.from ?? from) }),
        ...(until !== undefined && { until: Math.min(until, filter.until ?? until) }),
      },
    ];
  });
}

function intersection(some?: readonly string[], others?: readonly string[]): readonly string[] | undefined {
  return some === undefined || others === undefined
    ? (some ?? others)
    : some.filter((one) => others.includes(one));
}

export function bestFirst(a: PassageScore, b: PassageScore): number {
  return b.score - a.score || a.passage - b.passage;
}

interface ConstrainedRetrieval {
  /** What lets through the days that the query names: one for each that is meant; none when it names none, or several. */
  readonly dateFilters: readonly SearchFilter[];
  /** What lets through the kind that the query asks for, of those days; none where it asks for none. */
  readonly intentFilters: readonly SearchFilter[];
  readonly retrieve: ConstrainedRetriever;
  /** Passages that were found because they are of what the query names. */
  readonly constrainedMatches: Set<number>;
}

/** A list of fewer records than this, cut off at its depth, is one long note crowding out the others. */
const MIN_RECORDS = 20;
const MAX_DEPTH = 10_000;
/** Passages of one record that one signal brings. */
const MAX_PASSAGES_PER_RECORD = 8;

/** Asks deeper while a few records fill the list, and keeps the best passages of each. */
async function retrieveEnoughRecords(
  depth: number,
  ask: (depth: number) => Promise<PassageScore[]>,
): Promise<PassageScore[]> {
  const scores = await ask(depth);
  const records = new Set(scores.map(({ record }) => record)).size;
  if (scores.length === depth && records < MIN_RECORDS && depth < MAX_DEPTH) {
    return retrieveEnoughRecords(Math.min(MAX_DEPTH, depth * 8), ask);
  }
  const taken = new Map<number, number>();
  return scores.filter(({ record }) => {
    const count = (taken.get(record) ?? 0) + 1;
    taken.set(record, count);
    return count <= MAX_PASSAGES_PER_RECORD;
  });
}
