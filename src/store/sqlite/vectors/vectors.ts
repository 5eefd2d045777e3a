import type { Metadata } from '../../../core/types.ts';
import { assertVectorDimensions } from '../../rules/validation.ts';
import type {
  ComparedPassage,
  PassageScore,
  PendingEmbedding,
  QueryVector,
  SearchFilter,
  VectorWrite,
} from '../../search-model.ts';
import type { Database } from '../database/database.ts';
import { isSelective, passageCondition, recordCondition } from '../records/filter.ts';
import { ensureNamespace } from '../database/namespaces.ts';
import { isObject, isTextList } from '../../sql/stored-json.ts';
import { generationById } from './generations.ts';
import { CODE_BYTES, signCode } from './sign-codes.ts';
import type { CodeCache } from './code-cache.ts';
import { components, dequantised, quantise } from './quantise.ts';
import type { VectorCache, VectorScore } from './vector-cache.ts';

/** The number of vectors in one blob of codes. */
const CHUNK_ROWS = 512;
/** How many of the nearest codes are rescored with their vectors. `bench` checks that the recall is above 0.98. */
const SHORTLIST = 1000;
const SMALL_SHORTLIST = 300;
const SMALL_NAMESPACE = 100_000;
/** If a smaller share of the shortlist passes the filter, the scan is repeated. */
const MIN_PASSED = 1 / 2;
/** The maximum number of vectors to which a repeated scan is restricted. Listing them takes about 2 µs each. */
const MAX_ALLOWED = 50_000;
/** The shortlist is multiplied by this factor if the filter allows more than `MAX_ALLOWED` vectors. */
const SHORTLIST_FACTOR = 16;

export function putVectors(
  db: Database,
  namespace: string,
  generation: number,
  vectors: readonly VectorWrite[],
): void {
  db.transaction(() => {
    // Within the transaction, because another process may remove the generation.
    const found = generationById(db, generation);
    for (const { vector } of vectors) assertVectorDimensions(found, vector);
    const ns = ensureNamespace(db, namespace);
    const insert = db.prepare(
      'INSERT INTO vector (ns, generation, hash, quantised) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
    );
    for (const { hash, vector } of vectors)
      insert.run(ns, generation, Buffer.from(hash, 'hex'), quantise(vector));
    packSignCodes(db, ns, generation);
  });
}

/** Packs every full run of 512 new vectors into a blob of codes. */
export function packSignCodes(db: Database, ns: number, generation: number): void {
  for (;;) {
    const rows = db.prepare(
      `SELECT id, quantised FROM vector WHERE ns = ?1 AND generation = ?2 AND id > coalesce(
           (SELECT max(last_vector) FROM code_chunk WHERE ns = ?1 AND generation = ?2), 0)
         ORDER BY id LIMIT ${String(CHUNK_ROWS)}`,
    );
    // The last vector of the next run, which exists only if the run is full. Counting all new vectors would be slower.
    const last = db
      .prepare(
        `SELECT id FROM vector WHERE ns = ?1 AND generation = ?2 AND id > coalesce(
           (SELECT max(last_vector) FROM code_chunk WHERE ns = ?1 AND generation = ?2), 0)
         ORDER BY id LIMIT 1 OFFSET ${String(CHUNK_ROWS - 1)}`,
      )
      .get(ns, generation);
    if (last === undefined) return;
    const ids = new Uint32Array(CHUNK_ROWS);
    const codes = new Uint8Array(CHUNK_ROWS * CODE_BYTES);
    let n = 0;
    for (const row of rows.iterate(ns, generation)) {
      ids[n] = Number(row['id']);
      codes.set(signCode(components(row['quantised'] as Uint8Array)), n * CODE_BYTES);
      n++;
    }
    db.prepare(
      'INSERT INTO code_chunk (ns, generation, last_vector, vectors, codes) VALUES (?, ?, ?, ?, ?)',
    ).run(ns, generation, ids[n - 1]!, new Uint8Array(ids.buffer), codes);
  }
}

export interface VectorCaches {
  readonly codes: CodeCache;
  readonly vectors: VectorCache;
}

/**
 * The Hamming distances of sign codes give a shortlist, whose int8 vectors are scored with the float32 query. The result
 * contains every passage with one of the best vectors. If too few vectors of the shortlist pass the filter, the scan is
 * repeated among those that do, unless the deadline of the connection is past.
 */
