import { lstatSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { LociError, messageOf } from '../../core/errors.ts';

/** What the process that writes says of itself. */
const writer = z.object({
  pid: z.number(),
  /** The folders whose notes it indexes, as `PoolTables.placeOf` has them. */
  folders: z.array(z.string()),
  /** How the names of the tables that it writes begin. */
  table: z.string(),
  /** Whether it has indexed them. */
  isComplete: z.boolean(),
});
export type Writer = z.infer<typeof writer>;

const SQLITE_BUSY = 5;
const SQLITE_NOTADB = 26;

/**
 * Lets one process at a time write to a folder. The lock is that of a transaction of SQLite on an empty file: the system frees it when
 * the process ends in any way. It is held until `release`.
 */
export class WriterLock {
  readonly #folder: string;
  #connection: DatabaseSync | null = null;

  /** @param folder exists */
  constructor(folder: string) {
    this.#folder = folder;
  }

  get isHeld(): boolean {
    return this.#connection !== null;
  }

  /** Whether this process may write, from now on. */
  acquire(): boolean {
    if (this.#connection !== null) return true;
    const file = path.join(this.#folder, 'writer.lock');
    try {
      this.#connection = transactionOn(file);
    } catch (error) {
      if (isFailure(error, SQLITE_BUSY)) return false;
      throw new LociError('internal', `${file} cannot be used as a lock: ${messageOf(error)}`, {
        cause: error,
      });
    }
    return true;
  }

  /** Tells other processes who writes. */
  announce(about: Omit<Writer, 'pid'>): void {
    const text = JSON.stringify({ pid: process.pid, ...about } satisfies Writer);
    writeFileSync(this.#file, text, { mode: 0o600 });
  }

  /** The process that writes, or the last one that did; `null` if it has not announced itself. */
  writer(): Writer | null {
    try {
      return writer.parse(JSON.parse(readFileSync(this.#file, 'utf8')));
    } catch {
      return null;
    }
  }

  release(): void {
    this.#connection?.close();
    this.#connection = null;
  }

  get #file(): string {
    return path.join(this.#folder, 'writer.json');
  }
}

/** @throws the error of SQLite */
function transactionOn(file: string): DatabaseSync {
  try {
    return begun(file);
  } catch (error) {
    // SQLite reads a file only if no process holds the lock. Another file in its place could be locked as well as this one.
    if (!isFailure(error, SQLITE_NOTADB) || !lstatSync(file).isFile()) throw error;
    truncateSync(file);
    return begun(file);
  }
}

function begun(file: string): DatabaseSync {
  const connection = new DatabaseSync(file, { timeout: 0 });
  try {
    connection.exec('BEGIN EXCLUSIVE');
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

function isFailure(error: unknown, code: number): boolean {
  return (error as { readonly errcode?: number }).errcode === code;
}
