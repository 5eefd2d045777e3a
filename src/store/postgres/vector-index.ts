import { LociError } from '../../core/errors.ts';
import type { Deadline } from '../../core/time/deadline.ts';
import type { PassageScore, QueryVector, SentenceVectors, VectorWrite } from '../search-model.ts';
import type { VectorColumns, VectorIndex, VectorSet } from '../sql/driver.ts';
import type { PassageFilter } from '../sql/filter.ts';
import type { Row, Sql } from '../sql/sql.ts';
import { assertVectors } from '../rules/validation.ts';
import { generationById } from '../sql/generations.ts';
import { assertKept } from '../sql/namespace.ts';
import type { PostgresSql } from './postgres-sql.ts';

/** A vector in the notation of pgvector. */
export function vectorText(vector: Float32Array): string {
  return `[${vector.join(',')}]`;
}

/**
 * Vectors as an array of `halfvec` in the binary format of PostgreSQL, which takes a tenth of the time of text. Both round a component to
 * the nearest one of half precision, to an even one in the middle.
 * @param type the number of `halfvec`
 */
function binaryArray(type: number, vectors: readonly Float32Array[]): Uint8Array<ArrayBuffer> {
  const size = vectors.reduce((sum, { length }) => sum + 8 + 2 * length, 20);
  const bytes = new DataView(new ArrayBuffer(size));
  let end = 0;
  const number = (value: number): void => {
    bytes.setInt32(end, value);
    end += 4;
  };
  // One dimension, no NULL, the type, the length, and the first position.
  for (const value of [1, 0, type, vectors.length, 1]) number(value);
  for (const vector of vectors) {
    number(4 + 2 * vector.length);
    // The dimensions take the upper half; the lower one is unused.
    number(vector.length << 16);
    for (const component of vector) {
      bytes.setFloat16(end, component);
      end += 2;
    }
  }
  return new Uint8Array(bytes.buffer);
}

/** The most dimensions of an index of HNSW. */
const MAX_INDEXED_DIMENSIONS = 4000;
/** How often an index is made that others make at the same time. */
const MAX_ATTEMPTS = 5;
/** Up to as many vectors, comparing all of a namespace is faster than the index. */
const MAX_COMPARED = 10_000;

/** Vectors of half precision, with an index of HNSW for each generation. */
export class PostgresVectorIndex implements VectorIndex {
  readonly columns: VectorColumns = {
    vector: 'v.vector::text',
    cosine: '1 - (v.vector <=> :query::halfvec)',
    parameter: vectorText,
    read: vectorOf,
  };
  readonly #sql: Sql;
  readonly #owner: PostgresSql;
  readonly #maxCompared: number;
  #typeNumber: number | null = null;

