import type { Metadata, Timestamp } from '../../../core/types.ts';
import type {
  PassageScore,
  PendingEmbeddings,
  PendingRequest,
  QueryVector,
  SimilarRecord,
} from '../../search-model.ts';
import { Deadline } from '../../../core/time/deadline.ts';
import { hasExpired, passageFilter } from '../filter.ts';
import type { Driver } from '../driver.ts';
import type { Sql } from '../sql.ts';
import type { VectorIndex } from '../vector-index.ts';
import type { ComparedRow, PackedComparison } from './wire.ts';

/** The vectors of those passages that have one, by passage. */
export async function vectorsOfPassages(
  { sql, vectors }: Driver,
  ns: number,
  generation: number,
  passages: readonly number[],
): Promise<Map<number, Float32Array>> {
  const rows = await vectorRows(sql, ns, generation, passages);
  const found = await vectors.vectors(ns, [...new Set(rows.map(({ vector }) => vector))]);
  return new Map(
    rows.flatMap(({ passage, vector: id }) => {
      const vector = found.get(id);
      return vector === undefined ? [] : [[passage, vector] as const];
    }),
  );
}

async function vectorRows(
  sql: Sql,
  ns: number,
  generation: number,
  passages: readonly number[],
): Promise<{ passage: number; record: number; vector: number }[]> {
  const { list, join } = sql.dialect;
  const rows = await sql.all(
    `SELECT p.id AS passage, p.record, v.id AS vector FROM ${list('passages', 'integer')} AS requested
     ${join} passage AS p ON p.id = requested.value
     ${join} embedding AS v ON v.ns = p.ns AND v.generation = :generation AND v.hash = p.hash
     WHERE p.ns = :ns ORDER BY requested.key`,
    { ns, generation, passages },
  );
  return rows as unknown as { passage: number; record: number; vector: number }[];
}

/** The cosines of passages with a vector; those without one are left out. */
export async function scoresOfPassages(
  sql: Sql,
  index: VectorIndex,
  ns: number,
  { generation, vector }: QueryVector,
  passages: readonly number[],
): Promise<PassageScore[]> {
  const rows = await vectorRows(sql, ns, generation, passages);
  const cosines = await index.cosines(ns, [...new Set(rows.map((row) => row.vector))], vector);
  return rows.flatMap(({ passage, record, vector: id }) => {
    const score = cosines.get(id);
    return score === undefined ? [] : [{ passage, record, score }];
  });
}

/** The passages of records by ordinal, as many as the limit allows, with their cosines. */
export async function compareRecords(
  { sql, vectors }: Driver,
  ns: number,
  query: QueryVector | undefined,
  records: readonly number[],
  limit: number,
): Promise<PackedComparison> {
  const { list, join, json, jsonList } = sql.dialect;
  const columns = ['key', 'record', 'id', 'ordinal', 'start_line', 'end_line', 'length', 'vector'];
  const row = await sql.get(
    `SELECT ${jsonList(json(columns.map((name) => `c.${name}`)))} AS compared FROM (
       SELECT requested.key, p.record, p.id, p.ordinal, p.start_line, p.end_line, length(p.text) AS length, v.id AS vector
       FROM ${list('records', 'integer')} AS requested
       ${join} passage AS p ON p.ns = :ns AND p.record = requested.value
       LEFT JOIN embedding AS v ON v.ns = p.ns AND v.generation = :generation AND v.hash = p.hash
       ORDER BY requested.key, p.ordinal LIMIT :limit) AS c`,
    { ns, generation: query?.generation ?? NO_GENERATION, records, limit },
  );
  const passages = String(row?.['compared']);
  const ids = (JSON.parse(passages) as ComparedRow[]).map((each) => each[7]);
  const cosines =
    query === undefined
      ? new Map<number, number>()
      : await vectors.cosines(ns, [...new Set(ids.filter((id) => id !== null))], query.vector);
  return { passages, cosines: Float64Array.from(ids, (id) => cosines.get(id ?? 0) ?? NaN) };
}

/** No generation has this id. */
const NO_GENERATION = 0;

/** Passages to look up for each record that is wanted: several passages of a long record may be near. */
const PASSAGES_PER_RECORD = 6;

export async function similarRecords(
  { sql, vectors }: Driver,
  ns: number,
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
  sql: Sql,
  ns: number,
  generation: number,
  { limit = 0, totals = false }: PendingRequest,
): Promise<PendingEmbeddings> {
  const { isTextList, isObject, hex } = sql.dialect;
  const rows =
    limit === 0
      ? []
      : await sql.all(
          `SELECT p.id, p.record, p.ordinal, ${hex('p.hash')} AS hash, p.headings, p.text, p.context, r.title, r.metadata ${PENDING}
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
    passage: row['id'] as number,
    record: row['record'] as number,
    ordinal: row['ordinal'] as number,
    hash: row['hash'] as string,
    headings: JSON.parse(row['headings'] as string) as string[],
    text: row['text'] as string,
    context: row['context'] as string | null,
    title: row['title'] as string,
    metadata: JSON.parse(row['metadata'] as string) as Metadata,
  }));
  return { passages, texts: Number(total?.['texts'] ?? 0), bytes: Number(total?.['bytes'] ?? 0) };
}
