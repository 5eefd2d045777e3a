import type { ComparedPassage, Retrieved, StoredPassage } from '../store/search-model.ts';
import type { QueryCoverage } from './rank/coverage.ts';
import { laterVector, type RetrievalResult } from './retrieve/retrieve.ts';
import type { SearchRun } from './run.ts';

/** A search as far as its results are ranked. */
export interface RankedSearch {
  readonly run: SearchRun;
  readonly retrieved: RetrievalResult;
  readonly coverage: QueryCoverage;
  /** The passages that were ranked, several of some records. */
  readonly passages: readonly StoredPassage[];
}

/** Passages of all of them together that are compared with the query. */
const MAX_COMPARED = 2000;
/** The passages of a record whose words are compared: those nearest in meaning. */
const MAX_CANDIDATES = 5;

/** All passages of records, compared with the query, and those of them that may be shown. */
export async function readCandidates(
  { run, retrieved, passages }: RankedSearch,
  records: readonly number[],
  bm25: ReadonlyMap<number, number> = bm25ByPassage(retrieved),
): Promise<Pick<Retrieved, 'compared'> & { readonly candidates: readonly StoredPassage[] }> {
  const { store, namespace, filter, deadlineMs } = run;
  const vector = laterVector(retrieved);
  const { compared } = await store.search.retrieve(namespace, {
    queries: [],
    ...(vector !== null && { cosines: vector }),
    records: { ids: records, limit: MAX_COMPARED },
    budgetMs: deadlineMs,
  });
  const wanted = new Set([...compared.values()].flatMap((ofRecord) => candidatesAmong(ofRecord, bm25)));
  const found = passages.filter(({ id }) => wanted.has(id));
  for (const { id } of found) wanted.delete(id);
  const loaded =
    wanted.size === 0 ? [] : (await store.search.passages(namespace, [...wanted], filter)).passages;
  return { compared, candidates: [...found, ...loaded] };
}

/** The scores of the passages that words found. */
export function bm25ByPassage({ lists }: RetrievalResult): ReadonlyMap<number, number> {
  const scores = new Map<number, number>();
  for (const list of lists)
    if (list.signal === 'text' || list.signal === 'spelling')
      for (const { passage, score } of list.scores)
        scores.set(passage, Math.max(score, scores.get(passage) ?? 0));
  return scores;
}

/** The passages of a record that may answer: the nearest in meaning, and of those without a vector the best by words. */
function candidatesAmong(ofRecord: readonly ComparedPassage[], bm25: ReadonlyMap<number, number>): number[] {
  const best = (
    passages: readonly ComparedPassage[],
    scoreOf: (passage: ComparedPassage) => number,
  ): number[] =>
    passages
      .toSorted((a, b) => scoreOf(b) - scoreOf(a))
      .slice(0, MAX_CANDIDATES)
      .map(({ passage }) => passage);
  const [near, others] = [
    ofRecord.filter(({ cosine }) => cosine !== null),
    ofRecord.filter(({ cosine }) => cosine === null),
  ];
  return [...best(near, ({ cosine }) => cosine!), ...best(others, ({ passage }) => bm25.get(passage) ?? 0)];
}
