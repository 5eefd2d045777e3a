import type { Timestamp } from '../../core/types.ts';
import type { PassageScore, SearchFilter, Store } from '../../store/store.ts';
import type { QueryIntent } from '../query/intent.ts';
import { bestFirst, CONSTRAINED_LIMIT } from './constrained-retrieval.ts';

interface TimeListInput {
  readonly store: Store;
  readonly namespace: string;
  readonly filter: { readonly now: Timestamp };
}

const DAY_MS = 86_400_000;

/**
 * What is of a kind by its time, nearest first, what names no day last; scores are milliseconds to now, below 0. Beside
 * what is open, unless that alone is asked for, what is done; nothing where nothing is open.
 */
export async function listByTime(
  state: QueryIntent['state'],
  filters: readonly SearchFilter[],
  place: TimeListInput,
): Promise<PassageScore[]> {
  const first = await listByState(filters, state === 'done', place);
  if (first.length === 0) return [];
  const others = state === null ? await listByState(filters, true, place) : [];
  const found = new Map([...first, ...others].map((one) => [one.passage, one]));
  return [...found.values()].sort(bestFirst);
}

async function listByState(
  filters: readonly SearchFilter[],
  completed: boolean,
  place: TimeListInput,
): Promise<PassageScore[]> {
  const asked = filters.map((filter) => ({ ...filter, completed }));
  const undated = asked.filter((filter) => filter.undated === undefined);
  const [dated, others] = await Promise.all([
    nearestInTime(
      asked.map((filter) => ({ ...filter, undated: false })),
      place,
    ),
    nearestInTime(
      undated.map((filter) => ({ ...filter, undated: true })),
      place,
    ),
  ]);
  const scores = dated.map((one) => ({ ...one, score: -Math.abs(one.score - place.filter.now) }));
  const last = Math.min(0, ...scores.map(({ score }) => score)) - DAY_MS;
  return [...scores, ...others.map((one) => ({ ...one, score: last }))];
}

/** Passages of each filter, scored by their time. */
export async function nearestInTime(
  filters: readonly SearchFilter[],
  { store, namespace }: TimeListInput,
): Promise<PassageScore[]> {
  return (
    await Promise.all(filters.map((filter) => store.newest(namespace, filter, CONSTRAINED_LIMIT)))
  ).flat();
}
