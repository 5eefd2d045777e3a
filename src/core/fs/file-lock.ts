import { DatabaseSync } from 'node:sqlite';
import { LociError, messageOf } from '../errors.ts';

const SQLITE_BUSY = 5;

/**
 * A lock that one process at a time has. It is that of a transaction of SQLite on an empty file, which stays: the system frees the lock when the
 * process ends in any way. It is held until `release`.
 */
export class FileLock {
  readonly #file: string;
  #connection: DatabaseSync | null = null;

  /** @param file in a folder that exists */
  constructor(file: string) {
    this.#file = file;
  }

  get isHeld(): boolean {
    return this.#connection !== null;
  }

  /** Whether this process has the lock, from now on. @throws LociError `internal` if the file cannot be used */
  acquire(): boolean {
    if (this.#connection !== null) return true;
    let connection: DatabaseSync | null = null;
    try {
      connection = new DatabaseSync(this.#file, { timeout: 0 });
      connection.exec('BEGIN EXCLUSIVE');
    } catch (error) {
      connection?.close();
      if ((error as { readonly errcode?: number }).errcode === SQLITE_BUSY) return false;
      throw new LociError('internal', `${this.#file} cannot be used as a lock: ${messageOf(error)}`, {
        cause: error,
      });
    }
    this.#connection = connection;
    return true;
  }

  release(): void {
    this.#connection?.close();
    this.#connection = null;
  }
}
