import { Deadline } from '../../../core/time/deadline.ts';
import type { Metadata, Timestamp } from '../../../core/types.ts';
import { bestOfRecords, spreadOverRecords } from '../../rules/record-spread.ts';
import type {
  PassageQuery,
  PassageScore,
  PendingEmbedding,
  PendingEmbeddings,
  PendingRequest,
  QueryVector,
  RankedList,
  RetrievalRequest,
  SimilarRecord,
} from '../../search-model.ts';
import type { Scope, TextScore, VectorIndex } from '../driver.ts';
import { hasExpired, passageFilter } from '../filter.ts';
import { assertQueryVectors } from '../generations.ts';
import { atOnce, type Sql } from '../sql.ts';
import { newest, passageRows } from './passages.ts';
import {
  type ComparedRow,
  NO_COMPARISON,
  type PackedComparison,
  type PackedRetrieval,
  packRetrieval,
} from './wire.ts';

export async function retrieve(
  scope: Scope,
  { queries, cosines, compared = [], records, load = false, budgetMs }: RetrievalRequest,
): Promise<PackedRetrieval> {
  const { sql, ns } = scope;
  const deadline = new Deadline(budgetMs);
  const ranker = new Ranker(scope, deadline, cosines);
  const lists: RankedList[] = [];
  let ofRecords = null as PackedComparison | null;
  await atOnce(sql, [
    async () => {
      await sql.within(deadline, () => assertQueryVectors(sql, vectorsOf(queries, cosines)));
    },
    ...queries.map((query, i) => async () => {
      lists[i] = await ranker.list(query);
    }),
    async () => {
      if (records === undefined) return;
      const { ids, limit } = records;
      ofRecords = await sql.within(deadline, () => compareRecords(scope, cosines, ids, limit));
    },
  ]);
  const found = cosines === undefined ? [] : await missingCosines(ranker, queries, lists, cosines, compared);
  const passages = load ? bestOfRecords(lists.flatMap((list) => list.scores)) : [];
  return packRetrieval(
    { lists, cosines: found ?? [], hasAllCosines: found !== null, compared: ofRecords ?? NO_COMPARISON },
    await passageRows(sql, ns, passages),
  );
}

/** The vectors with which passages are compared. */
export function vectorsOf(queries: readonly PassageQuery[], cosines?: QueryVector): QueryVector[] {
  const vectors = queries.flatMap((query) => (query.by === 'vector' ? [query.vector] : []));
  return cosines === undefined ? vectors : [...vectors, cosines];
}

class Ranker {
  /** The cosines of passages that the text index gave: `null` for those without a vector. */
  readonly cosines = new Map<number, PassageScore | null>();
  readonly scope: Scope;
  readonly deadline: Deadline;
  readonly #compared: QueryVector | undefined;
  readonly #expired = new Map<number, Promise<boolean>>();

  constructor(scope: Scope, deadline: Deadline, compared: QueryVector | undefined) {
    this.scope = scope;
    this.deadline = deadline;
    this.#compared = compared;
  }

  async list(query: PassageQuery): Promise<RankedList> {
    const started = performance.now();
    const deadline = this.deadline;
    if (deadline.isPast) return { scores: [], milliseconds: 0, isPartial: true };
    const scores = await this.scope.sql.within(deadline, () =>
      spreadOverRecords(query, (limit) => this.#rank(query, limit), deadline),
    );
    const isPartial = scores === null || deadline.isPast;
    return { scores: scores ?? [], milliseconds: performance.now() - started, isPartial };
  }

  async #rank(query: PassageQuery, limit: number): Promise<PassageScore[]> {
    const { sql, text, vectors, ns } = this.scope;
    if (query.by === 'time') return newest(sql, ns, query.filter, limit, query.undated);
    const filter = passageFilter(sql.dialect, query.filter, await this.#hasExpired(query.filter.now));
    if (query.by === 'text') {
      // A longer list is cut again, so that most of its cosines are not needed.
      const compared = limit === query.limit ? this.#compared : undefined;
      const search = (vector?: QueryVector): Promise<TextScore[]> =>
        text.search(ns, query.text, filter, limit, this.deadline, vector);
      const found =
        compared === undefined
          ? await search()
          : ((await sql.within(this.deadline, () => search(compared))) ?? (await search()));
      for (const { cosine, ...passage } of found)
        if (cosine !== undefined)
          this.cosines.set(passage.passage, cosine === null ? null : { ...passage, score: cosine });
      return found;
    }
    return vectors.search(ns, query.vector, filter, limit, this.deadline);
  }

  /** Asking a server takes longer than leaving out what has expired. */
  #hasExpired(now: number): Promise<boolean> | boolean {
    const { sql, ns } = this.scope;
    if (sql.dialect.isRemote) return true;
    const expired = this.#expired.get(now) ?? hasExpired(sql, ns, now);
    this.#expired.set(now, expired);
    return expired;
  }
}

