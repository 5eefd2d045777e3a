import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { LociError, messageOf, type ErrorCode } from '../../core/errors.ts';

export interface DatabaseOptions {
  /** Milliseconds to wait for another process's lock. */
  readonly busyTimeout: number;
}

const PAGE_SIZE = 8192;
const CACHE_KIB = 32 * 1024;
const STATEMENT_CACHE_SIZE = 500;

/** Primary result codes, https://www.sqlite.org/rescode.html */
const ERROR_BY_RESULT_CODE: Readonly<Record<number, ErrorCode>> = {
  5: 'store_busy',
  6: 'store_busy',
  8: 'unreadable',
  11: 'store_corrupt',
  13: 'store_full',
  14: 'unreadable',
  23: 'unreadable',
  26: 'store_corrupt',
};

/** One connection, with its prepared statements and one kind of transaction. */
export class Database {
  readonly path: string;
  readonly #connection: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(path: string, options: DatabaseOptions) {
    this.path = path;
    this.#connection = guarded(path, () => {
      const connection = new DatabaseSync(path, { timeout: options.busyTimeout });
      try {
        connection.exec(`
          PRAGMA page_size = ${PAGE_SIZE};
          PRAGMA journal_mode = WAL;
          PRAGMA synchronous = FULL;
          PRAGMA foreign_keys = ON;
          PRAGMA secure_delete = FAST;
          PRAGMA cache_size = -${CACHE_KIB};
        `);
      } catch (error) {
        connection.close();
        throw error;
      }
      return connection;
    });
  }

  prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = guarded(this.path, () => this.#connection.prepare(sql));
    if (this.#statements.size >= STATEMENT_CACHE_SIZE) this.#statements.clear();
    this.#statements.set(sql, statement);
    return statement;
  }

  exec(sql: string): void {
    guarded(this.path, () => {
      this.#connection.exec(sql);
    });
  }

  /** All of the work or none of it. IMMEDIATE: a read that later wants to write would meet BUSY without waiting. */
  transaction<Result>(work: () => Result): Result {
    return guarded(this.path, () => {
      this.#connection.exec('BEGIN IMMEDIATE');
      try {
        const result = work();
        this.#connection.exec('COMMIT');
        return result;
      } catch (error) {
        if (this.#connection.isTransaction) this.#connection.exec('ROLLBACK');
        throw error;
      }
    });
  }

  /** Several reads of one state, whoever writes meanwhile. */
  snapshot<Result>(work: () => Result): Result {
    return guarded(this.path, () => {
      if (this.#connection.isTransaction) return work();
      this.#connection.exec('BEGIN');
      try {
        return work();
      } finally {
        if (this.#connection.isTransaction) this.#connection.exec('COMMIT');
      }
    });
  }

  close(): void {
    this.#statements.clear();
    this.#connection.close();
  }
}

/** Names what went wrong in the words of the error table. */
export function guarded<Result>(path: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw storeError(path, error);
  }
}

function storeError(path: string, error: unknown): unknown {
  if (error instanceof LociError || !isSqliteError(error)) return error;
  const code = ERROR_BY_RESULT_CODE[error.errcode & 0xff] ?? 'store_failed';
  return new LociError(code, `${path}: ${messageOf(error)}`, { cause: error });
}

function isSqliteError(error: unknown): error is Error & { errcode: number } {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number';
}
