import { statSync } from 'node:fs';
import { LociError } from '../../core/errors.ts';
import { isSlices, type Slices } from '../../core/threads/slices.ts';
import { storeCalls, type StoreCall, type StoreCalls } from './calls.ts';
import { Database } from './database/database.ts';
import { fileAccess, type FileAccess } from './database/file-access.ts';
import { migrate } from './database/migrate.ts';
import { guarded } from './database/store-error.ts';

export interface SessionOptions {
  readonly path: string;
  readonly busyTimeoutMs: number;
  /** Inode of the file at the time the store was opened. */
  readonly inode: number;
  /** The most memory for pages of the file. */
  readonly cacheKib: number;
  readonly access: FileAccess;
}

type Run = (...parameters: readonly unknown[]) => unknown;

/** An open database with the current schema, whose calls run in the calling thread. */
export class Session {
  #options: SessionOptions;
  #db: Database;
  #calls: StoreCalls;
  /** The file as it is open, if it is read without locks. */
  #state: string | null;

  /** @throws LociError `store_not_found`, `store_newer`, `store_corrupt`, `store_failed`, `store_busy`, `unreadable` */
  constructor(options: SessionOptions) {
    this.#options = options;
    this.#state = stateOf(options);
    this.#db = this.#whileUnchanged(() => openDatabase(options));
    this.#calls = storeCalls(this.#db);
  }

  /** Returns the result, packed for a transfer between threads, or slices that return it. @throws the errors of the call */
  run(call: StoreCall, parameters: readonly unknown[]): unknown {
    this.#openChanged();
    const [role = '', name = ''] = call.split('.');
    const calls = this.#calls as unknown as Readonly<Record<string, Readonly<Record<string, Run>>>>;
    const result = this.#whileUnchanged(() =>
      guarded(this.#db.path, () => calls[role]![name]!(...parameters)),
    );
    return this.#state !== null && isSlices(result) ? this.#slicesWhileUnchanged(result) : result;
  }

  close(): void {
    this.#db.close();
  }

  /** A file that is read without locks may have been changed by a process of another user. */
  #openChanged(): void {
    if (this.#state === null || stateOf(this.#options) === this.#state) return;
    const { path } = this.#options;
    const inode = statSync(path, { throwIfNoEntry: false })?.ino ?? this.#options.inode;
    const access = guarded(path, () => fileAccess(path));
    const options = { ...this.#options, inode, access: access === 'write' ? 'read' : access } as const;
    // Before the file is opened again: closing it releases the locks of this process.
    this.#db.close();
    [this.#options, this.#state] = [options, stateOf(options)];
    try {
      this.#db = this.#whileUnchanged(() => openDatabase(options));
      this.#calls = storeCalls(this.#db);
    } catch (error) {
      // The next call tries again.
      this.#state = '';
      throw error;
    }
  }

  /** Without locks, pages that are read during a change do not fit together, and look like those of a damaged file. */
  #whileUnchanged<Result>(work: () => Result): Result {
    const { path } = this.#options;
    const before = this.#state;
    try {
      return work();
    } finally {
      // Neither the result nor the error of such a read counts.
      // eslint-disable-next-line no-unsafe-finally
      if (before !== null && stateOf(this.#options) !== before) throw changedMeanwhile(path);
    }
  }

  *#slicesWhileUnchanged<Result>(slices: Slices<Result>): Slices<Result> {
    for (;;) {
      const { done, value } = this.#whileUnchanged(() => slices.next());
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

function openDatabase({ path, busyTimeoutMs, inode, cacheKib, access }: SessionOptions): Database {
  assertNotReplaced(path, inode);
  const db = new Database(path, { busyTimeoutMs, cacheKib, access });
  try {
    guarded(path, () => {
      migrate(db);
    });
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
