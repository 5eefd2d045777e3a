import { DAY_MS } from '../../core/time/whole-day.ts';
import { ORIGINS } from '../../core/types.ts';
import type {
  PassageQuery,
  PassageRanking,
  PassageScore,
  QueryVector,
  RankedList,
  RecordSpread,
  SearchFilter,
  TermInfo,
} from '../../store/search-model.ts';
import { isDateOnlyQuery } from '../query/dates.ts';
import type { QueryIntent } from '../query/intent.ts';
import { inStoredLanguages, type ParsedQuery } from '../query/parse.ts';
import type { SearchRun, StartedRun } from '../run.ts';
import {
  bestFirst,
  type MissingSignal,
  NOT_ALL_EMBEDDED,
  publishTime,
  type Signal,
  type SignalList,
} from './signals.ts';
import { type Correction, lookUpTerms, textQueries, type WeightedTerm } from './text.ts';
import { completeVectorScores, type EmbeddedQuery, embedQuery, modelCoverageOf } from './vectors.ts';

/** Passages that each signal finds among those of the dates or document types that the query names. */
const CONSTRAINED_LIMIT = 30;

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
function planRetrieval(run: StartedRun): RetrievalPlan {
  const { filter, dates, intent, ranking } = run;
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

/**
 * Lists the documents of the run's intent by the distance of their time from now, nearest first; those without a date come
 * last. Scores are negated milliseconds. Without a state in the query the list has open and completed documents, but is
 * empty when none is open.
 */
async function listByTime(run: StartedRun): Promise<readonly PassageScore[]> {
  const { store, namespace, filter, intent } = run;
  if (intent === null) return [];
  const { intentFilters } = planRetrieval(run);
  const states = intent.state === null ? [false, true] : [intent.state === 'done'];
  const dated = states.map((completed) =>
    intentFilters.map((each) => ({ ...each, completed, undated: false })),
  );
  const undated = states.map((completed) =>
    intentFilters.flatMap((each) =>
      each.undated === undefined ? [{ ...each, completed, undated: true }] : [],
    ),
  );
  const { lists } = await store.search.retrieve(namespace, {
    queries: [...dated, ...undated].flat().map(byTime),
  });
  let next = 0;
  const take = (filters: readonly SearchFilter[]): PassageScore[] =>
    scoresOf(lists.slice(next, (next += filters.length)));
  const datedScores = dated.map(take);
  const undatedScores = undated.map(take);
  const [wanted = [], completed = []] = states.map((_, i) => {
    const scores = datedScores[i]!.map((entry) => ({ ...entry, score: -Math.abs(entry.score - filter.now) }));
    const last = Math.min(0, ...scores.map(({ score }) => score)) - DAY_MS;
    return [...scores, ...undatedScores[i]!.map((entry) => ({ ...entry, score: last }))];
  });
  if (wanted.length === 0) return [];
  const found = new Map([...wanted, ...completed].map((score) => [score.passage, score]));
  return [...found.values()].sort(bestFirst);
}

/** A query for the passages that are nearest to now. */
function byTime(filter: SearchFilter): { by: 'time'; filter: SearchFilter; limit: number } {
  return { by: 'time', filter, limit: CONSTRAINED_LIMIT };
}

export function scoresOf(lists: readonly RankedList[]): PassageScore[] {
  return lists.flatMap(({ scores }) => scores);
}

export interface RetrievalResult {
  /** The run's model and vectors, which are known by now. */
  readonly vectors: SearchRun['vectors'];
  /** The query without the function words of its languages. */
  readonly query: ParsedQuery;
  /** The run's intent; `null` when the query only asks for a list of documents and there are none. */
  readonly intent: QueryIntent | null;
  /** The share of the query that the embedding model can judge. 0 to 1. */
  readonly modelCoverage: number;
  readonly lists: readonly SignalList[];
  readonly corrections: readonly Correction[];
  /** The query's terms that were searched for. */
  readonly terms: readonly WeightedTerm[];
  readonly missing: readonly MissingSignal[];
  /** The passages that were found by words and have no vector yet. */
  readonly notEmbedded: ReadonlySet<number>;
  /** The query's embedding; `null` without a model. */
  readonly vector: QueryVector | null;
  /** Whether the namespace has turns of conversations. */
  readonly hasSessions: boolean;
  /** Passages that were found because they have the dates or document types that the query names. */
  readonly constrainedMatches: ReadonlySet<number>;
}

/** The query's embedding for what is compared after the signals; `null` where these could not compare vectors within the deadline. */
export function laterVector({
  vector,
  missing,
}: Pick<RetrievalResult, 'vector' | 'missing'>): QueryVector | null {
  return missing.some((each) => each.signal === 'vector' && each !== NOT_ALL_EMBEDDED) ? null : vector;
}

/** Passages without a vector, and signals that did not compare everything within the deadline. */
function incomplete(
  notEmbedded: ReadonlySet<number>,
  hasAllCosines: boolean,
  partial: ReadonlySet<Signal>,
  { deadlineMs = 0 }: SearchRun,
): MissingSignal[] {
  const limit = `${String(deadlineMs)} ms (\`search.deadline\`)`;
  const why = `the deadline of ${limit} was reached before all was compared`;
  const cutShort = new Set<Signal>(hasAllCosines ? partial : [...partial, 'vector']);
  return [
    ...(hasAllCosines && notEmbedded.size > 0 ? [NOT_ALL_EMBEDDED] : []),
    ...Array.from(cutShort, (signal) => ({ signal, why })),
  ];
}

/** Queries every signal. A signal that cannot answer is listed in `missing`, and the others go on. */
export async function retrieveCandidates(started: StartedRun): Promise<RetrievalResult> {
  const isList = started.intent?.listOnly === true;
  const [{ run: found, embedded }, { terms: infos, languages, written, hasSessions }, list] =
    await Promise.all([withVectors(started), lookUpTerms(started), isList ? listByTime(started) : []]);
  const run = { ...found, query: inStoredLanguages({ ...found.query, terms: written }, languages) };
  const retrieve = async (each: SearchRun): Promise<RetrievalResult> => ({
    ...(await retrieveSignals(each, infos, embedded)),
    hasSessions,
  });
  if (!isList || run.intent === null) return retrieve(run);
  // Completed documents alone do not replace a search.
  if (list.length === 0) return retrieve({ ...run, intent: null });
  const retrieved = await retrieve(notesWithoutList(run, run.intent));
  const listed = list.map(({ passage }) => passage);
  return {
    ...retrieved,
    intent: run.intent,
    lists: [{ signal: 'recency', scores: list }, ...retrieved.lists],
    constrainedMatches: new Set([...listed, ...retrieved.constrainedMatches]),
  };
}

async function withVectors(started: StartedRun): Promise<{ run: SearchRun; embedded: EmbeddedQuery }> {
  const run = { ...started, vectors: await started.vectors };
  return { run, embedded: await embedQuery(run) };
}

/** For "my calendar": documents come from the list, since no text is about that; notes are retrieved as usual. */
function notesWithoutList(run: SearchRun, intent: QueryIntent): SearchRun {
  const origins = (run.filter.origins ?? ORIGINS).filter((origin) => origin !== 'source');
  return {
    ...run,
    filter: { ...run.filter, origins },
    intent: { ...intent, filters: [], listOnly: false },
  };
}

/** Queries all signals in one call. */
async function retrieveSignals(
  run: SearchRun,
  infos: readonly TermInfo[],
  { vector, missing, milliseconds }: EmbeddedQuery,
): Promise<Omit<RetrievalResult, 'hasSessions'>> {
  const plan = planRetrieval(run);
  const { dateFilters, constrainedMatches } = plan;
  const { literal, corrected, corrections, terms } = textQueries(run, infos);
  const isDateOnly = isDateOnlyQuery(run.query.terms, run.dates);
  const queriesOf = (ranking: PassageRanking | null): PassageQuery[] =>
    ranking === null ? [] : plan.queriesOf(ranking);
  const queries = {
    vector: queriesOf(vector && { by: 'vector', vector }),
    text: queriesOf(literal && { by: 'text', text: literal }),
    spelling: queriesOf(corrected && { by: 'text', text: corrected }),
    recency: isDateOnly ? dateFilters.map(byTime) : [],
  };
  const { lists, cosines, hasAllCosines } = await run.store.search.retrieve(run.namespace, {
    queries: [...queries.vector, ...queries.text, ...queries.spelling, ...queries.recency],
    ...(vector !== null && { cosines: vector }),
    budgetMs: run.deadlineMs,
  });
  const partial = new Set<Signal>(infos.some(({ isPartial }) => isPartial === true) ? ['spelling'] : []);
  let next = 0;
  const take = (signal: keyof typeof queries): readonly RankedList[] => {
    const answers = lists.slice(next, (next += queries[signal].length));
    if (answers.some(({ isPartial }) => isPartial)) partial.add(signal);
    const took = answers.reduce((sum, each) => sum + each.milliseconds, 0);
    if (signal !== 'recency' && answers.length > 0)
      publishTime({ signal, milliseconds: signal === 'vector' ? took + milliseconds : took });
    return answers;
  };
  const vectorScores = plan.merge(take('vector'));
  const textLists: SignalList[] = [
    { signal: 'text', scores: plan.merge(take('text')) },
    { signal: 'spelling', scores: plan.merge(take('spelling')) },
  ];
  const nearestInTime = scoresOf(take('recency')).sort(bestFirst);
  const completed = vector === null ? null : completeVectorScores(vectorScores, cosines, textLists);
  const found = completed === null ? textLists : [completed.list, ...textLists];
  const notEmbedded = completed?.notEmbedded ?? new Set();
  // No text contains the words "last week". If no signal found a passage of these dates, the newest passages of these dates are returned.
  const isByTime = isDateOnly && constrainedMatches.size === 0;
  if (isByTime) for (const { passage } of nearestInTime) constrainedMatches.add(passage);
  return {
    corrections,
    terms,
    query: run.query,
    intent: run.intent,
    vectors: run.vectors,
    lists: isByTime ? [...found, { signal: 'recency', scores: nearestInTime }] : found,
    notEmbedded,
    missing: [...missing, ...incomplete(notEmbedded, hasAllCosines, partial, run)],
    vector,
    constrainedMatches,
    modelCoverage: modelCoverageOf(run, terms),
  };
}
