import type { Deadline } from '../../../core/time/deadline.ts';
import type { PassageScore, QueryVector, SentenceVectors, VectorWrite } from '../../search-model.ts';
import type { PassageFilter } from '../../sql/filter.ts';
import type { Row, Sql } from '../../sql/sql.ts';
import type { VectorIndex } from '../../sql/vector-index.ts';
import type { PostgresSql } from '../postgres-sql.ts';

/** The most dimensions of an index of HNSW. */
const MAX_INDEXED_DIMENSIONS = 4000;
/** Up to as many vectors, comparing all of a namespace is faster than the index. */
const MAX_COMPARED = 10_000;

/** Vectors of half precision, with an index of HNSW for each generation. */
export class PostgresVectorIndex implements VectorIndex {
  readonly #sql: Sql;
  readonly #owner: PostgresSql;

  /** @param owner a connection of the user who owns the tables, and may make their indexes */
  constructor(sql: Sql, owner: PostgresSql) {
    this.#sql = sql;
    this.#owner = owner;
  }

  /**
   * Compares all vectors of a small namespace, which is faster than the index there. The index gives the nearest of all namespaces
   * until enough pass the filter; if they are too few after it has looked at thousands, all vectors of the namespace are compared.
   */
  async search(
    ns: number,
    query: QueryVector,
    filter: PassageFilter,
    limit: number,
    deadline: Deadline,
  ): Promise<PassageScore[]> {
    const { dimensions, isLarge } = await this.#sizeOf(ns, query);
    if (dimensions > MAX_INDEXED_DIMENSIONS || !isLarge) return this.#compareAll(ns, query, filter, limit);
    const found = await this.#nearest(ns, query, dimensions, filter, limit);
    return found.length >= limit || deadline.isPast ? found : this.#compareAll(ns, query, filter, limit);
  }

