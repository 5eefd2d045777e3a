import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { LociError } from '../../../core/errors.ts';
import { foldTag } from '../../rules/filter.ts';
import { guarded } from './store-error.ts';

export interface DatabaseOptions {
  /** Milliseconds to wait for another process's lock. */
  readonly busyTimeout: number;
}

const CACHE_KIB = 32 * 1024;
const STATEMENT_CACHE_SIZE = 500;

/** How long to wait before trying a lock again whose holder SQLite does not wait for, in milliseconds. */
const RETRY_AFTER = 5;

/** A file that is gone is not made anew: it would be another store, and open to everybody. */
function existingFile(path: string): URL | string {
  if (path === ':memory:') return path;
  const url = pathToFileURL(path);
  url.searchParams.set('mode', 'rw');
  return url;
}

/** One connection, with its prepared statements and one kind of transaction. */
export class Database {
  readonly path: string;
  readonly #busyTimeout: number;
  readonly #connection: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(path: string, options: DatabaseOptions) {
    this.path = path;
    this.#busyTimeout = options.busyTimeout;
    this.#connection = guarded(path, () => {
      const connection = new DatabaseSync(existingFile(path), { timeout: options.busyTimeout });
      try {
        // Nothing here writes: the file may not be ours. What is forgotten is overwritten, on pages that are let go of too.
        connection.exec(`
          PRAGMA synchronous = FULL;
          PRAGMA foreign_keys = ON;
          PRAGMA secure_delete = ON;
          PRAGMA cache_size = -${CACHE_KIB};
        `);
        // SQLite's own lower() knows ASCII only.
        connection.function('fold_tag', { deterministic: true }, (tag) => foldTag(String(tag)));
      } catch (error) {
        connection.close();
        throw error;
      }
      return connection;
    });
  }

  /** Readers and a writer side by side. Of a file that is ours. */
  writeAhead(): void {
    const deadline = Date.now() + this.#busyTimeout;
    for (;;) {
      try {
        this.exec('PRAGMA journal_mode = WAL');
        return;
      } catch (error) {
        // Whoever makes this switch holds a lock for which SQLite does not wait.
        const busy = error instanceof LociError && error.code === 'store_busy';
        if (!busy || Date.now() >= deadline) throw error;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_AFTER);
      }
    }
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
        if (this.#inTransaction()) this.#connection.exec('ROLLBACK');
        throw error;
      }
    });
  }

  /** Several reads of one state, whoever writes meanwhile. */
  snapshot<Result>(work: () => Result): Result {
    return guarded(this.path, () => {
      if (this.#inTransaction()) return work();
      this.prepare('BEGIN').run();
      try {
        return work();
      } finally {
        if (this.#inTransaction()) this.prepare('COMMIT').run();
      }
    });
  }

  /**
   * Moves what the journal holds into the file and empties it: it keeps old pages until they happen to be overwritten. Not
   * where somebody reads or writes at this moment; the next one does it.
   */
  emptyJournal(): void {
    this.exec('PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE);');
    this.exec(`PRAGMA busy_timeout = ${String(this.#busyTimeout)}`);
  }

  /** Some errors end a transaction by themselves. */
  #inTransaction(): boolean {
    return this.#connection.isTransaction;
  }

  close(): void {
    this.#statements.clear();
    this.#connection.close();
  }
}
