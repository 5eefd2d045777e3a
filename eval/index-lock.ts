import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { LociError } from '../src/core/errors.ts';

const POLL_INTERVAL_MS = 200;
const SQLITE_BUSY = 5;
const BEGIN = { exclusive: 'BEGIN EXCLUSIVE', shared: 'BEGIN; SELECT count(*) FROM sqlite_schema' } as const;

/**
 * A lock on an indexed set, shared by the processes that measure it and exclusive for one that builds it. It is a lock of SQLite on
 * an empty database, which the operating system releases when the process ends, however it ends.
 */
export class IndexLock {
  readonly #db: DatabaseSync;
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
    this.#db = new DatabaseSync(path, { timeout: 0 });
  }

  /**
   * Takes the lock in place of the one that it has, and waits for other processes. Another process may take it between the two.
   * @throws LociError `aborted`
   */
  async take(mode: keyof typeof BEGIN, signal?: AbortSignal): Promise<void> {
    if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
    for (let isWaiting = false; !this.#tryTake(mode); isWaiting = true) {
      if (!isWaiting)
        process.stderr.write(`waiting for another run of eval, which has locked ${this.#path}\n`);
      await setTimeout(POLL_INTERVAL_MS);
      if (signal?.aborted === true) throw new LociError('aborted', 'waiting for another run was stopped');
    }
  }

  #tryTake(mode: keyof typeof BEGIN): boolean {
    try {
      this.#db.exec(BEGIN[mode]);
      return true;
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) return false;
      throw error;
    }
  }

  close(): void {
    this.#db.close();
  }
}
