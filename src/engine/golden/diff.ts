import type { GoldenDiffOutput, GoldenRun, ReplayedQuery } from './golden-fields.ts';

type ChangedQuery = GoldenDiffOutput['changed'][number];

/** What two runs of the golden queries find differently. */
export function diffGolden(before: GoldenRun, after: GoldenRun): GoldenDiffOutput {
  const later = new Map(after.queries.map((query) => [query.id, query]));
  const earlierIds = new Set(before.queries.map(({ id }) => id));
  const pairs = before.queries.flatMap((query) => {
    const other = later.get(query.id);
    return other === undefined ? [] : [[query, other] as const];
  });
  const meanOf = (value: (query: ReplayedQuery) => number): GoldenDiffOutput['mrr'] => ({
    before: pairs.reduce((sum, [query]) => sum + value(query), 0) / Math.max(1, pairs.length),
    after: pairs.reduce((sum, [, query]) => sum + value(query), 0) / Math.max(1, pairs.length),
  });
  const changed = pairs.flatMap(([query, other]) => changedQuery(query, other) ?? []);
  return {
    compared: pairs.length,
    lost: changed.reduce((sum, { lost }) => sum + lost.length, 0),
    changed,
    only_before: before.queries.filter(({ id }) => !later.has(id)).map(({ query }) => query),
    only_after: after.queries.filter(({ id }) => !earlierIds.has(id)).map(({ query }) => query),
    recall: meanOf(({ recall }) => recall),
    mrr: meanOf(({ reciprocal_rank }) => reciprocal_rank),
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
    reciprocal_rank: { before: before.reciprocal_rank, after: after.reciprocal_rank },
  };
}