  /** @param owner a connection of the user who owns the tables, and may make their indexes */
  constructor(sql: Sql, owner: PostgresSql, maxCompared: number = MAX_COMPARED) {
    this.#sql = sql;
    this.#owner = owner;
    this.#maxCompared = maxCompared;
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
    const { join, sql: condition, parameters } = filter.passage;
    const values = {
      ns,
      query: vectorText(query.vector),
      generation: query.generation,
      limit,
      ...parameters,
    };
    const compareAll = `
      SELECT p.id, p.record, 1 - near.distance AS score
      FROM (SELECT hash, vector <=> :query::halfvec AS distance FROM embedding
        WHERE ns = :ns AND generation = :generation OFFSET 0) AS near
      JOIN passage AS p ON p.ns = :ns AND p.hash = near.hash ${join}
      WHERE ${condition} ORDER BY near.distance, p.id LIMIT :limit`;
    const all = async (): Promise<PassageScore[]> => (await this.#sql.all(compareAll, values)).map(scoreOf);
    if (query.vector.length > MAX_INDEXED_DIMENSIONS) return all();
    // The number of passages is near to that of vectors, and stands in the state of the namespace.
    const rows = await this.#sql.all(
      `WITH size AS MATERIALIZED (SELECT text_passages > :most AS is_large FROM namespace_state WHERE ns = :ns)
       SELECT size.is_large, found.id, found.record, found.score FROM size LEFT JOIN (
         SELECT * FROM (${compareAll}) AS compared WHERE NOT (SELECT is_large FROM size)
         UNION ALL SELECT * FROM (${nearest(query, filter)}) AS near WHERE (SELECT is_large FROM size)) AS found ON TRUE
       ORDER BY found.score DESC, found.id`,
      { ...values, most: this.#maxCompared },
    );
    const found = rows.filter((row) => row['id'] !== null).map(scoreOf);
    const isEnough = found.length >= limit || rows[0]?.['is_large'] !== 1;
    return isEnough ? found : ((await this.#sql.within(deadline, all)) ?? found);
  }

  async vectors(ns: number, ids: readonly number[]): Promise<Map<number, Float32Array>> {
    const rows = await this.#sql.all(
      `SELECT id, vector::text AS vector FROM embedding WHERE ns = :ns AND ${this.#sql.dialect.isIn('id', 'ids')}`,
      { ns, ids },
    );
    return new Map(rows.map((row) => [Number(row['id']), vectorOf(row['vector'])]));
  }

  /** Writers of the same contents add them in one order, so that none waits for another that waits for it. */
  async put(
    ns: number,
    generation: number,
    vectors: readonly VectorWrite[],
    sentences: SentenceVectors,
  ): Promise<void> {
    const dimensions = vectors[0]?.vector.length ?? 0;
    const isSound = vectors.every(
      ({ vector }) => vector.length === dimensions && vector.every(Number.isFinite),
    );
    const sorted = vectors.toSorted((a, b) => (a.hash < b.hash ? -1 : 1));
    const add = async (): Promise<void> => {
      // The statement adds nothing to a generation that is gone or has other dimensions, nor to a namespace that is being removed: that
      // waits for it.
      const added =
        sorted.length > 0 && isSound
          ? await this.#sql.run(
              `INSERT INTO embedding (ns, generation, hash, vector)
               SELECT :ns, g.id, decode(each.hash, 'hex'), each.vector
               FROM generation AS g,
                 (SELECT 1 FROM namespace_state WHERE ns = :ns AND removed = 0 FOR KEY SHARE) AS kept,
                 unnest(:hashes::text[], :vectors::halfvec[]) AS each(hash, vector)
               WHERE g.id = :generation AND g.dimensions = :dimensions ON CONFLICT DO NOTHING`,
              {
                ...{ ns, generation, dimensions, hashes: sorted.map(({ hash }) => hash) },
                vectors: binaryArray(
                  await this.#halfvec(),
                  sorted.map(({ vector }) => vector),
                ),
              },
            )
          : 0;
      if (added === 0 && sorted.length > 0) await assertKept(this.#sql, ns);
      if (added === 0 || sentences.size > 0)
        assertVectors(await generationById(this.#sql, generation), vectors, sentences);
    };
    if (sentences.size === 0) await add();
    else
      await this.#sql.transaction(async () => {
        await add();
        await this.#addSentences(ns, generation, sentences);
      });
  }

  /** The number of the type, which each database has given to it. */
  async #halfvec(): Promise<number> {
    this.#typeNumber ??= Number(
      (await this.#sql.get(`SELECT 'halfvec'::regtype::oid::bigint AS id`))?.['id'],
    );
    return this.#typeNumber;
  }

  async #addSentences(ns: number, generation: number, sentences: SentenceVectors): Promise<void> {
    const rows = Array.from(sentences, ([hash, vectors]) => ({
      hash,
      components: `{${vectors.map((vector) => `"${vectorText(vector)}"`).join(',')}}`,
    }));
    await this.#sql.change(
      `INSERT INTO sentence_vector (ns, vector, components)
       SELECT v.ns, v.id, each.components::halfvec[]
       FROM ${this.#sql.dialect.rows('rows', { hash: 'text', components: 'text' })} AS each
       JOIN embedding AS v ON v.ns = :ns AND v.generation = :generation AND v.hash = decode(each.hash, 'hex')
       ORDER BY v.hash ON CONFLICT DO NOTHING`,
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

  async sentenceCosines(
    ns: number,
    { generation, vector }: QueryVector,
    passages: readonly number[],
  ): Promise<Map<number, number>> {
    const rows = await this.#sql.all(
      `SELECT p.id, (SELECT max(1 - (sentence <=> :query::halfvec)) FROM unnest(s.components) AS sentence) AS score
       FROM ${this.#sql.dialect.list('passages', 'integer')} AS requested
       JOIN passage AS p ON p.ns = :ns AND p.id = requested.value
       JOIN embedding AS v ON v.ns = p.ns AND v.generation = :generation AND v.hash = p.hash
       JOIN sentence_vector AS s ON s.ns = v.ns AND s.vector = v.id
       WHERE cardinality(s.components) > 0`,
      { ns, generation, query: vectorText(vector), passages },
    );
    return new Map(rows.map((row) => [Number(row['id']), Number(row['score'])]));
  }