export function searchVectors(
  db: Database,
  caches: VectorCaches,
  ns: number,
  generation: number,
  vector: Float32Array,
  filter: SearchFilter,
  limit: number,
): PassageScore[] {
  const codes = caches.codes.get(ns, generation);
  if (codes.size === 0) return [];
  const query = signCode(vector);
  const shortlist = Math.max(codes.size > SMALL_NAMESPACE ? SHORTLIST : SMALL_SHORTLIST, limit * 2);
  const minPassed = isSelective(filter) ? shortlist * MIN_PASSED : 0;
  const scan = (count: number, allowedIds?: Uint32Array): Rescored =>
    rescore(db, ns, caches.vectors.scores(codes.nearest(query, count, allowedIds), vector), filter, limit);
  const { scores, passed } = scan(shortlist);
  const isEnough = shortlist >= codes.size || (scores.length >= limit && passed >= minPassed);
  if (isEnough || db.deadline.isPast) return scores;
  const allowed = allowedVectors(db, ns, generation, filter);
  return allowed === null ? scan(shortlist * SHORTLIST_FACTOR).scores : scan(shortlist, allowed).scores;
}

/** The ids of the vectors that pass the filter, ascending. Returns `null` if there are too many. */
function allowedVectors(
  db: Database,
  ns: number,
  generation: number,
  filter: SearchFilter,
): Uint32Array | null {
  const condition = recordCondition(filter);
  const rows = db
    .prepare(
      `SELECT v.id FROM record AS r
       CROSS JOIN passage AS p ON p.ns = r.ns AND p.record = r.id
       CROSS JOIN vector AS v ON v.ns = p.ns AND v.generation = ? AND v.hash = p.hash
       WHERE r.ns = ? AND ${condition.sql} LIMIT ${String(MAX_ALLOWED + 1)}`,
    )
    .all(generation, ns, ...condition.parameters);
  return rows.length > MAX_ALLOWED ? null : Uint32Array.from(rows, (row) => Number(row['id'])).sort();
}

interface Rescored {
  readonly scores: PassageScore[];
  /** How many of the vectors have a passage that passes the filter. */
  readonly passed: number;
}

/** The passages of the best vectors. With a selective filter all vectors are looked up, else about as many as the limit. */
function rescore(
  db: Database,
  ns: number,
  best: readonly VectorScore[],
  filter: SearchFilter,
  limit: number,
): Rescored {
  const batch = isSelective(filter) ? best.length : limit;
  const scores: PassageScore[] = [];
  let passed = 0;
  for (let from = 0, to; from < best.length && scores.length < limit; from = to) {
    to = Math.min(best.length, from + batch);
    // Vectors with the same score stay together, because ties are ordered by passage.
    while (to < best.length && best[to]!.score === best[to - 1]!.score) to++;
    const found = passagesOfVectors(db, ns, best.slice(from, to), filter);
    passed += new Set(found.map(({ vector }) => vector)).size;
    scores.push(...found);
  }
  scores.sort(bestFirst);
  return { scores: scores.slice(0, limit), passed };
}

function passagesOfVectors(
  db: Database,
  ns: number,
  scored: readonly VectorScore[],
  filter: SearchFilter,
): (PassageScore & { vector: number })[] {
  const condition = passageCondition(db, ns, filter);
  // CROSS JOIN keeps SQLite from starting with all passages. One value is read faster than hundreds of rows.
  const found = db
    .prepare(
      `SELECT json_group_array(near.key) AS keys, json_group_array(p.id) AS passages,
         json_group_array(p.record) AS records FROM json_each(?) AS near
       CROSS JOIN vector AS v ON v.id = near.value
       CROSS JOIN passage AS p ON p.ns = v.ns AND p.hash = v.hash ${condition.join}
       WHERE p.ns = ? AND ${condition.sql}`,
    )
    .get(JSON.stringify(scored.map(({ vector }) => vector)), ns, ...condition.parameters);
  const numbersOf = (column: string): number[] => JSON.parse(String(found?.[column])) as number[];
  const [passages, records] = [numbersOf('passages'), numbersOf('records')];
  return numbersOf('keys').map((key, i) => {
    const { vector, score } = scored[key]!;
    return { vector, passage: passages[i]!, record: records[i]!, score };
  });
}

function bestFirst(a: PassageScore, b: PassageScore): number {
  return b.score - a.score || a.passage - b.passage;
}

