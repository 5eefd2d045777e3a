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

function open(): Database {
  const { path, busyTimeout } = workerData as ThreadOptions;
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
