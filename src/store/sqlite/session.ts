import { statSync } from 'node:fs';
import { LociError } from '../../core/errors.ts';
import { type AsyncSlices, isAsyncSlices } from '../../core/threads/slices.ts';
import { callNamed, type CallName } from '../sql/calls/calls.ts';
import type { Driver } from '../sql/driver.ts';
import { migrate, SqliteFile } from './database/storage.ts';
import { Database } from './database/database.ts';
import { fileAccess, type FileAccess, guarded, guardedAsync } from './database/store-file.ts';
import { SqliteSql } from './database/sqlite-sql.ts';
import { SqliteTextIndex } from './text/text-search.ts';
import { SqliteVectorIndex } from './vectors/vectors.ts';

export interface SessionOptions {
  readonly path: string;
  readonly busyTimeoutMs: number;
  /** Inode of the file at the time the store was opened. */
  readonly inode: number;
  /** The most memory for pages of the file. */
  readonly cacheKib: number;
  readonly access: FileAccess;
}

export function sqliteDriver(db: Database): Driver {
  return {
    sql: new SqliteSql(db),
    text: new SqliteTextIndex(db),
    vectors: new SqliteVectorIndex(db),
    storage: new SqliteFile(db),
  };
}

interface Opened {
  readonly db: Database;
  readonly driver: Driver;
}

/** An open database with the current schema, whose calls run in the calling thread, one at a time. */
export class Session {
  #options: SessionOptions;
  /** `null` before the first call, and after the file could not be opened again. */
  #open: Opened | null = null;
  /** The file as it is open, if it is read without locks. */
  #state: string | null = null;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  /** @throws LociError `store_not_found`, `store_newer`, `store_corrupt`, `store_failed`, `store_busy`, `unreadable` */
  open(): Promise<void> {
    return this.#inOrder(async () => {
      await this.#openCurrent();
    });
  }

  /** Returns the result, packed for a transfer between threads, or slices that return it. @throws the errors of the call */
  async run(call: CallName, parameters: readonly unknown[]): Promise<unknown> {
    const result = await this.#inOrder(async () => {
      const { db, driver } = await this.#openCurrent();
      return this.#whileUnchanged(() =>
        guardedAsync(db.path, () => callNamed(call).run(driver, ...parameters)),
      );
    });
    return isAsyncSlices(result) ? this.#slicesInOrder(result) : result;
  }

  async close(): Promise<void> {
    await this.#inOrder(async () => {
      this.#open?.db.close();
    });
  }

  /** Two calls must not run at once: the second one would become a part of the transaction of the first. */
  #inOrder<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** Opens the file, again if it is read without locks and a process of another user has changed it. */
  async #openCurrent(): Promise<Opened> {
    if (this.#open !== null && (this.#state === null || stateOf(this.#options) === this.#state))
      return this.#open;
    if (this.#open !== null) this.#closeChanged();
    this.#state = stateOf(this.#options);
    const db = await this.#whileUnchanged(() => openDatabase(this.#options));
    this.#open = { db, driver: sqliteDriver(db) };
    return this.#open;
  }

  #closeChanged(): void {
    const { path } = this.#options;
    const inode = statSync(path, { throwIfNoEntry: false })?.ino ?? this.#options.inode;
    const access = guarded(path, () => fileAccess(path));
    // Before the file is opened again: closing it releases the locks of this process.
    this.#open?.db.close();
    this.#open = null;
    this.#options = { ...this.#options, inode, access: access === 'write' ? 'read' : access };
  }

  /** Without locks, pages that are read during a change do not fit together, and look like those of a damaged file. */
  async #whileUnchanged<Result>(work: () => Promise<Result>): Promise<Result> {
    const { path } = this.#options;
    const before = this.#state;
    try {
      return await work();
    } finally {
      // Neither the result nor the error of such a read counts.
      // eslint-disable-next-line no-unsafe-finally
      if (before !== null && stateOf(this.#options) !== before) throw changedMeanwhile(path);
    }
  }

  async *#slicesInOrder<Result>(slices: AsyncSlices<Result>): AsyncSlices<Result> {
    const { path } = this.#options;
    for (;;) {
      const { done, value } = await this.#inOrder(() =>
        this.#whileUnchanged(() => guardedAsync(path, () => slices.next())),
      );
      if (done === true) return value;
      yield;
    }
  }
}

/** What shows that the file has changed; `null` if SQLite sees that itself. */
function stateOf({ path, access }: SessionOptions): string | null {
  if (access !== 'immutable') return null;
  const file = statSync(path, { bigint: true, throwIfNoEntry: false });
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  return [file?.ino, file?.size, file?.mtimeNs, log].join('/');
}

function changedMeanwhile(path: string): LociError {
  return new LociError('store_busy', `${path}: another process changed it while it was read`, {
    hint: 'Try again.',
  });
}

export async function openDatabase({ path, inode, ...options }: SessionOptions): Promise<Database> {
  assertNotReplaced(path, inode);
  const db = new Database(path, options);
  try {
    await guardedAsync(path, () => migrate(db));
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Two connections must not open two different files. */
function assertNotReplaced(path: string, inode: number): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.ino === inode) return;
  const [code, what] =
    found === undefined
      ? (['store_not_found', 'is gone'] as const)
      : (['store_failed', 'was replaced by another file'] as const);
  throw new LociError(code, `${path} ${what} since it was opened`, { hint: 'Open the store again.' });
}
