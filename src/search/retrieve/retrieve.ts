import { ORIGINS } from '../../core/types.ts';
import { isDateOnlyQuery } from '../query/dates.ts';
import type { QueryIntent } from '../query/intent.ts';
import type { SearchRun } from '../run.ts';
import { listByTime, nearestInTime } from './by-time.ts';
import { planRetrieval } from './constrained-retrieval.ts';
import { bestFirst, timed, type MissingSignal, type SignalList } from './signals.ts';
import { retrieveText, type Correction, type WeightedTerm } from './text.ts';
import { completeVectorScores, modelCoverageOf, retrieveVectors } from './vectors.ts';

export interface RetrievalResult {
  /** The run's intent; `null` when the query only asks for a list of documents and there are none. */
  readonly intent: QueryIntent | null;
  /** The share of the query that the embedding model can judge. 0 to 1. */
  readonly modelCoverage: number;
  readonly lists: readonly SignalList[];
  readonly corrections: readonly Correction[];
  /** The query's terms that took part. */
  readonly terms: readonly WeightedTerm[];
  readonly missing: readonly MissingSignal[];
  /** The query's embedding; `null` without a model. */
  readonly vector: Float32Array | null;
  /** Passages that were found because they are of the dates or document types that the query names. */
  readonly constrainedMatches: ReadonlySet<number>;
}

const NOT_ALL_EMBEDDED: MissingSignal = {
  signal: 'vector',
  why: 'some of what matches is not embedded yet; `loci index` continues with it',
};

/** Queries every signal. A signal that cannot answer is listed in `missing`, and the others go on. */
export async function retrieve(run: SearchRun): Promise<RetrievalResult> {
  const plan = planRetrieval(run);
  const { dateFilters, intentFilters, constrainedMatches } = plan;
  if (run.intent?.listOnly === true) {
    const scores = await listByTime(run, run.intent.state, intentFilters);
    // Completed documents alone do not replace a search.
    return scores.length > 0
      ? retrieveWithList(run, run.intent, { signal: 'recency', scores })
      : retrieve({ ...run, intent: null });
  }
  const [text, vectors] = await Promise.all([
    retrieveText(run, plan),
    timed('vector', () => retrieveVectors(run, plan)),
  ]);
  const { list: vectorList, isIncomplete } = await completeVectorScores(run, vectors, text.lists);
  const lists = vectorList === null ? [...text.lists] : [vectorList, ...text.lists];
  // No text has the words "last week": when no signal found anything of these dates, the newest passages of them are the answer.
  if (constrainedMatches.size === 0 && isDateOnlyQuery(run.query.terms, run.dates)) {
    const scores = (await nearestInTime(run, dateFilters)).sort(bestFirst);
    for (const { passage } of scores) constrainedMatches.add(passage);
    lists.push({ signal: 'recency', scores });
  }
  return {
    ...text,
    intent: run.intent,
    lists,
    missing: isIncomplete ? [...vectors.missing, NOT_ALL_EMBEDDED] : vectors.missing,
    vector: vectors.vector,
    constrainedMatches,
    modelCoverage: modelCoverageOf(run, text.terms),
  };
}

/** For "my calendar": documents come from the list, since no text is about that; notes are retrieved as usual. */
async function retrieveWithList(
  run: SearchRun,
  intent: QueryIntent,
  list: SignalList,
): Promise<RetrievalResult> {
  const origins = (run.filter.origins ?? ORIGINS).filter((origin) => origin !== 'source');
  const notes = await retrieve({
    ...run,
    filter: { ...run.filter, origins },
    intent: { ...intent, filters: [], listOnly: false },
  });
  const listed = list.scores.map(({ passage }) => passage);
  return {
    ...notes,
    intent,
    lists: [list, ...notes.lists],
    constrainedMatches: new Set([...listed, ...notes.constrainedMatches]),
  };
}
