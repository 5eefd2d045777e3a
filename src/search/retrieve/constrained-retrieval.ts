import type { PassageScore, SearchFilter } from '../../store/search-model.ts';
import type { QueryIntent } from '../query/intent.ts';
import type { SearchRun } from '../run.ts';
import { bestFirst } from './signals.ts';

/** Passages that each signal finds among those of the dates or document types that the query names. */
export const CONSTRAINED_LIMIT = 30;

/** Returns the best `limit` passages of one signal that the filter admits. */
type SignalQuery = (filter: SearchFilter, limit: number) => Promise<PassageScore[]>;

/** How the signals of one search are queried. */
export interface RetrievalPlan {
  /** One for each range of the date that the query names; empty when it names none, or several dates. */
  readonly dateFilters: readonly SearchFilter[];
  /** Together they admit the documents that the query's intent asks for, of those dates. */
  readonly intentFilters: readonly SearchFilter[];
  /** Queries one signal: once for the best passages of all, and once for each of these filters. */
  readonly retrieveWithConstraints: (query: SignalQuery) => Promise<PassageScore[]>;
  /** Passages found through one of these filters; grows with each signal. */
  readonly constrainedMatches: Set<number>;
}

/**
 * "What did I buy last week": among years of notes, those of last week need not be among the best matches, nor todos
 * among everything about the kitchen. Each signal therefore also looks among these alone. A search that is filtered by
 * date does so already.
 */
export function planRetrieval(run: SearchRun): RetrievalPlan {
  const { filter, dates, intent, ranking, trace } = run;
  const constrainedMatches = new Set<number>();
  const isFilteredByDate = filter.from !== undefined || filter.until !== undefined;
  const namesSeveralDates = new Set(dates.map(({ text }) => text)).size > 1;
  const dateFilters =
    isFilteredByDate || namesSeveralDates ? [] : dates.map(({ from, until }) => ({ ...filter, from, until }));
  const intentFilters =
    intent === null
      ? []
      : (dateFilters.length > 0 ? dateFilters : [filter]).flatMap((each) => filtersForIntent(each, intent));
  const constraints = [...dateFilters, ...intentFilters];
  const retrieveWithConstraints: RetrievalPlan['retrieveWithConstraints'] = async (query) => {
    const best = retrieveEnoughRecords(ranking.depth, (limit) => query(filter, limit), trace);
    if (constraints.length === 0) return best;
    const [scores, ...constrained] = await Promise.all([
      best,
      ...constraints.map((constraint) => query(constraint, CONSTRAINED_LIMIT)),
    ]);
    const matches = constrained.flat();
    for (const { passage } of matches) constrainedMatches.add(passage);
    const found = new Map([...scores, ...matches].map((score) => [score.passage, score]));
    return [...found.values()].sort(bestFirst);
  };
  return { dateFilters, intentFilters, retrieveWithConstraints, constrainedMatches };
}

/** The filters that admit what both the given filter and one of the intent's filters admit. */
function filtersForIntent(filter: SearchFilter, { filters }: QueryIntent): SearchFilter[] {
  if (filter.origins !== undefined && !filter.origins.includes('source')) return [];
  return filters.flatMap((intentFilter): SearchFilter[] => {
    const { undated, from, until } = intentFilter;
    const sources = intersection(filter.sources, intentFilter.sources);
    const recordTypes = intersection(filter.recordTypes, intentFilter.recordTypes);
    if (sources?.length === 0 || recordTypes?.length === 0) return [];
    return [
      {
        ...filter,
        origins: ['source'],
        ...(sources !== undefined && { sources }),
        ...(recordTypes !== undefined && { recordTypes }),
        ...(undated !== undefined && { undated }),
        ...(from !== undefined && { from: Math.max(from, filter.from ?? from) }),
        ...(until !== undefined && { until: Math.min(until, filter.until ?? until) }),
      },
    ];
  });
}

/** A list that is not given admits everything. */
function intersection(a?: readonly string[], b?: readonly string[]): readonly string[] | undefined {
  return a === undefined || b === undefined ? (a ?? b) : a.filter((value) => b.includes(value));
}

/** When a list that was cut at its limit has fewer records than this, one long note crowds out the others. */
const MIN_RECORDS = 20;
const MAX_DEPTH = 10_000;
/** Passages of one record that one signal contributes. */
const MAX_PASSAGES_PER_RECORD = 8;

/** Queries deeper while a few records fill the list, and keeps the best passages of each record. */
async function retrieveEnoughRecords(
  depth: number,
  query: (limit: number) => Promise<PassageScore[]>,
  trace: SearchRun['trace'],
): Promise<PassageScore[]> {
  const scores = await query(depth);
  const records = new Set(scores.map(({ record }) => record)).size;
  if (scores.length === depth && records < MIN_RECORDS && depth < MAX_DEPTH) {
    return retrieveEnoughRecords(Math.min(MAX_DEPTH, depth * 8), query, trace);
  }
  const counts = new Map<number, number>();
  return scores.filter(({ passage, record }) => {
    const count = (counts.get(record) ?? 0) + 1;
    counts.set(record, count);
    if (count > MAX_PASSAGES_PER_RECORD) trace.drop('record-quota', { passage, record });
    return count <= MAX_PASSAGES_PER_RECORD;
  });
}
