import type { PassageScore, SearchFilter } from '../../store/search-model.ts';
import type { SearchRun } from '../run.ts';
import { CONSTRAINED_LIMIT } from './constrained-retrieval.ts';
import { bestFirst } from './signals.ts';

const DAY_MS = 86_400_000;

/**
 * Lists documents by the distance of their time from now, nearest first; those without a date come last. Scores are
 * negated milliseconds. Without a state in the query the list has open and completed documents, but is empty when none
 * is open.
 */
export async function listByTime(
  run: SearchRun,
  state: 'open' | 'done' | null,
  filters: readonly SearchFilter[],
): Promise<PassageScore[]> {
  const wanted = await listByState(run, filters, state === 'done');
  if (wanted.length === 0) return [];
  const completed = state === null ? await listByState(run, filters, true) : [];
  const found = new Map([...wanted, ...completed].map((score) => [score.passage, score]));
  return [...found.values()].sort(bestFirst);
}

async function listByState(
  run: SearchRun,
  filters: readonly SearchFilter[],
  completed: boolean,
): Promise<PassageScore[]> {
  const ofState = filters.map((filter) => ({ ...filter, completed }));
  const [dated, undated] = await Promise.all([
    nearestInTime(
      run,
      ofState.map((filter) => ({ ...filter, undated: false })),
    ),
    nearestInTime(
      run,
      ofState.flatMap((filter) => (filter.undated === undefined ? [{ ...filter, undated: true }] : [])),
    ),
  ]);
  const scores = dated.map((entry) => ({ ...entry, score: -Math.abs(entry.score - run.filter.now) }));
  const last = Math.min(0, ...scores.map(({ score }) => score)) - DAY_MS;
  return [...scores, ...undated.map((entry) => ({ ...entry, score: last }))];
}

/** The passages of each filter that are nearest to now; the score is their record's time. */
export async function nearestInTime(
  { store, namespace }: SearchRun,
  filters: readonly SearchFilter[],
): Promise<PassageScore[]> {
  return (
    await Promise.all(filters.map((filter) => store.search.newest(namespace, filter, CONSTRAINED_LIMIT)))
  ).flat();
}
