import { ORIGINS } from '../../core/types.ts';
import { isDateOnlyQuery } from '../query/dates.ts';
import { inStoredLanguages, type ParsedQuery } from '../query/parse.ts';
import type { QueryIntent } from '../query/intent.ts';
import type {
  PassageQuery,
  PassageRanking,
  QueryVector,
  RankedList,
  TermInfo,
} from '../../store/search-model.ts';
import type { SearchRun, StartedRun } from '../run.ts';
import { byTime, listByTime, scoresOf } from './by-time.ts';
import { planRetrieval } from './constrained-retrieval.ts';
import {
  bestFirst,
  NOT_ALL_EMBEDDED,
  publishTime,
  type MissingSignal,
  type Signal,
  type SignalList,
} from './signals.ts';
import { lookUpTerms, textQueries, type Correction, type WeightedTerm } from './text.ts';
import { completeVectorScores, embedQuery, modelCoverageOf, type EmbeddedQuery } from './vectors.ts';

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
  const [{ run: found, embedded }, { terms: infos, languages, written }, list] = await Promise.all([
    withVectors(started),
    lookUpTerms(started),
    isList ? listByTime(started) : [],
  ]);
  const run = { ...found, query: inStoredLanguages({ ...found.query, terms: written }, languages) };
  if (!isList || run.intent === null) return retrieveSignals(run, infos, embedded);
  // Completed documents alone do not replace a search.
  if (list.length === 0) return retrieveSignals({ ...run, intent: null }, infos, embedded);
  const retrieved = await retrieveSignals(notesWithoutList(run, run.intent), infos, embedded);
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
): Promise<RetrievalResult> {
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
    ...(run.deadlineMs !== undefined && { budgetMs: run.deadlineMs }),
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
