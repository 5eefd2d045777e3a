import type { SQLInputValue } from 'node:sqlite';
import {
  columnsOf,
  conflictClause,
  type Dialect,
  KEYS,
  type Parameters,
  type Row,
  type Sql,
  type Table,
} from '../../sql/sql.ts';
import type { Deadline } from '../../../core/time/deadline.ts';
import type { Database } from './database.ts';
import { guardedAsync } from './store-file.ts';

/** Without statistics, SQLite often chooses the wrong order or index, so that the statements say them. */
export const SQLITE_DIALECT: Dialect = {
  isRemote: false,
  join: 'CROSS JOIN',
  index: (name) => `INDEXED BY ${name}`,
  // SQLite still finds rows by their integer key.
  byKey: 'NOT INDEXED',
  list: (parameter) => `json_each(:${parameter})`,
  rows: (parameter, columns) => {
    const names = Object.keys(columns).map((name) => `value ->> '${name}' AS ${name}`);
    return `(SELECT ${names.join(', ')} FROM json_each(:${parameter}))`;
  },
  isIn: (column, parameter) => `${column} IN (SELECT value FROM json_each(:${parameter}))`,
  jsonList: (expression, order) =>
    `json_group_array(${expression}${order === undefined ? '' : ` ORDER BY ${order}`})`,
  json: (columns) => `json_array(${columns.join(', ')})`,
  hex: (column) => `lower(hex(${column}))`,
  sentenceOf: 's.vector = embedding.id',
  foldTag: (expression) => `fold_tag(${expression})`,
  matchesGlob: (column, parameter) => `matches_glob(:${parameter}, ${column})`,
  globParameter: (glob) => glob,
  now: "CAST(1000000 * unixepoch('subsec') AS INTEGER)",
  entries: (column) => `json_each(iif(json_valid(${column}), ${column}, '[]'))`,
  isTrue: (column, key) =>
    `(CASE WHEN json_valid(${column}) THEN json_type(${column}, '$.${key}') IS 'true' ELSE FALSE END)`,
  isJson: (column) => `json_valid(${column})`,
  isTextList: (column) => `(CASE WHEN NOT json_valid(${column}) OR json_type(${column}) <> 'array' THEN FALSE
    ELSE NOT EXISTS (SELECT 1 FROM json_each(${column}) AS each WHERE each.type <> 'text') END)`,
  // SQLite alone refuses objects that are nested more than 1,000 times.
  isObject: (column) =>
    `(CASE WHEN json_valid(${column}) THEN json_type(${column}) = 'object' ELSE is_object(${column}) END)`,
  // An immediate transaction locks the whole file.
  forUpdate: '',
};

/** The statements of both databases, run by SQLite in the calling thread. The promises resolve without leaving the thread. */
export class SqliteSql implements Sql {
  readonly dialect: Dialect = SQLITE_DIALECT;
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async all(statement: string, parameters: Parameters = {}): Promise<Row[]> {
    return this.#db.prepare(statement).all(named(parameters)) as Row[];
  }

  async get(statement: string, parameters: Parameters = {}): Promise<Row | undefined> {
    return this.#db.prepare(statement).get(named(parameters)) as Row | undefined;
  }

  async run(statement: string, parameters: Parameters = {}): Promise<number> {
    return Number(this.#db.prepare(statement).run(named(parameters)).changes);
  }

  async change(statement: string, parameters: Parameters = {}): Promise<void> {
    this.#db.prepare(statement).run(named(parameters));
  }

  async write(
    table: Table,
    rows: readonly Row[],
    onConflict: 'fail' | 'replace' | 'skip' = 'fail',
  ): Promise<void> {
    const columns = columnsOf(rows);
    this.#runEach(
      `${insertInto(table, columns)}${conflictClause(table, columns, onConflict)}`,
      columns,
      rows,
    );
  }

  async update(table: Table, rows: readonly Row[]): Promise<void> {
    const keys: readonly string[] = KEYS[table];
    const changed = columnsOf(rows).filter((column) => !keys.includes(column));
    const set = changed.map((column) => `${column} = ?`).join(', ');
    this.#runEach(`UPDATE ${table} SET ${set} WHERE ${equal(keys)}`, [...changed, ...keys], rows);
  }

  async remove(table: Table, rows: readonly Row[]): Promise<void> {
    const columns = columnsOf(rows);
    this.#runEach(`DELETE FROM ${table} WHERE ${equal(columns)}`, columns, rows);
  }

  async transaction<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#within('BEGIN IMMEDIATE', work);
  }

  async snapshot<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#within('BEGIN', work);
  }

  inNamespace<Result>(_namespace: string, work: () => Promise<Result>): Promise<Result> {
    return work();
  }

  /** The indexes stop by themselves: see `Database.withDeadline`. */
  async within<Result>(_deadline: Deadline, work: () => Promise<Result>): Promise<Result> {
    return work();
  }

  /** An immediate transaction, because a deferred one fails without waiting when it begins to write. */
  async #within<Result>(begin: string, work: () => Promise<Result>): Promise<Result> {
    if (this.#db.isInTransaction()) return work();
    return guardedAsync(this.#db.path, async () => {
      this.#db.prepare(begin).run();
      try {
        const result = await work();
        this.#db.prepare('COMMIT').run();
        return result;
      } catch (error) {
        // SQLite itself has rolled back after some errors.
        if (this.#db.isInTransaction()) this.#db.prepare('ROLLBACK').run();
        throw error;
      }
    });
  }

  #runEach(statement: string, columns: readonly string[], rows: readonly Row[]): void {
    if (rows.length === 0) return;
    this.#db.runForEach(
      statement,
      rows.map((row) => columns.map((column) => row[column]!)),
    );
  }
}

function insertInto(table: Table, columns: readonly string[]): string {
  return `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`;
}

function equal(columns: readonly string[]): string {
  return columns.map((column) => `${column} = ?`).join(' AND ');
}

/** The parameters as those of a statement of SQLite. */
export function named(parameters: Parameters): Record<string, SQLInputValue> {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [
      name,
      Array.isArray(value) ? JSON.stringify(value) : (value as SQLInputValue),
    ]),
  );
}
