import { LRUCache } from 'lru-cache';
import type { Deadline } from '../../../core/time/deadline.ts';
import type { PassageScore, QueryVector, SentenceVectors, VectorWrite } from '../../search-model.ts';
import type { VectorIndex } from '../../sql/driver.ts';
import type { PassageFilter } from '../../sql/filter.ts';
import { generationById } from '../../sql/generations.ts';
import { assertKept } from '../../sql/namespace.ts';
import { assertVectors } from '../../rules/validation.ts';
import type { Database } from '../database/database.ts';
import { named, SqliteSql } from '../database/sqlite-sql.ts';
import {
  CODE_BYTES,
  components,
  dequantised,
  parts,
  product,
  quantise,
  signCode,
  SignCodes,
  VectorSlots,
} from './codes.ts';

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

/** Quantised vectors in a table, and sign codes of them in memory. */
export class SqliteVectorIndex implements VectorIndex {
  readonly columns = null;
  readonly #db: Database;
  readonly #codes: CodeCache;
  readonly #cache: VectorCache;

  constructor(db: Database) {
    this.#db = db;
    this.#codes = new CodeCache(db);
    this.#cache = new VectorCache(db);
  }

  /**
   * The Hamming distances of sign codes give a shortlist, whose int8 vectors are scored with the float32 query. The result
   * contains every passage with one of the best vectors. If too few vectors of the shortlist pass the filter, the scan is
   * repeated among those that do.
   */
  async search(
    ns: number,
    { generation, vector }: QueryVector,
    filter: PassageFilter,
    limit: number,
    deadline: Deadline,
  ): Promise<PassageScore[]> {
    const codes = this.#codes.get(ns, generation);
    if (codes.size === 0) return [];
    const query = signCode(vector);
    const shortlist = Math.max(codes.size > SMALL_NAMESPACE ? SHORTLIST : SMALL_SHORTLIST, limit * 2);
    const minPassed = filter.isSelective ? shortlist * MIN_PASSED : 0;
    const scan = (count: number, allowedIds?: Uint32Array): Rescored =>
      rescore(
        this.#db,
        ns,
        this.#cache.scores(codes.nearest(query, count, allowedIds), vector),
        filter,
        limit,
      );
    const { scores, passed } = scan(shortlist);
    const isEnough = shortlist >= codes.size || (scores.length >= limit && passed >= minPassed);
    if (isEnough || deadline.isPast) return scores;
    const allowed = allowedVectors(this.#db, ns, generation, filter);
    return allowed === null ? scan(shortlist * SHORTLIST_FACTOR).scores : scan(shortlist, allowed).scores;
  }

  async cosines(_ns: number, ids: readonly number[], query: Float32Array): Promise<Map<number, number>> {
    return new Map(this.#cache.scores(ids, query).map(({ vector, score }) => [vector, score]));
  }

  async vectors(_ns: number, ids: readonly number[]): Promise<Map<number, Float32Array>> {
    const rows = this.#db
      .prepare('SELECT id, quantised FROM embedding WHERE id IN (SELECT value FROM json_each(?))')
      .all(JSON.stringify(ids));
    return new Map(rows.map((row) => [row['id'] as number, dequantised(row['quantised'] as Uint8Array)]));
  }

  async put(
    ns: number,
    generation: number,
    vectors: readonly VectorWrite[],
    sentences: SentenceVectors,
  ): Promise<void> {
    const sql = new SqliteSql(this.#db);
    await sql.transaction(async () => {
      // Within the transaction, because another process may remove the generation.
      assertVectors(await generationById(sql, generation), vectors, sentences);
      await assertKept(sql, ns);
      this.#db.runForEach(
        'INSERT INTO embedding (ns, generation, hash, quantised) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
        vectors.map(({ hash, vector }) => [ns, generation, Buffer.from(hash, 'hex'), quantise(vector)]),
      );
      packSignCodes(this.#db, ns, generation);
      this.#db.runForEach(
        `INSERT INTO sentence_vector (vector, quantised)
         SELECT id, ? FROM embedding WHERE ns = ? AND generation = ? AND hash = ? ON CONFLICT DO NOTHING`,
        Array.from(sentences, ([hash, each]) => [
          Buffer.concat(each.map(quantise)),
          ns,
          generation,
          Buffer.from(hash, 'hex'),
        ]),
      );
    });
  }

  async sentences(
    ns: number,
    generation: number,
    dimensions: number,
    hashes: readonly string[],
  ): Promise<Map<string, Float32Array[]>> {
    const size = quantise(new Float32Array(dimensions)).length;
    const rows = this.#db
      .prepare(
        `SELECT wanted.value AS hash, s.quantised FROM json_each(?) AS wanted
         CROSS JOIN embedding AS v ON v.ns = ? AND v.generation = ? AND v.hash = unhex(wanted.value)
         CROSS JOIN sentence_vector AS s ON s.vector = v.id`,
      )
      .all(JSON.stringify(hashes), ns, generation);
    return new Map(
      rows.map((row) => [
        row['hash'] as string,
        parts(row['quantised'] as Uint8Array, size).map(dequantised),
      ]),
    );
  }

  async sentenceCosines(
    ns: number,
    { generation, vector }: QueryVector,
    passages: readonly number[],
  ): Promise<Map<number, number>> {
    const size = quantise(vector).length;
    const rows = this.#db
      .prepare(
        `SELECT p.id, s.quantised FROM json_each(?) AS wanted
         CROSS JOIN passage AS p ON p.id = wanted.value AND p.ns = ?
         CROSS JOIN embedding AS v ON v.ns = p.ns AND v.generation = ? AND v.hash = p.hash
         CROSS JOIN sentence_vector AS s ON s.vector = v.id
         WHERE (SELECT max(vector) FROM sentence_vector) IS NOT NULL`,
      )
      .all(JSON.stringify(passages), ns, generation);
    return new Map(
      rows.flatMap((row) => {
        const cosines = parts(row['quantised'] as Uint8Array, size).map((each) => product(each, vector));
        return cosines.length === 0 ? [] : [[row['id'] as number, Math.max(...cosines)]];
      }),
    );
  }

  /** Packs the codes of the remaining vectors again. The new epoch makes every process load them again. */
  async rebuild(ns: number): Promise<void> {
    this.#db.prepare('DELETE FROM code_chunk WHERE ns = ?').run(ns);
    for (const { id } of this.#db.prepare('SELECT id FROM generation').all())
      packSignCodes(this.#db, ns, Number(id));
    this.#db.prepare('UPDATE vector_epoch SET epoch = epoch + 1').run();
  }

  async verify(ns: number, limit: number): Promise<string[]> {
    const chunks = this.#db.prepare('SELECT generation, vectors, codes FROM code_chunk WHERE ns = ?');
    const vector = this.#db.prepare(
      'SELECT quantised FROM embedding WHERE id = ? AND ns = ? AND generation = ?',
    );
    const findings: string[] = [];
    for (const row of chunks.iterate(ns)) {
      const ids = new Uint32Array((row['vectors'] as Uint8Array).slice().buffer);
      const codes = Buffer.from(row['codes'] as Uint8Array);
      for (const [slot, id] of ids.entries()) {
        const found = vector.get(id, ns, Number(row['generation']));
        const real = found === undefined ? null : signCode(components(found['quantised'] as Uint8Array));
        const code = codes.subarray(slot * CODE_BYTES, (slot + 1) * CODE_BYTES);
        if (real === null || !code.equals(real))
          findings.push(`the code of vector ${String(id)} does not match the vector`);
        if (findings.length >= limit) return findings;
      }
    }
    return findings;
  }

  async needsIndex(): Promise<boolean> {
    return false;
  }

  async createIndex(): Promise<void> {
    // Sign codes are scanned.
  }

  /** The new epoch makes every process drop the sign codes of the generation. */
  async removeGeneration(generation: number): Promise<number> {
    this.#db.prepare('DELETE FROM code_chunk WHERE generation = ?').run(generation);
    const { changes } = this.#db.prepare('DELETE FROM embedding WHERE generation = ?').run(generation);
    this.#db.prepare('UPDATE vector_epoch SET epoch = epoch + 1').run();
    return Number(changes);
  }
}

/** Packs every full run of 512 new vectors into a blob of codes. */
function packSignCodes(db: Database, ns: number, generation: number): void {
  for (;;) {
    const rows = db.prepare(
      `SELECT id, quantised FROM embedding WHERE ns = ?1 AND generation = ?2 AND id > coalesce(
           (SELECT max(last_vector) FROM code_chunk WHERE ns = ?1 AND generation = ?2), 0)
         ORDER BY id LIMIT ${String(CHUNK_ROWS)}`,
    );
    // The last vector of the next run, which exists only if the run is full. Counting all new vectors would be slower.
    const last = db
      .prepare(
        `SELECT id FROM embedding WHERE ns = ?1 AND generation = ?2 AND id > coalesce(
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

/** The ids of the vectors that pass the filter, ascending. Returns `null` if there are too many. */
function allowedVectors(
  db: Database,
  ns: number,
  generation: number,
  { record }: PassageFilter,
): Uint32Array | null {
  const rows = db
    .prepare(
      `SELECT v.id FROM record AS r
       CROSS JOIN passage AS p INDEXED BY passage_record ON p.ns = r.ns AND p.record = r.id
       CROSS JOIN embedding AS v ON v.ns = p.ns AND v.generation = :generation AND v.hash = p.hash
       WHERE r.ns = :ns AND ${record.sql} LIMIT ${String(MAX_ALLOWED + 1)}`,
    )
    .all(named({ generation, ns, ...record.parameters }));
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
  filter: PassageFilter,
  limit: number,
): Rescored {
  const batch = filter.isSelective ? best.length : limit;
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
  { passage: { join, sql, parameters } }: PassageFilter,
): (PassageScore & { vector: number })[] {
  // CROSS JOIN keeps SQLite from starting with all passages. One value is read faster than hundreds of rows.
  const found = db
    .prepare(
      `SELECT json_group_array(near.key) AS keys, json_group_array(p.id) AS passages,
         json_group_array(p.record) AS records FROM json_each(:ids) AS near
       CROSS JOIN embedding AS v ON v.id = near.value
       CROSS JOIN passage AS p ON p.ns = v.ns AND p.hash = v.hash ${join}
       WHERE p.ns = :ns AND ${sql}`,
    )
    .get(named({ ids: scored.map(({ vector }) => vector), ns, ...parameters }));
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

/** Bytes of the codes in memory, of all namespaces together. */
const MAX_BYTES = 75_000_000;
/** A code, its id, and the memory in which the kernel compares it. */
const BYTES_PER_CODE = 60;
/** The size of an entry in addition to its codes, because its memory has spare capacity. */
const BASE_BYTES = 60_000;

interface Loaded {
  readonly codes: SignCodes;
  readonly epoch: number;
}

/** Sign codes by namespace and generation. They are loaded at first use, and refreshed after any process has written. */
class CodeCache {
  readonly #db: Database;
  readonly #loaded = new LRUCache<string, Loaded>({
    maxSize: MAX_BYTES,
    // At most the whole cache, so that a huge namespace is cached alone.
    sizeCalculation: ({ codes }) => Math.min(MAX_BYTES, BASE_BYTES + codes.size * BYTES_PER_CODE),
  });
  /** The entries that are current as of `#dataVersion`. */
  readonly #current = new Set<string>();
  #dataVersion = -1;

  constructor(db: Database) {
    this.#db = db;
  }

  get(ns: number, generation: number): SignCodes {
    const name = `${String(ns)}/${String(generation)}`;
    // SQLite changes this number when another connection has committed.
    const version = Number(this.#db.prepare('PRAGMA data_version').get()?.['data_version']);
    if (version !== this.#dataVersion) {
      this.#dataVersion = version;
      this.#current.clear();
    }
    const loaded = this.#loaded.get(name);
    if (loaded !== undefined && this.#current.has(name)) return loaded.codes;
    return this.#db.snapshot(() => this.#refresh(name, ns, generation, loaded));
  }

  #refresh(name: string, ns: number, generation: number, loaded: Loaded | undefined): SignCodes {
    const epoch = Number(this.#db.prepare('SELECT epoch FROM vector_epoch').get()?.['epoch']);
    const codes = loaded?.epoch === epoch ? loaded.codes : this.#load(ns, generation);
    this.#appendNew(codes, ns, generation);
    this.#loaded.set(name, { codes, epoch });
    this.#current.add(name);
    return codes;
  }

  #load(ns: number, generation: number): SignCodes {
    const count = this.#db.prepare(
      'SELECT total(length(vectors)) / 4 AS n FROM code_chunk WHERE ns = ? AND generation = ?',
    );
    const codes = new SignCodes(Number(count.get(ns, generation)?.['n']));
    const chunks = this.#db.prepare(
      'SELECT vectors, codes FROM code_chunk WHERE ns = ? AND generation = ? ORDER BY last_vector',
    );
    for (const row of chunks.iterate(ns, generation)) {
      const ids = (row['vectors'] as Uint8Array).slice();
      codes.append(new Uint32Array(ids.buffer), row['codes'] as Uint8Array);
    }
    return codes;
  }

  /** Adds the codes of vectors that were written since the last refresh. */
  #appendNew(codes: SignCodes, ns: number, generation: number): void {
    const newer = this.#db.prepare(
      'SELECT id, quantised FROM embedding WHERE ns = ? AND generation = ? AND id > ? ORDER BY id',
    );
    const rows = newer.all(ns, generation, codes.lastVector);
    const ids = Uint32Array.from(rows, (row) => Number(row['id']));
    const bytes = new Uint8Array(rows.length * CODE_BYTES);
    for (const [i, row] of rows.entries()) {
      bytes.set(signCode(components(row['quantised'] as Uint8Array)), i * CODE_BYTES);
    }
    codes.append(ids, bytes);
  }
}

interface VectorScore {
  readonly vector: number;
  readonly score: number;
}

/** Quantised vectors by id. An entry is always current: a vector never changes, and ids are never reused. */
class VectorCache {
  readonly #db: Database;
  /** By the length of the vectors, since a store may have several models. */
  readonly #slots = new Map<number, VectorSlots>();

  constructor(db: Database) {
    this.#db = db;
  }

  /**
   * Dot products of vectors with the query, best first, ties by id.
   *
   * @param ids vectors of the length of the query; those that are gone are left out
   */
  scores(ids: readonly number[], query: Float32Array): VectorScore[] {
    const slots = this.#slotsFor(query.length);
    const scores: VectorScore[] = [];
    for (let start = 0; start < ids.length; start += slots.capacity) {
      const present = this.#load(slots, ids.slice(start, start + slots.capacity));
      const products = slots.dots(present, query);
      for (const [i, vector] of present.entries()) scores.push({ vector, score: products[i]! });
    }
    return scores.sort((a, b) => b.score - a.score || a.vector - b.vector);
  }

  #slotsFor(dimensions: number): VectorSlots {
    const found = this.#slots.get(dimensions) ?? new VectorSlots(dimensions);
    this.#slots.set(dimensions, found);
    return found;
  }

  /** The ids that have a vector, all of which are in the slots afterwards. */
  #load(slots: VectorSlots, ids: readonly number[]): readonly number[] {
    const missing = ids.filter((id) => !slots.has(id));
    if (missing.length === 0) return ids;
    const rows = this.#db
      .prepare('SELECT id, quantised FROM embedding WHERE id IN (SELECT value FROM json_each(?))')
      .all(JSON.stringify(missing));
    const kept = new Set(ids);
    for (const row of rows) slots.set(row['id'] as number, row['quantised'] as Uint8Array, kept);
    return rows.length === missing.length ? ids : ids.filter((id) => slots.has(id));
  }
}
