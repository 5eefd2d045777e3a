import { statSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { LociError, messageOf } from '../../core/errors.ts';
import { storeCalls, type StoreCall, type StoreCalls } from './calls.ts';
import { Database } from './database.ts';
import { migrate } from './migrate.ts';
import { guarded } from './store-error.ts';

export interface ThreadOptions {
  readonly path: string;
  readonly busyTimeout: number;
  /** Inode of the file at the time the store was opened. */
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

/** Id of the first answer, which says whether the store could be opened. */
export const OPENED = 0;

const port = parentPort;
if (port === null) throw new Error('thread.ts runs in a worker only');

/** How long an answer waits for those of the calls that arrived with its own. */
const MAX_BATCH_MS = 2;
/** Calls whose answers are sent in batches. Other answers may be nested too deeply to be received, and are sent alone. */
const BATCHED: ReadonlySet<CallMessage['call']> = new Set<StoreCall>([
  'search.terms',
  'search.text',
  'search.newest',
  'search.neighbours',
  'search.readPassages',
  'vectors.search',
  'vectors.scores',
  'records.count',
  'records.bounds',
]);

function answerOf(id: number, work: () => unknown): AnswerMessage {
  try {
    return { id, value: work() };
  } catch (error) {
    return { id, error: threadError(error) };
  }
}

function post(answers: readonly AnswerMessage[]): void {
  if (answers.length === 0) return;
  try {
    port?.postMessage(answers);
  } catch {
    for (const answer of answers) postAlone(answer);
  }
}

/** An answer that cannot be cloned becomes an error; the other answers are sent as usual. */
function postAlone(answer: AnswerMessage): void {
  try {
    port?.postMessage([answer]);
  } catch (error) {
    port?.postMessage([{ id: answer.id, error: threadError(error) }] satisfies AnswerMessage[]);
  }
}

function threadError(error: unknown): ThreadError {
  if (error instanceof LociError) return { code: error.code, message: error.message, hint: error.hint };
  return { code: 'internal', message: messageOf(error) };
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

function open(): Database {
  const { path, busyTimeout, inode } = workerData as ThreadOptions;
  assertNotReplaced(path, inode);
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

type Run = (...parameters: readonly unknown[]) => unknown;

function callNamed(calls: StoreCalls, call: StoreCall): Run {
  const [role = '', name = ''] = call.split('.');
  return (calls as unknown as Readonly<Record<string, Readonly<Record<string, Run>>>>)[role]![name]!;
}

/** Answers calls until it is closed. A thread that failed to open has no listener, and so it ends. */
function serve(db: Database): void {
  const calls = storeCalls(db);
  port?.on('message', (batch: readonly CallMessage[]) => {
    let answers: AnswerMessage[] = [];
    let since = performance.now();
    const postAll = (): void => {
      post(answers);
      answers = [];
      since = performance.now();
    };
    for (const { id, call, parameters } of batch) {
      const run = call === 'close' ? () => db.close() : callNamed(calls, call);
      // Answers leave in the order of the calls.
      if (!BATCHED.has(call)) postAll();
      answers.push(answerOf(id, () => guarded(db.path, () => run(...parameters))));
      if (!BATCHED.has(call) || performance.now() - since >= MAX_BATCH_MS) postAll();
    }
    postAll();
    if (batch.some(({ call }) => call === 'close')) port.close();
  });
}

post([
  answerOf(OPENED, () => {
    serve(open());
  }),
]);
