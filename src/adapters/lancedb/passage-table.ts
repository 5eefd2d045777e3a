import { readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { LociError, messageOf } from '../../core/errors.ts';
import { shortHash } from '../../core/ids.ts';
import { Semaphore } from '../../core/threads/semaphore.ts';
import { type LocatedPool, type Pool, seersOf } from '../pools/pool-set.ts';
import type {
  Arrow,
  ArrowSchema,
  ArrowTable,
  Connection,
  LanceQuery,
  LanceTable,
  Lancedb,
  LancedbPackage,
} from './package.ts';

const VECTOR = 'vector';
const WORDS_INDEX = 'words_idx';

/**
 * Words of all languages, with those of Chinese, Japanese and Thai by a dictionary, and the stems of English. Function words are left
 * out of queries, whose language is known.
 */
const WORDS_INDEX_OPTIONS = {
  baseTokenizer: 'icu/split',
  language: 'English',
  stem: true,
  removeStopWords: false,
  lowercase: true,
  asciiFolding: true,
  withPosition: false,
  maxTokenLength: 128,
};

/** Rows that are not in the index are searched one by one, which takes 2 ms for this many, and a query may search them for each word. */
const MAX_ROWS_OUT_OF_INDEX = 100;
/** While much is written, this share of the rows may be out of the index, so that indexing takes linear time. */
const MAX_SHARE_OUT_OF_INDEX = 0.25;
/** The length of a condition. */
const NOTES_OF_DELETE = 5000;
/** Each write adds a version and files. While much is written, the number of rows decides. */
const MAX_VERSIONS = 20;
/** Queries, also those of other processes, read a version for a moment after there is a newer one. */
const VERSION_LIFETIME_MS = 10_000;

interface TableOptions {
  readonly loaded: LancedbPackage;
  readonly connection: Connection;
  /** Of the vectors; `null` for a table without any. */
  readonly dimensions: number | null;
  /** Where the tables are. */
  readonly folder: string;
}

/** A part of a query, and what its score is multiplied by. */
export interface WeightedWords {
  readonly text: string;
  readonly boost: number;
}

export interface ScoredPassage extends Pick<PassageRow, 'id' | 'note'> {
  readonly score: number;
}

/** The passages of pools that the same agents see. Conditions have ids and hashes only, so that no text of a note or pool is in them. */
export class PassageTable {
  readonly #table: LanceTable;
  readonly #arrow: ArrowRows;
  readonly #lancedb: Lancedb;
  /** Writes of one process wait for each other, because those that meet fail. */
  readonly #writes = new Semaphore(1);

  private constructor(table: LanceTable, { lancedb }: LancedbPackage, arrow: ArrowRows) {
    this.#table = table;
    this.#lancedb = lancedb;
    this.#arrow = arrow;
  }

  /** Opens a table, which another process may write; `null` if there is none that can be searched. */
  static async open(
    name: string,
    { loaded, connection, dimensions }: TableOptions,
  ): Promise<PassageTable | null> {
    try {
      const table = await connection.openTable(name);
      // One whose making was interrupted has no index.
      if ((await table.indexStats(WORDS_INDEX)) === undefined) return null;
      return new PassageTable(table, loaded, new ArrowRows(loaded.arrow, dimensions));
    } catch (error) {
      if (mayBeDamage(error)) return null;
      throw error;
    }
  }

  /** Makes an empty table, in the place of one that cannot be searched. */
  static async make(
    name: string,
    { loaded, connection, dimensions, folder }: TableOptions,
  ): Promise<PassageTable> {
    await removeTable(folder, name);
    const rows = new ArrowRows(loaded.arrow, dimensions);
    const table = await connection.createEmptyTable(name, rows.schema);
    await table.createIndex('words', { config: loaded.lancedb.Index.fts(WORDS_INDEX_OPTIONS) });
    return new PassageTable(table, loaded, rows);
  }

  /** Adds the passages of notes, in the place of those that the table has of these notes. */
  async write(rows: readonly PassageRow[], replaced: readonly string[]): Promise<void> {
    if (rows.length === 0) return this.deleteNotes(replaced);
    const data = this.#arrow.passages(rows);
    if (replaced.length === 0) return this.#change(() => this.#table.add(data));
    const merge = this.#table
      .mergeInsert(['id'])
      .whenMatchedUpdateAll()
      .whenNotMatchedInsertAll()
      .whenNotMatchedBySourceDelete({ where: among('note', replaced) });
    await this.#change(() => merge.execute(data));
  }

  /** Sets the vectors of passages that still have the text that was embedded. */
  async setVectors(passages: readonly Pick<PassageRow, 'id' | 'hash'>[], vectors: Vectors): Promise<void> {
    const done = passages.filter(({ hash }) => vectors.has(hash));
    if (done.length === 0) return;
    const merge = this.#table.mergeInsert(['id', 'hash']).whenMatchedUpdateAll();
    await this.#change(() => merge.execute(this.#arrow.vectors(done, vectors)));
  }

  async deleteNotes(notes: readonly string[]): Promise<void> {
    for (let from = 0; from < notes.length; from += NOTES_OF_DELETE) {
      const where = among('note', notes.slice(from, from + NOTES_OF_DELETE));
      await this.#change(() => this.#table.delete(where));
    }
  }

  /** Removes the notes of all folders but these. */
  async keepFolders(folders: readonly string[]): Promise<void> {
    const others = folders.length === 0 ? 'true' : `NOT (${among('folder', folders)})`;
    if ((await this.count(others)) > 0) await this.#change(() => this.#table.delete(others));
  }

  count(where?: string): Promise<number> {
    return this.#table.countRows(where);
  }

  /** Columns of the rows that meet a condition. */
  async *rows<Column extends keyof PassageRow>(
    columns: readonly Column[],
    where: string,
  ): AsyncGenerator<Pick<PassageRow, Column>> {
    yield* rowsOf<Pick<PassageRow, Column>>(this.#table.query().where(where), columns);
  }

  /** The best passages by their words, with scores of BM25, whose frequencies are those of this table. */
  byWords(parts: readonly WeightedWords[], where: string, limit: number): Promise<ScoredPassage[]> {
    const query = this.#table.query().fullTextSearch(this.#queryOf(parts)).where(where).limit(limit);
    return scored(query, '_score', (score) => score);
  }

  /** The number of passages that have a word of a text, at most `most`. */
  async countMatches(text: string, most: number): Promise<number> {
    const query = this.#table.query().fullTextSearch(this.#queryOf([{ text, boost: 1 }]));
    let count = 0;
    for await (const { numRows } of query.select(['_score']).limit(Math.max(1, most))) count += numRows;
    return count;
  }

  #queryOf(parts: readonly WeightedWords[]): object {
    const { MatchQuery, BooleanQuery, Occur } = this.#lancedb;
    // A text would be a query for phrases if it has quotes.
    const matches = parts.map(({ text, boost }) => new MatchQuery(text, 'words', { boost }));
    return matches.length === 1 ? matches[0]! : new BooleanQuery(matches.map((each) => [Occur.Should, each]));
  }

  /** The best passages by their vectors, with cosines. */
  byVector(vector: Float32Array, where: string, limit: number): Promise<ScoredPassage[]> {
    const query = this.#table
      .vectorSearch(vector)
      .distanceType('dot')
      .where(`${where} AND ${VECTOR} IS NOT NULL`)
      .limit(limit);
    return scored(query, '_distance', (distance) => 1 - distance);
  }

  /** Merges small files, brings the index up to date, and removes old versions, if that is worth its time. */
  async optimize({ isWriting }: { readonly isWriting: boolean }): Promise<void> {
    const { numIndexedRows = 0, numUnindexedRows = 0 } = (await this.#table.indexStats(WORDS_INDEX)) ?? {};
    const allowed = Math.max(MAX_ROWS_OUT_OF_INDEX, isWriting ? MAX_SHARE_OUT_OF_INDEX * numIndexedRows : 0);
    const hasMany = !isWriting && (await this.#table.listVersions()).length > MAX_VERSIONS;
    if (numUnindexedRows <= allowed && !hasMany) return;
    const cleanupOlderThan = new Date(Date.now() - VERSION_LIFETIME_MS);
    await this.#change(() => this.#table.optimize({ cleanupOlderThan }));
  }

  close(): void {
    try {
      this.#table.close();
    } catch {
      // A query that runs still needs it.
    }
  }

  async #change(work: () => Promise<unknown>): Promise<void> {
    await this.#writes.acquire();
    try {
      await work();
    } finally {
      this.#writes.release();
    }
  }
}

/** @param values without quotes, such as hashes */
export function among(column: keyof PassageRow, values: readonly string[]): string {
  return `${column} IN (${values.map((value) => `'${value}'`).join(',')})`;
}

/** A folder as rows name it. Pools on one folder have the same notes. */
export function folderIdOf(root: string): string {
  return shortHash(root);
}

export function foldersOf(pools: readonly { readonly root: string }[]): string[] {
  return [...new Set(pools.map(({ root }) => folderIdOf(root)))];
}

/** Those of a missing or damaged file: no such file, not a directory, is a directory, invalid argument. */
const DAMAGE_ERRNOS = '2|20|21|22';
const SYSTEM_ERROR = new RegExp(`\\(os error (?!(?:${DAMAGE_ERRNOS})\\))`);

/** Whether a table may be damaged. A full disk, a missing permission or too many open files say nothing about it. */
export function mayBeDamage(error: unknown): boolean {
  return !(error instanceof LociError) && !SYSTEM_ERROR.test(messageOf(error));
}

async function scored(
  query: LanceQuery,
  column: '_score' | '_distance',
  scoreOf: (value: number) => number,
): Promise<ScoredPassage[]> {
  const passages: ScoredPassage[] = [];
  const rows = rowsOf<Omit<ScoredPassage, 'score'> & Record<typeof column, number>>(query, [
    'id',
    'note',
    column,
  ]);
  for await (const { id, note, [column]: value } of rows) passages.push({ id, note, score: scoreOf(value) });
  return passages;
}

async function* rowsOf<Row>(query: LanceQuery, columns: readonly string[]): AsyncGenerator<Row> {
  for await (const batch of query.select(columns)) {
    const values = columns.map((column) => batch.getChild(column)!);
    for (let i = 0; i < batch.numRows; i++)
      yield Object.fromEntries(values.map((value, c) => [columns[c]!, value.get(i)])) as Row;
  }
}

/** A passage, as a row. Only the first passage of a note has what concerns the note: the texts of others are empty. */
export interface PassageRow {
  /** The note, `/`, and its number in the note, from 0. */
  readonly id: string;
  /** A hash of the folder and the path. */
  readonly note: string;
  /** A hash of the real path of the pool's folder. */
  readonly folder: string;
  readonly path: string;
  readonly revision: string;
  readonly title: string;
  /** JSON. */
  readonly frontMatter: string;
  readonly words: string;
  readonly textStart: number;
  readonly textEnd: number;
  readonly startLine: number;
  readonly endLine: number;
  /** Of what is embedded. */
  readonly hash: string;
}

/** Vectors by the hash of what was embedded. */
type Vectors = ReadonlyMap<string, Float32Array>;

const TEXTS = [
  ...(['id', 'note', 'folder', 'path', 'revision', 'title', 'frontMatter'] as const),
  ...(['words', 'hash'] as const),
];
const NUMBERS = ['textStart', 'textEnd', 'startLine', 'endLine'] as const;

/** Makes tables of Arrow of passages. LanceDB makes them of objects too, but that blocks the event loop four times as long. */
class ArrowRows {
  readonly schema: ArrowSchema;
  /** Of the vectors; `null` for a table without any. */
  readonly dimensions: number | null;
  readonly #arrow: Arrow;

  constructor(arrow: Arrow, dimensions: number | null) {
    this.#arrow = arrow;
    this.dimensions = dimensions;
    const { Schema, Field, Utf8, Int32, Float32, FixedSizeList } = arrow;
    const vector = (length: number): object =>
      new Field(VECTOR, new FixedSizeList(length, new Field('item', new Float32(), true)), true);
    this.schema = new Schema([
      ...TEXTS.map((name) => new Field(name, new Utf8(), false)),
      ...NUMBERS.map((name) => new Field(name, new Int32(), false)),
      ...(dimensions === null ? [] : [vector(dimensions)]),
    ]);
  }

  /** Passages without vectors, which `vectors` adds. */
  passages(rows: readonly PassageRow[]): ArrowTable {
    return this.#table(this.schema, rows.length, [
      ...TEXTS.map((name) => this.#texts(rows.map((row) => row[name]))),
      ...NUMBERS.map((name) => this.#numbers(rows.map((row) => row[name]))),
      ...(this.dimensions === null ? [] : [this.#vectors(rows, new Map())]),
    ]);
  }

  /** The id, hash and vector of passages. All of them have one. */
  vectors(passages: readonly Pick<PassageRow, 'id' | 'hash'>[], vectors: Vectors): ArrowTable {
    const names: readonly string[] = ['id', 'hash', VECTOR];
    const fields = this.schema.fields.filter(({ name }) => names.includes(name));
    return this.#table(new this.#arrow.Schema(fields), passages.length, [
      this.#texts(passages.map(({ id }) => id)),
      this.#texts(passages.map(({ hash }) => hash)),
      this.#vectors(passages, vectors),
    ]);
  }

  #texts(values: readonly string[]): object {
    const wellFormed = values.map((value) => value.toWellFormed());
    return this.#arrow.vectorFromArray(wellFormed, new this.#arrow.Utf8()).data[0];
  }

  #numbers(values: readonly number[]): object {
    return this.#arrow.makeData({ type: new this.#arrow.Int32(), data: Int32Array.from(values) });
  }

  #vectors(rows: readonly Pick<PassageRow, 'hash'>[], vectors: Vectors): object {
    const dimensions = this.dimensions!;
    const data = new Float32Array(rows.length * dimensions);
    const nullBitmap = new Uint8Array(Math.ceil(rows.length / 8));
    let nullCount = 0;
    for (const [i, { hash }] of rows.entries()) {
      const vector = vectors.get(hash);
      if (vector === undefined) nullCount++;
      else {
        data.set(vector, i * dimensions);
        nullBitmap[i >> 3]! |= 1 << (i & 7);
      }
    }
    const child = this.#arrow.makeData({ type: new this.#arrow.Float32(), data });
    const { type } = this.schema.fields.find(({ name }) => name === VECTOR)!;
    return this.#arrow.makeData({ type, length: rows.length, nullCount, nullBitmap, child });
  }

  #table(schema: ArrowSchema, length: number, children: readonly object[]): ArrowTable {
    const type = new this.#arrow.Struct(schema.fields);
    const data = this.#arrow.makeData({ type, length, nullCount: 0, children });
    return new this.#arrow.Table(new this.#arrow.RecordBatch(schema, data));
  }
}

