import { statSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { LociError, messageOf } from '../../core/errors.ts';
import { storeCalls, type StoreCall } from './calls.ts';
import { Database } from './database.ts';
import { migrate } from './migrate.ts';
import { guarded } from './store-error.ts';

/** What the thread is started with. */
export interface ThreadOptions {
  readonly path: string;
  readonly busyTimeout: number;
  /** Of the file that was found when the store was opened. */
  readonly inode: number;
}

export interface CallMessage {
  readonly id: number;
  readonly call: StoreCall | 'close';
  readonly parameters: readonly unknown[];
}

export type AnswerMessage =
  { readonly id: number; readonly value: unknown } | { readonly id: number; readonly error: ThreadError };

export interface ThreadError {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

/** The first answer says that the store is open, or why not. */
export const OPENED = 0;

const port = parentPort;
if (port === null) throw new Error('thread.ts runs in a worker only');

function answer(id: number, work: () => unknown): void {
  try {
    port?.postMessage({ id, value: work() } satisfies AnswerMessage);
  } catch (error) {
    port?.postMessage({ id, error: threadError(error) } satisfies AnswerMessage);
  }
}

function threadError(error: unknown): ThreadError {
  if (error instanceof LociError) return { code: error.code, message: error.message, hint: error.hint };
  return { code: 'internal', message: messageOf(error) };
}

/** Two connections to two files would be two memories. */
function refuseReplaced(path: string, inode: number): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.ino === inode) return;
  const [code, what] =
    found === undefined
      ? (['store_not_found', 'is gone'] as const)
      : (['store_failed', 'was replaced by another file'] as const);
  throw new LociError(code, `${path} ${what} since it was opened`, { hint: 'Open the store again.' });
}

function open(): Database {
  const { path, busyTimeout, inode } = workerData as ThreadOptions;
  refuseReplaced(path, inode);
  const db = new Database(path, { busyTimeout });
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

/** Until it is told to close. A thread that could not open listens to nobody, and so ends. */
function serve(db: Database): void {
  const calls = storeCalls(db);
  port?.on('message', ({ id, call, parameters }: CallMessage) => {
    if (call === 'close') {
      answer(id, () => {
        db.close();
      });
      port.close();
      return;
    }
    const run = calls[call] as (...parameters: readonly unknown[]) => unknown;
    answer(id, () => guarded(db.path, () => run(...parameters)));
  });
}

answer(OPENED, () => {
  serve(open());
});