  async #sizeOf(
    ns: number,
    { generation, vector }: QueryVector,
  ): Promise<{ readonly dimensions: number; readonly isLarge: boolean }> {
    const row = await this.#sql.get(
      `SELECT count(*) AS n FROM (SELECT 1 FROM embedding WHERE ns = :ns AND generation = :generation LIMIT :most) AS counted`,
      { ns, generation, most: MAX_COMPARED + 1 },
    );
    return { dimensions: vector.length, isLarge: Number(row?.['n']) > MAX_COMPARED };
  }

  async #compareAll(
    ns: number,
    { generation, vector }: QueryVector,
    { passage: { join, sql: condition, parameters } }: PassageFilter,
    limit: number,
  ): Promise<PassageScore[]> {
    const rows = await this.#sql.all(
      `WITH near AS MATERIALIZED (
         SELECT hash, vector <=> :query::halfvec AS distance FROM embedding WHERE ns = :ns AND generation = :generation)
       SELECT p.id, p.record, 1 - near.distance AS score FROM near JOIN passage AS p ON p.ns = :ns AND p.hash = near.hash ${join}
       WHERE ${condition} ORDER BY near.distance, p.id LIMIT :limit`,
      { ns, generation, query: textOf(vector), ...parameters, limit },
    );
    return rows.map(scoreOf);
  }

  async #nearest(
    ns: number,
    { generation, vector }: QueryVector,
    dimensions: number,
    { passage: { join, sql: condition, parameters } }: PassageFilter,
    limit: number,
  ): Promise<PassageScore[]> {
    // The index has the expression and the number of the generation as they stand here. It gives nearly the right order.
    const rows = await this.#sql.all(
      `SELECT id, record, score FROM (
         SELECT p.id, p.record, 1 - (v.vector::halfvec(${String(dimensions)}) <=> :query::halfvec(${String(dimensions)})) AS score
         FROM embedding AS v JOIN passage AS p ON p.ns = :ns AND p.hash = v.hash ${join}
         WHERE v.generation = ${String(generation)} AND v.ns = :ns AND ${condition}
         ORDER BY v.vector::halfvec(${String(dimensions)}) <=> :query::halfvec(${String(dimensions)}) LIMIT :limit) AS near
       ORDER BY score DESC, id`,
      { ns, query: textOf(vector), ...parameters, limit },
    );
    return rows.map(scoreOf);
  }

  async cosines(ns: number, ids: readonly number[], query: Float32Array): Promise<Map<number, number>> {
    const rows = await this.#sql.all(
      `SELECT id, 1 - (vector <=> :query::halfvec) AS score FROM embedding
       WHERE ns = :ns AND ${this.#sql.dialect.isIn('id', 'ids')}`,
      { ns, ids, query: textOf(query) },
    );
    return new Map(rows.map((row) => [Number(row['id']), Number(row['score'])]));
  }

  async vectors(ns: number, ids: readonly number[]): Promise<Map<number, Float32Array>> {
    const rows = await this.#sql.all(
      `SELECT id, vector::text AS vector FROM embedding WHERE ns = :ns AND ${this.#sql.dialect.isIn('id', 'ids')}`,
      { ns, ids },
    );
    return new Map(rows.map((row) => [Number(row['id']), vectorOf(row['vector'])]));
  }

  async put(ns: number, generation: number, vectors: readonly VectorWrite[]): Promise<void> {
    await this.#sql.run(
      `INSERT INTO embedding (ns, generation, hash, vector)
       SELECT :ns, :generation, decode(each.hash, 'hex'), each.vector::halfvec
       FROM ${this.#sql.dialect.rows('rows', { hash: 'text', vector: 'text' })} AS each ON CONFLICT DO NOTHING`,
      { ns, generation, rows: vectors.map(({ hash, vector }) => ({ hash, vector: textOf(vector) })) },
    );
  }

  async putSentences(ns: number, generation: number, sentences: SentenceVectors): Promise<void> {
    const rows = Array.from(sentences, ([hash, vectors]) => ({
      hash,
      components: `{${vectors.map((vector) => `"${textOf(vector)}"`).join(',')}}`,
    }));
    await this.#sql.run(
      `INSERT INTO sentence_vector (ns, vector, components)
       SELECT v.ns, v.id, each.components::halfvec[]
       FROM ${this.#sql.dialect.rows('rows', { hash: 'text', components: 'text' })} AS each
       JOIN embedding AS v ON v.ns = :ns AND v.generation = :generation AND v.hash = decode(each.hash, 'hex')
       ON CONFLICT DO NOTHING`,
      { ns, generation, rows },
    );
  }

  async sentences(
    ns: number,
    generation: number,
    _dimensions: number,
    hashes: readonly string[],
  ): Promise<Map<string, Float32Array[]>> {
    const rows = await this.#sql.all(
      `SELECT each.value AS hash, array_to_json(s.components::text[])::text AS vectors
       FROM ${this.#sql.dialect.list('hashes', 'text')} AS each
       JOIN embedding AS v ON v.ns = :ns AND v.generation = :generation AND v.hash = decode(each.value, 'hex')
       JOIN sentence_vector AS s ON s.ns = v.ns AND s.vector = v.id`,
      { ns, generation, hashes },
    );
    return new Map(
      rows.map((row) => [
        String(row['hash']),
        (JSON.parse(String(row['vectors'])) as string[]).map(vectorOf),
      ]),
    );
  }

  async rebuild(): Promise<void> {
    // Searches scan the vectors themselves.
  }

  async verify(): Promise<string[]> {
    return [];
  }

  /** Writes go on while the index is made: also one without vectors takes a scan of those of all generations. */
  async addGeneration(generation: number, dimensions: number): Promise<void> {
    const statement = createVectorIndex(generation, dimensions);
    const name = vectorIndexName(generation);
    const found = await this.#sql.get('SELECT to_regclass(:name) IS NOT NULL AS found', { name });
    if (statement !== null && found?.['found'] !== 1) await this.#owner.script(statement);
  }

  async removeGeneration(generation: number): Promise<number> {
    return this.#owner.transaction(async () => {
      await this.#owner.run(`DROP INDEX IF EXISTS ${vectorIndexName(generation)}`);
      return this.#owner.run('DELETE FROM embedding WHERE generation = :generation', { generation });
    });
  }
}

export function vectorIndexName(generation: number): string {
  return `embedding_near_${String(generation)}`;
}

/** The statement that makes the index of a generation; `null` if it has too many dimensions for one. */
export function createVectorIndex(generation: number, dimensions: number): string | null {
  if (dimensions > MAX_INDEXED_DIMENSIONS) return null;
  return `CREATE INDEX CONCURRENTLY IF NOT EXISTS ${vectorIndexName(generation)} ON embedding USING hnsw ((vector::halfvec(${String(dimensions)})) halfvec_cosine_ops) WHERE generation = ${String(generation)}`;
}

function scoreOf(row: Row): PassageScore {
  return { passage: Number(row['id']), record: Number(row['record']), score: Number(row['score']) };
}

/** A vector in the notation of pgvector. */
function textOf(vector: Float32Array): string {
  return `[${vector.join(',')}]`;
}

function vectorOf(text: unknown): Float32Array {
  return Float32Array.from(JSON.parse(String(text)) as number[]);
}