  async rebuild(): Promise<void> {
    // Searches scan the vectors themselves.
  }

  async verify(): Promise<string[]> {
    return [];
  }

  /** An index that is there while vectors are added takes most of the time of a large load, so that it is made afterwards. */
  async needsIndex({ id, dimensions }: VectorSet): Promise<boolean> {
    if (createVectorIndex(id, dimensions) === null) return false;
    const made = await this.#owner.get(
      `SELECT coalesce((SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(:name)), FALSE) AS is_valid,
         relkind = 'p' AS has_parts FROM pg_class WHERE oid = 'embedding'::regclass`,
      { name: vectorIndexName(id) },
    );
    // The index of a table in parts cannot be made while others write: docs/postgres.md.
    if (made?.['is_valid'] === 1 || made?.['has_parts'] === 1) return false;
    // Not all rows are counted. The owner sees those of all namespaces.
    const isLarge = 'SELECT 1 FROM embedding WHERE generation = :id OFFSET :most LIMIT 1';
    return (await this.#owner.get(isLarge, { id, most: this.#maxCompared })) !== undefined;
  }

  /**
   * Writes go on while the index is made: also one without vectors takes a scan of those of all generations. Of several processes that
   * make it at the same time, PostgreSQL may stop one because of a deadlock, which leaves an index that is not valid.
   */
  async createIndex({ id, dimensions }: VectorSet): Promise<void> {
    const statement = createVectorIndex(id, dimensions);
    const name = vectorIndexName(id);
    for (let attempt = 1; statement !== null && attempt <= MAX_ATTEMPTS; attempt++) {
      const found = await this.#sql.get(
        `SELECT i.indisvalid AS is_valid, EXISTS (
           SELECT 1 FROM pg_stat_progress_create_index AS p WHERE p.index_relid = i.indexrelid) AS is_being_made
         FROM pg_index AS i WHERE i.indexrelid = to_regclass(:name)`,
        { name },
      );
      if (found?.['is_valid'] === 1 || found?.['is_being_made'] === 1) return;
      if (found !== undefined) await this.#owner.make(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
      if ((await this.#owner.make(statement)) === 'denied')
        throw new LociError('unreadable', 'only the owner of the tables can make the index of new vectors', {
          hint: `Name the owner's connection in store.directConnectionString, or let the owner run \`${statement};\``,
        });
    }
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

/** The index has the expression and the number of the generation as they stand here. It gives nearly the right order. */
function nearest(
  { generation, vector: { length } }: QueryVector,
  { passage: { join, sql: condition } }: PassageFilter,
): string {
  const distance = `v.vector::halfvec(${String(length)}) <=> :query::halfvec(${String(length)})`;
  return `SELECT p.id, p.record, 1 - (${distance}) AS score
    FROM embedding AS v JOIN passage AS p ON p.ns = :ns AND p.hash = v.hash ${join}
    WHERE v.generation = ${String(generation)} AND v.ns = :ns AND ${condition} ORDER BY ${distance} LIMIT :limit`;
}

function scoreOf(row: Row): PassageScore {
  return { passage: Number(row['id']), record: Number(row['record']), score: Number(row['score']) };
}

function vectorOf(text: unknown): Float32Array {
  return Float32Array.from(JSON.parse(String(text)) as number[]);
}