export function scoreVectors(
  db: Database,
  cache: VectorCache,
  ns: number,
  generation: number,
  vector: Float32Array,
  passages: readonly number[],
): PassageScore[] {
  const rows = db
    .prepare(
      `SELECT p.id, p.record, v.id AS vector FROM json_each(?) AS requested CROSS JOIN passage AS p ON p.id = requested.value
       CROSS JOIN vector AS v ON v.ns = p.ns AND v.generation = ? AND v.hash = p.hash WHERE p.ns = ?`,
    )
    .all(JSON.stringify(passages), generation, ns);
  const ids = new Set(rows.map((row) => row['vector'] as number));
  const scores = new Map(cache.scores([...ids], vector).map(({ vector: id, score }) => [id, score]));
  return rows.flatMap((row) => {
    const score = scores.get(row['vector'] as number);
    return score === undefined
      ? []
      : [{ passage: row['id'] as number, record: row['record'] as number, score }];
  });
}

/** The passages of records by ordinal, as many as the limit allows, with their cosines. */
export function compareRecords(
  db: Database,
  cache: VectorCache,
  ns: number,
  { generation, vector }: QueryVector,
  records: readonly number[],
  limit: number,
): Map<number, ComparedPassage[]> {
  const rows = db
    .prepare(
      `SELECT p.record, p.ordinal, p.start_line, p.end_line, v.id AS vector FROM json_each(?) AS requested
       CROSS JOIN passage AS p ON p.ns = ? AND p.record = requested.value
       CROSS JOIN vector AS v ON v.ns = p.ns AND v.generation = ? AND v.hash = p.hash
       ORDER BY requested.key, p.ordinal LIMIT ?`,
    )
    .all(JSON.stringify(records), ns, generation, limit);
  const ids = new Set(rows.map((row) => row['vector'] as number));
  const scores = new Map(cache.scores([...ids], vector).map(({ vector: id, score }) => [id, score]));
  const compared = new Map<number, ComparedPassage[]>();
  for (const row of rows) {
    const [record, cosine] = [row['record'] as number, scores.get(row['vector'] as number)];
    if (cosine === undefined) continue;
    const passages = compared.get(record) ?? [];
    const [ordinal, startLine, endLine] = [row['ordinal'], row['start_line'], row['end_line']] as number[];
    passages.push({ ordinal: ordinal!, startLine: startLine!, endLine: endLine!, cosine });
    compared.set(record, passages);
  }
  return compared;
}

export function vectorOf(db: Database, ns: number, generation: number, passage: number): Float32Array | null {
  const row = db
    .prepare(
      `SELECT v.quantised FROM passage AS p
       CROSS JOIN vector AS v ON v.ns = p.ns AND v.generation = ? AND v.hash = p.hash WHERE p.id = ? AND p.ns = ?`,
    )
    .get(generation, passage, ns);
  return row === undefined ? null : dequantised(row['quantised'] as Uint8Array);
}

const PENDING = `FROM passage AS p JOIN record AS r ON r.ns = p.ns AND r.id = p.record
  WHERE p.ns = ? AND r.deleted_at IS NULL
    AND NOT EXISTS (SELECT 1 FROM vector AS v WHERE v.ns = p.ns AND v.generation = ? AND v.hash = p.hash)`;

export function countPending(db: Database, ns: number, generation: number): number {
  const count = db.prepare(`SELECT count(DISTINCT p.hash) AS n ${PENDING}`);
  return Number(count.get(ns, generation)?.['n']);
}

export function pendingBytes(db: Database, ns: number, generation: number): number {
  const sum = db.prepare(
    `SELECT coalesce(sum(bytes), 0) AS bytes FROM (SELECT max(octet_length(p.text)) AS bytes ${PENDING} GROUP BY p.hash)`,
  );
  return Number(sum.get(ns, generation)?.['bytes']);
}

/** Passages that are damaged are left out. */
export function pendingEmbeddings(
  db: Database,
  ns: number,
  generation: number,
  limit: number,
): PendingEmbedding[] {
  const rows = db
    .prepare(
      `SELECT p.id, p.record, p.ordinal, p.hash, p.headings, p.text, p.context, r.title, r.metadata ${PENDING}
           AND ${isTextList('p.headings')} AND ${isObject('r.metadata')}
         ORDER BY p.ordinal > 0, r.updated_at DESC, p.record, p.ordinal LIMIT ?`,
    )
    .all(ns, generation, limit);
  return rows.map((row) => ({
    passage: row['id'] as number,
    record: row['record'] as number,
    ordinal: row['ordinal'] as number,
    hash: Buffer.from(row['hash'] as Uint8Array).toString('hex'),
    headings: JSON.parse(row['headings'] as string) as string[],
    text: row['text'] as string,
    context: row['context'] as string | null,
    title: row['title'] as string,
    metadata: JSON.parse(row['metadata'] as string) as Metadata,
  }));
}