/**
 * The cosines of the passages to compare, and of those that full-text search found, without those that vector search found; `null` if
 * the time ran out.
 */
async function missingCosines(
  { scope: { sql, vectors, ns }, deadline, cosines: known }: Ranker,
  queries: readonly PassageQuery[],
  lists: readonly Pick<RankedList, 'scores'>[],
  query: QueryVector,
  compared: readonly number[],
): Promise<PassageScore[] | null> {
  const [foundByText, foundByVector] = [new Set<number>(compared), new Set<number>()];
  for (const [i, { by }] of queries.entries())
    for (const { passage } of lists[i]!.scores) {
      if (by === 'text') foundByText.add(passage);
      if (by === 'vector') foundByVector.add(passage);
    }
  const missing = [...foundByText].filter((passage) => !foundByVector.has(passage));
  const unknown = missing.filter((passage) => !known.has(passage));
  const rest =
    unknown.length === 0
      ? []
      : await sql.within(deadline, () => scoresOfPassages(sql, vectors, ns, query, unknown));
  return rest === null ? null : [...missing.flatMap((passage) => known.get(passage) ?? []), ...rest];
}

/** The vectors of those passages that have one, by passage. */
export async function vectorsOfPassages(
  { sql, vectors, ns }: Scope,
  generation: number,
  passages: readonly number[],
): Promise<Map<number, Float32Array>> {
  const { columns } = vectors;
  const rows = await vectorRows(sql, ns, { generation, passages }, columns?.vector);
  if (columns !== null) return new Map(rows.map(({ passage, value }) => [passage, columns.read(value)]));
  const found = await vectors.vectors(ns, [...new Set(rows.map(({ vector }) => vector))]);
  return new Map(
    rows.flatMap(({ passage, vector: id }) => {
      const vector = found.get(id);
      return vector === undefined ? [] : [[passage, vector] as const];
    }),
  );
}

interface VectorRow {
  readonly passage: number;
  readonly record: number;
  readonly vector: number;
  readonly value: unknown;
}

/** @param value what is read of each row `v` of `embedding` besides its id */
async function vectorRows(
  sql: Sql,
  ns: number,
  given: { readonly generation: number; readonly passages: readonly number[]; readonly query?: string },
  value = 'NULL',
): Promise<VectorRow[]> {
  const { list, join } = sql.dialect;
  const rows = await sql.all(
    `SELECT p.id AS passage, p.record, v.id AS vector, ${value} AS value FROM ${list('passages', 'integer')} AS requested
     ${join} passage AS p ON p.id = requested.value
     ${join} embedding AS v ON v.ns = p.ns AND v.generation = :generation AND v.hash = p.hash
     WHERE p.ns = :ns ORDER BY requested.key`,
    { ns, ...given },
  );
  return rows as unknown as VectorRow[];
}

/** The cosines of passages with a vector; those without one are left out. */
async function scoresOfPassages(
  sql: Sql,
  index: VectorIndex,
  ns: number,
  { generation, vector }: QueryVector,
  passages: readonly number[],
): Promise<PassageScore[]> {
  const { columns } = index;
  const query = columns?.parameter(vector);
  const rows = await vectorRows(
    sql,
    ns,
    { generation, passages, ...(query !== undefined && { query }) },
    columns?.cosine,
  );
  if (columns !== null)
    return rows.map(({ passage, record, value }) => ({ passage, record, score: Number(value) }));
  const cosines = await index.cosines!(ns, [...new Set(rows.map((row) => row.vector))], vector);
  return rows.flatMap(({ passage, record, vector: id }) => {
    const score = cosines.get(id);
    return score === undefined ? [] : [{ passage, record, score }];
  });
}

