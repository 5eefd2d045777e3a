import { DAY_MS } from '../../core/time/whole-day.ts';
import type { PassageScore, RankedList, SearchFilter } from '../../store/search-model.ts';
import type { StartedRun } from '../run.ts';
import { CONSTRAINED_LIMIT, planRetrieval } from './constrained-retrieval.ts';
import { bestFirst } from './signals.ts';

/**
 * Lists the documents of the run's intent by the distance of their time from now, nearest first; those without a date come
 * last. Scores are negated milliseconds. Without a state in the query the list has open and completed documents, but is
 * empty when none is open.
 */
export async function listByTime(run: StartedRun): Promise<readonly PassageScore[]> {
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
export function byTime(filter: SearchFilter): { by: 'time'; filter: SearchFilter; limit: number } {
  return { by: 'time', filter, limit: CONSTRAINED_LIMIT };
}

export function scoresOf(lists: readonly RankedList[]): PassageScore[] {
  return lists.flatMap(({ scores }) => scores);
}
