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

/** Milliseconds that an answer waits at most for those of the calls that came with its own. */
const TOGETHER = 2;
/** Calls whose answers go together. Others may be nested too deep to be received, and then say so alone. */
const FLAT: ReadonlySet<CallMessage['call']> = new Set<StoreCall>([
  'lookUpTerms',
  'searchText',
  'searchVectors',
  'scoreVectors',
  'newest',
  'neighbours',
  'readPassages',
  'countByKey',
  'nextExpiry',
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

/** What cannot be cloned is no answer, and the others are. */
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
  port?.on('message', (batch: readonly CallMessage[]) => {
    let answers: AnswerMessage[] = [];
    let since = performance.now();
    const postAll = (): void => {
      post(answers);
      answers = [];
      since = performance.now();
    };
    for (const { id, call, parameters } of batch) {
      const run =
        call === 'close' ? () => db.close() : (calls[call] as (...given: readonly unknown[]) => unknown);
      // In the order of the calls.
      if (!FLAT.has(call)) postAll();
      answers.push(answerOf(id, () => guarded(db.path, () => run(...parameters))));
      if (!FLAT.has(call) || performance.now() - since >= TOGETHER) postAll();
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
