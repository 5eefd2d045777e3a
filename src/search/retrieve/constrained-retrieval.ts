import type {
  PassageQuery,
  PassageRanking,
  PassageScore,
  RankedList,
  RecordSpread,
  SearchFilter,
} from '../../store/search-model.ts';
import type { QueryIntent } from '../query/intent.ts';
import type { StartedRun } from '../run.ts';
import { bestFirst } from './signals.ts';

/** Passages that each signal finds among those of the dates or document types that the query names. */
export const CONSTRAINED_LIMIT = 30;

/** How the signals of one search are queried. */
interface RetrievalPlan {
  /** One for each range of the date that the query names; empty when it names none, or several dates. */
  readonly dateFilters: readonly SearchFilter[];
  /** Together they admit the documents that the query's intent asks for, of those dates. */
  readonly intentFilters: readonly SearchFilter[];
  /** The queries of one signal: one for the best passages of all, and one for each of these filters. */
  readonly queriesOf: (ranking: PassageRanking) => PassageQuery[];
  /** The passages of these queries' lists, best first. */
  readonly merge: (lists: readonly RankedList[]) => readonly PassageScore[];
  /** Passages found through one of these filters; grows with each signal. */
  readonly constrainedMatches: Set<number>;
}

/** Keeps one long note from crowding out the others in the list of a signal. */
const SPREAD: RecordSpread = { minRecords: 20, maxPerRecord: 8 };

/**
 * "What did I buy last week": among years of notes, those of last week need not be among the best matches, nor todos
 * among everything about the kitchen. Each signal therefore also searches these alone. A search that is filtered by
 * date does so already.
 */
export function planRetrieval(run: StartedRun): RetrievalPlan {
  const { filter, dates, intent, ranking, trace } = run;
  const constrainedMatches = new Set<number>();
  const isFilteredByDate = filter.from !== undefined || filter.until !== undefined;
  const namesSeveralDates = new Set(dates.map(({ text }) => text)).size > 1;
  const dateFilters =
    isFilteredByDate || namesSeveralDates
      ? []
      : dates.map(({ from, until, marginMs = 0 }) => ({
          ...filter,
          ...{ from: from - marginMs, until: until + marginMs },
        }));
  const intentFilters =
    intent === null
      ? []
      : (dateFilters.length > 0 ? dateFilters : [filter]).flatMap((each) => filtersForIntent(each, intent));
  const constraints = [...dateFilters, ...intentFilters];
  const merge: RetrievalPlan['merge'] = ([best, ...constrained]) => {
    if (best === undefined) return [];
    for (const { passage, record } of best.overQuota) trace.drop('record-quota', { passage, record });
    if (constraints.length === 0) return best.scores;
    const matches = constrained.flatMap(({ scores }) => scores);
    for (const { passage } of matches) constrainedMatches.add(passage);
    const found = new Map([...best.scores, ...matches].map((score) => [score.passage, score]));
    return [...found.values()].sort(bestFirst);
  };
  return {
    dateFilters,
    intentFilters,
    queriesOf: (by) => [
      { ...by, filter, limit: ranking.depth, spread: SPREAD },
      ...constraints.map((constraint) => ({ ...by, filter: constraint, limit: CONSTRAINED_LIMIT })),
    ],
    merge,
    constrainedMatches,
  };
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
