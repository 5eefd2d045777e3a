import { parentPort, workerData } from 'node:worker_threads';
import { LociError, messageOf } from '../../core/errors.ts';
import { storeCalls, type StoreCall, type StoreCalls } from './calls.ts';
import { Database } from './database.ts';
import { migrate } from './migrate.ts';

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
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: ThreadError };

export interface ThreadError {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

/** The first answer says that the store is open, or why not. */
export const OPENED = 0;

const port = parentPort;
if (port === null) throw new Error('thread.ts runs in a worker only');

let db: Database | undefined;
let calls: StoreCalls | undefined;

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

answer(OPENED, () => {
  const { path, busyTimeout } = workerData as ThreadOptions;
  const opening = new Database(path, { busyTimeout });
  try {
    migrate(opening);
  } catch (error) {
    opening.close();
    throw error;
  }
  db = opening;
  calls = storeCalls(opening);
});

port.on('message', ({ id, call, parameters }: CallMessage) => {
  if (call === 'close') {
    answer(id, () => db?.close());
    port.close();
    return;
  }
  answer(id, () => {
    const run = calls?.[call] as ((...parameters: readonly unknown[]) => unknown) | undefined;
    return run?.(...parameters);
  });
});
