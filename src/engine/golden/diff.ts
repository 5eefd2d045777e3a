import type { GoldenRun, RankedRecord, ReplayedQuery } from './replay.ts';

interface MovedRecord {
  readonly record: string;
  readonly citation: string;
  readonly before: number;
  readonly after: number;
}

/** A golden query whose results differ between two runs. */
export interface ChangedQuery {
  readonly id: string;
  readonly query: string;
  readonly moved: readonly MovedRecord[];
  /** Expected, found before, and not found any more. */
  readonly lost: readonly RankedRecord[];
  /** Not expected, and not among the results any more. */
  readonly gone: readonly RankedRecord[];
  readonly new: readonly RankedRecord[];
  readonly recall: Change;
  readonly reciprocalRank: Change;
}

export interface Change {
  readonly before: number;
  readonly after: number;
}

export interface GoldenDifference {
  /** Queries that both runs have. */
  readonly compared: number;
  readonly changed: readonly ChangedQuery[];
  /** Queries that only one run has. They are in no other figure. */
  readonly onlyBefore: readonly string[];
  readonly onlyAfter: readonly string[];
  readonly recall: Change;
  readonly mrr: Change;
}

/** What two runs of the golden queries find differently. */
export function diffGolden(before: GoldenRun, after: GoldenRun): GoldenDifference {
  const later = new Map(after.queries.map((query) => [query.id, query]));
  const earlierIds = new Set(before.queries.map(({ id }) => id));
  const pairs = before.queries.flatMap((query) => {
    const other = later.get(query.id);
    return other === undefined ? [] : [[query, other] as const];
  });
  const meanOf = (value: (query: ReplayedQuery) => number): Change => ({
    before: pairs.reduce((sum, [query]) => sum + value(query), 0) / Math.max(1, pairs.length),
    after: pairs.reduce((sum, [, query]) => sum + value(query), 0) / Math.max(1, pairs.length),
  });
  return {
    compared: pairs.length,
    changed: pairs.flatMap(([query, other]) => changedQuery(query, other) ?? []),
    onlyBefore: before.queries.filter(({ id }) => !later.has(id)).map(({ query }) => query),
    onlyAfter: after.queries.filter(({ id }) => !earlierIds.has(id)).map(({ query }) => query),
    recall: meanOf(({ recall }) => recall),
    mrr: meanOf(({ reciprocalRank }) => reciprocalRank),
  };
}

/** `null` if the results are the same. */
function changedQuery(before: ReplayedQuery, after: ReplayedQuery): ChangedQuery | null {
  const ranks = new Map(after.results.map(({ record, rank }) => [record, rank]));
  const earlier = new Set(before.results.map(({ record }) => record));
  const isExpected = new Set(after.expected.map(({ record }) => record));
  const moved = before.results.flatMap(({ record, citation, rank }) => {
    const now = ranks.get(record);
    return now === undefined || now === rank ? [] : [{ record, citation, before: rank, after: now }];
  });
  const absent = before.results.filter(({ record }) => !ranks.has(record));
  const added = after.results.filter(({ record }) => !earlier.has(record));
  if (moved.length + absent.length + added.length === 0) return null;
  return {
    ...{ id: after.id, query: after.query, moved, new: added },
    lost: absent.filter(({ record }) => isExpected.has(record)),
    gone: absent.filter(({ record }) => !isExpected.has(record)),
    recall: { before: before.recall, after: after.recall },
    reciprocalRank: { before: before.reciprocalRank, after: after.reciprocalRank },
  };
}
