import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { LociError, messageOf } from '../../core/errors.ts';

/** What the process that writes says of itself: the pools that it has indexed, as `PoolTables.placeOf` has them. */
const writer = z.object({ pid: z.number(), places: z.array(z.string()) });

const SQLITE_BUSY = 5;

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
    let connection: DatabaseSync | null = null;
    try {
      connection = new DatabaseSync(file, { timeout: 0 });
      connection.exec('BEGIN EXCLUSIVE');
    } catch (error) {
      connection?.close();
      if ((error as { readonly errcode?: number }).errcode === SQLITE_BUSY) return false;
      throw new LociError('internal', `${file} cannot be used as a lock: ${messageOf(error)}`, {
        cause: error,
      });
    }
    this.#connection = connection;
    return true;
  }

  /** Tells other processes what this one has indexed. */
  announce(places: readonly string[]): void {
    writeFileSync(this.#file, JSON.stringify({ pid: process.pid, places }), { mode: 0o600 });
  }

  /** The process that writes, or the last one that did; `null` if it has not announced itself. */
  writer(): z.infer<typeof writer> | null {
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