/** The tables of all models. The folder may have others. */
const OWN_TABLE = /^(passages-[0-9a-f]{12}-[0-9a-f]{12})\.lance$/;

/** The pools of a table, which the same agents see. */
export interface PoolGroup<P extends Pool = LocatedPool> {
  readonly table: PassageTable;
  readonly pools: readonly P[];
}

/**
 * The tables of a model, one for each group of pools that the same agents see: the frequencies of words are those of a table, and would
 * tell what is in pools that an agent does not see.
 */
export class PoolTables {
  readonly #options: TableOptions;
  readonly #model: string;
  /** Those that are open, or being opened or made. */
  readonly #open = new Map<string, Promise<PassageTable | null>>();

  /** @param model how the names of its tables begin */
  constructor(model: string, options: TableOptions) {
    this.#model = model;
    this.#options = options;
  }

  /** The tables that are open. */
  async open(): Promise<PassageTable[]> {
    return (await Promise.all(this.#open.values())).filter((table) => table !== null);
  }

  #nameOf(pool: Pick<Pool, 'roles' | 'agents'>): string {
    return `${this.#model}-${shortHash(seersOf(pool)).slice(0, 12)}`;
  }

  /** The tables of pools, as far as there are any. */
  async toRead<P extends Pool>(pools: readonly P[]): Promise<PoolGroup<P>[]> {
    const groups: PoolGroup<P>[] = [];
    for (const [name, those] of Map.groupBy(pools, (pool) => this.#nameOf(pool))) {
      const table = await this.#opened(name);
      if (table !== null) groups.push({ table, pools: those });
    }
    return groups;
  }

  /** The tables of pools, and those that had pools before, for which the list is empty. Queries may still read these. */
  async toWrite(pools: readonly LocatedPool[]): Promise<PoolGroup[]> {
    const byName = Map.groupBy(pools, (pool) => this.#nameOf(pool));
    const { folder } = this.#options;
    for (const entry of readdirSync(folder)) {
      const name = OWN_TABLE.exec(entry)?.[1];
      if (name !== undefined && !byName.has(name) && !this.#open.has(name)) await removeTable(folder, name);
    }
    for (const name of byName.keys()) if ((await this.#opened(name)) === null) await this.#make(name);
    const groups = [...this.#open].map(async ([name, opening]) => {
      const byRoot = new Map(byName.get(name)?.map((pool) => [pool.root, pool]));
      const table = await opening;
      return table === null ? [] : [{ table, pools: [...byRoot.values()] }];
    });
    return (await Promise.all(groups)).flat();
  }

  #opened(name: string): Promise<PassageTable | null> {
    return this.#open.get(name) ?? this.#keep(name, PassageTable.open(name, this.#options));
  }

  #make(name: string): Promise<PassageTable | null> {
    return this.#keep(name, PassageTable.make(name, this.#options));
  }

  /** Queries that come while a table is opened or made wait for it. */
  #keep(name: string, opening: Promise<PassageTable | null>): Promise<PassageTable | null> {
    const forget = (): void => {
      if (this.#open.get(name) === opening) this.#open.delete(name);
    };
    this.#open.set(name, opening);
    opening.then((table) => {
      if (table === null) forget();
    }, forget);
    return opening;
  }

  /** Makes the open tables anew, and empty. What tables have is derived. */
  async makeAnew(): Promise<void> {
    await Promise.all([...this.#open.keys()].map((name) => this.#make(name)));
  }

  /** Opens tables again when they are needed: another process may have made others. */
  forget(): void {
    this.#open.clear();
  }

  async close(): Promise<void> {
    for (const table of await this.open().catch(() => [])) table.close();
    this.forget();
  }
}

function removeTable(folder: string, name: string): Promise<void> {
  return rm(path.join(folder, `${name}.lance`), { recursive: true, force: true });
}
