import { rm } from 'node:fs/promises';
import path from 'node:path';
import { LociError, messageOf } from '../../core/errors.ts';
import { shortHash } from '../../core/ids.ts';
import { Semaphore } from '../../core/threads/semaphore.ts';
import { ArrowRows, type PassageRow, type Vectors } from './arrow-rows.ts';
import type { Connection, Lancedb, LancedbPackage, LanceQuery, LanceTable } from './package.ts';

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

export interface TableOptions {
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

  /** Opens a table, which another process may write; `null` if there is none that can be opened. */
  static async open(
    name: string,
    { loaded, connection, dimensions }: TableOptions,
  ): Promise<PassageTable | null> {
    const table = await connection.openTable(name).catch((error: unknown) => {
      if (mayBeDamage(error)) return null;
      throw error;
    });
    return table === null ? null : new PassageTable(table, loaded, new ArrowRows(loaded.arrow, dimensions));
  }

  /** Opens a table, or makes it if there is none that can be opened. */
  static async openOrMake(name: string, options: TableOptions): Promise<PassageTable> {
    const { loaded, connection, dimensions, folder } = options;
    let table = await PassageTable.open(name, options);
    if (table === null) {
      await rm(path.join(folder, `${name}.lance`), { recursive: true, force: true });
      const rows = new ArrowRows(loaded.arrow, dimensions);
      table = new PassageTable(await connection.createEmptyTable(name, rows.schema), loaded, rows);
    }
    if ((await table.#table.indexStats(WORDS_INDEX)) === undefined) await table.#makeIndex();
    return table;
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

  #makeIndex(): Promise<void> {
    const config = this.#lancedb.Index.fts(WORDS_INDEX_OPTIONS);
    return this.#change(() => this.#table.createIndex('words', { config }));
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