/** The passages of records by ordinal, as many as the limit allows, with their cosines. */
async function compareRecords(
  { sql, vectors, ns }: Scope,
  query: QueryVector | undefined,
  records: readonly number[],
  limit: number,
): Promise<PackedComparison> {
  const { list, join, json, jsonList } = sql.dialect;
  const columns = query === undefined ? null : vectors.columns;
  const names = ['key', 'record', 'id', 'ordinal', 'start_line', 'end_line', 'length', 'vector'];
  if (columns !== null) names.push('cosine');
  const row = await sql.get(
    `SELECT ${jsonList(json(names.map((name) => `c.${name}`)))} AS compared FROM (
       SELECT requested.key, p.record, p.id, p.ordinal, p.start_line, p.end_line, length(p.text) AS length, v.id AS vector
         ${columns === null ? '' : `, ${columns.cosine} AS cosine`}
       FROM ${list('records', 'integer')} AS requested
       ${join} passage AS p ON p.ns = :ns AND p.record = requested.value
       LEFT JOIN embedding AS v ON v.ns = p.ns AND v.generation = :generation AND v.hash = p.hash
       ORDER BY requested.key, p.ordinal LIMIT :limit) AS c`,
    {
      ...{ ns, generation: query?.generation ?? NO_GENERATION, records, limit },
      ...(columns !== null && { query: columns.parameter(query!.vector) }),
    },
  );
  const passages = String(row?.['compared']);
  const rows = JSON.parse(passages) as ComparedRow[];
  if (columns !== null) return { passages, cosines: Float64Array.from(rows, (each) => each[8] ?? NaN) };
  const ids = rows.map((each) => each[7]);
  const cosines =
    query === undefined
      ? new Map<number, number>()
      : await vectors.cosines!(ns, [...new Set(ids.filter((id) => id !== null))], query.vector);
  return { passages, cosines: Float64Array.from(ids, (id) => cosines.get(id ?? 0) ?? NaN) };
}

/** No generation has this id. */
const NO_GENERATION = 0;

/** Passages to look up for each record that is wanted: several passages of a long record may be near. */
const PASSAGES_PER_RECORD = 6;

export async function similarRecords(
  { sql, vectors, ns }: Scope,
  generation: number,
  records: readonly number[],
  { now, limit }: { readonly now: Timestamp; readonly limit: number },
): Promise<Map<number, SimilarRecord[]>> {
  const filter = passageFilter(sql.dialect, { now }, await hasExpired(sql, ns, now));
  const { list, join } = sql.dialect;
  const rows = await sql.all(
    `SELECT p.record, v.id AS vector FROM ${list('records', 'integer')} AS requested
     ${join} passage AS p ON p.ns = :ns AND p.record = requested.value AND p.ordinal = 0
     ${join} embedding AS v ON v.ns = p.ns AND v.generation = :generation AND v.hash = p.hash ORDER BY requested.key`,
    { ns, generation, records },
  );
  const similar = new Map<number, SimilarRecord[]>();
  const wanted = PASSAGES_PER_RECORD * (limit + 1);
  const first = await vectors.vectors(
    ns,
    rows.map((row) => row['vector'] as number),
  );
  for (const row of rows) {
    const vector = first.get(row['vector'] as number);
    if (vector === undefined) continue;
    const found = await vectors.search(ns, { generation, vector }, filter, wanted, new Deadline());
    const best = new Map<number, number>();
    for (const { record: other, score } of found)
      if (other !== row['record'] && !best.has(other)) best.set(other, score);
    const ordered = [...best].sort(([a, x], [b, y]) => y - x || a - b).slice(0, limit);
    similar.set(
      row['record'] as number,
      ordered.map(([other, cosine]) => ({ record: other, cosine })),
    );
  }
  return similar;
}

const PENDING = `FROM passage AS p JOIN record AS r ON r.ns = p.ns AND r.id = p.record
  WHERE p.ns = :ns AND r.deleted_at IS NULL
    AND NOT EXISTS (SELECT 1 FROM embedding AS v WHERE v.ns = p.ns AND v.generation = :generation AND v.hash = p.hash)`;

/** Passages that are damaged are left out. */
export async function pendingEmbeddings(
  { sql, ns }: Scope,
  generation: number,
  { limit = 0, totals = false }: PendingRequest,
): Promise<PendingEmbeddings> {
  const { isTextList, isObject, hex } = sql.dialect;
  const rows =
    limit === 0
      ? []
      : await sql.all(
          `SELECT p.id AS passage, p.record, p.ordinal, ${hex('p.hash')} AS hash, p.headings, p.text, p.context, r.title, r.metadata ${PENDING}
             AND ${isTextList('p.headings')} AND ${isObject('r.metadata')}
           ORDER BY p.ordinal > 0, r.updated_at DESC, p.record, p.ordinal LIMIT :limit`,
          { ns, generation, limit },
        );
  const total = totals
    ? await sql.get(
        `SELECT count(*) AS texts, coalesce(sum(bytes), 0) AS bytes
         FROM (SELECT max(octet_length(p.text)) AS bytes ${PENDING} GROUP BY p.hash) AS content`,
        { ns, generation },
      )
    : {};
  const passages = rows.map((row) => ({
    ...(row as unknown as PendingEmbedding),
    headings: JSON.parse(row['headings'] as string) as string[],
    metadata: JSON.parse(row['metadata'] as string) as Metadata,
  }));
  return { passages, texts: Number(total?.['texts'] ?? 0), bytes: Number(total?.['bytes'] ?? 0) };
}
