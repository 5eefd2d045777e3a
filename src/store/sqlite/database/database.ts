import { randomUUID } from 'node:crypto';
import { channel } from 'node:diagnostics_channel';
import { constants, copyFileSync, linkSync, rmSync, type Stats, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { type FileAccess, guarded } from './store-file.ts';
import { systemErrorCode } from '../../../core/fs/file-errors.ts';
import { makePrivateFolder } from '../../../core/fs/files.ts';
import { Deadline } from '../../../core/time/deadline.ts';
import { LociError } from '../../../core/errors.ts';
import { isObjectText } from '../../sql/rows.ts';
import { foldTag } from '../../rules/filter.ts';
import { matchesGlob } from '../../rules/path-glob.ts';

interface DatabaseOptions {
  /** How long to wait for another process's lock, in milliseconds. */
  readonly busyTimeoutMs: number;
  /** The most memory for pages of the file. The default is that of SQLite, 2,000 KiB. */
  readonly cacheKib?: number;
  /** Default `write`. */
  readonly access?: FileAccess;
}

/** The text of each statement before it runs, once for a bulk write. Tests count them in stores without threads. */
const STATEMENTS = channel('loci.store.statement');

/** "LOCI" in ASCII. It identifies the file as a Loci store, so that another program's database is never changed. */
export const APPLICATION_ID = 0x4c_4f_43_49;
/** "Loci": the stores of versions before the first release, whose schemas had other numbers. */
export const OLDER_APPLICATION_ID = 0x4c_6f_63_69;

const DEFAULT_CACHE_KIB = 2000;

const MAX_STATEMENTS = 500;
/** How many rows pass `in_time()` before it reads the clock. */
const ROWS_PER_CLOCK_READING = 64;

/** How long to wait before retrying a lock that the busy timeout does not cover. */
const RETRY_INTERVAL_MS = 5;

/** A path or URL with which SQLite does not create a missing file, which would be an empty store that every user can read. */
function existingFile(path: string, access: FileAccess): URL | string {
  if (path === ':memory:') return path;
  const url = pathToFileURL(path);
  url.searchParams.set('mode', access === 'write' ? 'rw' : 'ro');
  if (access === 'immutable') url.searchParams.set('immutable', '1');
  return url;
}

/** A connection with its prepared statements. */
export class Database {
  readonly path: string;
  readonly busyTimeoutMs: number;
  readonly isReadOnly: boolean;
  readonly #connection: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  #deadline = new Deadline();
  #timedRows = 0;
  #isInTime = true;

  constructor(path: string, options: DatabaseOptions) {
    this.path = path;
    this.busyTimeoutMs = options.busyTimeoutMs;
    const { access = 'write' } = options;
    this.isReadOnly = access !== 'write';
    this.#connection = guarded(path, () => {
      const connection = new DatabaseSync(existingFile(path, access), { timeout: options.busyTimeoutMs });
      try {
        // None of this writes, because the file may not be a Loci store. secure_delete overwrites deleted content, on freed pages too.
        connection.exec(`
          PRAGMA synchronous = FULL;
          PRAGMA foreign_keys = ON;
          PRAGMA secure_delete = ON;
          PRAGMA cache_size = -${String(options.cacheKib ?? DEFAULT_CACHE_KIB)};
        `);
        // SQLite's lower() folds only ASCII.
        connection.function('fold_tag', { deterministic: true }, (tag) => foldTag(String(tag)));
        connection.function('matches_glob', { deterministic: true }, (glob, path) =>
          Number(matchesGlob(String(glob), foldTag(String(path)))),
        );
        connection.function('is_object', { deterministic: true }, (text) => Number(isObjectText(text)));
        connection.function('in_time', () => (this.#checkTime() ? 1 : 0));
      } catch (error) {
        connection.close();
        throw error;
      }
      return connection;
    });
  }

  /** Switches to WAL mode, so that readers do not block the writer. The file must be a Loci store. */
  enableWal(): void {
    const deadline = Date.now() + this.busyTimeoutMs;
    for (;;) {
      try {
        this.exec('PRAGMA journal_mode = WAL');
        return;
      } catch (error) {
        // SQLite does not apply the busy timeout to the lock that this switch takes.
        const busy = error instanceof LociError && error.code === 'store_busy';
        if (!busy || Date.now() >= deadline) throw error;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_INTERVAL_MS);
      }
    }
  }

  prepare(sql: string): StatementSync {
    const statement = this.#prepared(sql);
    return STATEMENTS.hasSubscribers ? published(statement, sql) : statement;
  }

  /** Runs a statement once for each row. Counts as one statement. Returns the ids of the rows that it adds. */
  runForEach(sql: string, rows: readonly (readonly SQLInputValue[])[]): void {
    STATEMENTS.publish(sql);
    const statement = this.#prepared(sql);
    guarded(this.path, () => {
      for (const row of rows) statement.run(...row);
    });
  }

  #prepared(sql: string): StatementSync {
    const cached = this.#statements.get(sql);
    if (cached !== undefined) return cached;
    const statement = guarded(this.path, () => this.#connection.prepare(sql));
    if (this.#statements.size >= MAX_STATEMENTS) this.#statements.clear();
    this.#statements.set(sql, statement);
    return statement;
  }

  exec(sql: string): void {
    STATEMENTS.publish(sql);
    guarded(this.path, () => {
      this.#connection.exec(sql);
    });
  }

  /** Runs the work in a transaction. It is IMMEDIATE, because a deferred one fails without waiting when it begins to write. */
  transaction<Result>(work: () => Result): Result {
    return guarded(this.path, () => {
      this.exec('BEGIN IMMEDIATE');
      try {
        const result = work();
        this.exec('COMMIT');
        return result;
      } catch (error) {
        if (this.isInTransaction()) this.#connection.exec('ROLLBACK');
        throw error;
      }
    });
  }

  /** The deadline of the current work. */
  get deadline(): Deadline {
    return this.#deadline;
  }

  /**
   * Sets the deadline of the work. The SQL function `in_time()` in a WHERE clause skips all rows after it, so that the
   * statement returns what it has found.
   */
  async withDeadline<Result>(deadline: Deadline, work: () => Promise<Result>): Promise<Result> {
    [this.#deadline, this.#timedRows, this.#isInTime] = [deadline, 0, true];
    try {
      return await work();
    } finally {
      [this.#deadline, this.#isInTime] = [new Deadline(), true];
    }
  }

  #checkTime(): boolean {
    if (this.#timedRows++ % ROWS_PER_CLOCK_READING === 0) this.#isInTime = !this.#deadline.isPast;
    return this.#isInTime;
  }

  /** Runs the work on one snapshot of the store, even if another connection writes meanwhile. */
  snapshot<Result>(work: () => Result): Result {
    return guarded(this.path, () => {
      if (this.isInTransaction()) return work();
      this.prepare('BEGIN').run();
      try {
        return work();
      } finally {
        if (this.isInTransaction()) this.prepare('COMMIT').run();
      }
    });
  }

  /**
   * Checkpoints and truncates the WAL, which otherwise contains old pages until they are overwritten. Does nothing while
   * another connection reads or writes.
   */
  truncateWal(): void {
    this.exec('PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE);');
    this.exec(`PRAGMA busy_timeout = ${String(this.busyTimeoutMs)}`);
  }

  /** Is `false` after an error for which SQLite has rolled the transaction back itself. */
  isInTransaction(): boolean {
    return this.#connection.isTransaction;
  }

  close(): void {
    this.#statements.clear();
    if (this.#connection.isOpen) this.#connection.close();
  }
}

/** The statement with the same methods, which publishes its text each time that it runs. */
function published(statement: StatementSync, sql: string): StatementSync {
  return new Proxy(statement, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      const isRun = name === 'all' || name === 'get' || name === 'run' || name === 'iterate';
      return (...parameters: unknown[]): unknown => {
        if (isRun) STATEMENTS.publish(sql);
        return (member as (...parameters: unknown[]) => unknown).apply(target, parameters);
      };
    },
  });
}

/**
 * Creates the file of a store and its folder, so that no other user of the machine can read them. A database without tables is made
 * under another name first, so that no file at the path is ever empty: an empty file is what a failed copy leaves of a store. Another
 * process may make the file at the same time.
 */
export function createFile(path: string): Stats {
  return guarded(path, () => {
    makePrivateFolder(dirname(path));
    makeFile(path);
    return statSync(path);
  });
}

function makeFile(path: string): void {
  const draft = `${path}.${randomUUID()}.new`;
  try {
    writeFileSync(draft, '', { flag: 'wx', mode: 0o600 });
    const db = new Database(draft, { busyTimeoutMs: 0 });
    db.exec(`PRAGMA application_id = ${String(APPLICATION_ID)}`);
    db.close();
    placeFile(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
}

function placeFile(draft: string, path: string): void {
  try {
    linkSync(draft, path);
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') return;
    // Not every file system has hard links.
    copyFileSync(draft, path, constants.COPYFILE_EXCL);
  }
}
