import { statSync } from 'node:fs';
import { LociError } from '../../core/errors.ts';
import { storeCalls, type StoreCall, type StoreCalls } from './calls.ts';
import { Database } from './database/database.ts';
import type { FileAccess } from './database/file-access.ts';
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
  readonly #db: Database;
  readonly #calls: StoreCalls;

  /** @throws LociError `store_not_found`, `store_newer`, `store_corrupt`, `store_failed`, `unreadable` */
  constructor(options: SessionOptions) {
    this.#db = openDatabase(options);
    this.#calls = storeCalls(this.#db);
  }

  /** Returns the result, packed for a transfer between threads, or slices that return it. @throws the errors of the call */
  run(call: StoreCall, parameters: readonly unknown[]): unknown {
    const [role = '', name = ''] = call.split('.');
    const calls = this.#calls as unknown as Readonly<Record<string, Readonly<Record<string, Run>>>>;
    return guarded(this.#db.path, () => calls[role]![name]!(...parameters));
  }

  close(): void {
    this.#db.close();
  }
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
