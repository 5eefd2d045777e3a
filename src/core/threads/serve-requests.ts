import { parentPort } from 'node:worker_threads';
import { LociError, messageOf } from '../errors.ts';
import type { WorkerAnswer, WorkerError, WorkerRequest } from './worker-client.ts';

interface ServeOptions {
  /**
   * Whether the answer to a request may share a message with other answers. An answer that may be nested too deeply to be
   * deserialised must be sent alone, so that only its own request fails.
   */
  readonly mayShareMessage?: (message: unknown) => boolean;
}

/** The longest time that an answer waits for the other answers of its batch. */
const MAX_WAIT_MS = 2;

/**
 * Calls `handle` for each request of the `WorkerClient` that started this thread, in order, and sends its result or error.
 * A promise is not awaited before the next request.
 */
export function serveRequests(
  handle: (message: unknown) => unknown,
  { mayShareMessage = () => false }: ServeOptions = {},
): void {
  if (parentPort === null) throw new Error('serveRequests runs in a worker thread only');
  const port = parentPort;
  const post = (answers: readonly WorkerAnswer[]): void => {
    try {
      if (answers.length > 0) port.postMessage(answers);
    } catch (error) {
      // An answer that cannot be cloned is replaced by an error. The other answers are not affected.
      if (answers.length > 1) for (const answer of answers) post([answer]);
      else port.postMessage([{ id: answers[0]!.id, error: workerError(error) }] satisfies WorkerAnswer[]);
    }
  };
  port.on('message', (requests: readonly WorkerRequest[]) => {
    let answers: WorkerAnswer[] = [];
    let batchStart = performance.now();
    const flush = (): void => {
      post(answers);
      answers = [];
      batchStart = performance.now();
    };
    for (const { id, message } of requests) {
      // Earlier answers are sent first, except for those that are promises.
      const sharesMessage = mayShareMessage(message);
      if (!sharesMessage) flush();
      const answer = answerOf(id, () => handle(message));
      if (answer instanceof Promise) {
        void answer.then((settled) => {
          post([settled]);
        });
        continue;
      }
      answers.push(answer);
      if (!sharesMessage || performance.now() - batchStart >= MAX_WAIT_MS) flush();
    }
    flush();
  });
}

function answerOf(id: number, work: () => unknown): WorkerAnswer | Promise<WorkerAnswer> {
  const failed = (error: unknown): WorkerAnswer => ({ id, error: workerError(error) });
  try {
    const value = work();
    return value instanceof Promise
      ? value.then((settled: unknown) => ({ id, value: settled }), failed)
      : { id, value };
  } catch (error) {
    return failed(error);
  }
}

function workerError(error: unknown): WorkerError {
  if (error instanceof LociError) return { code: error.code, message: error.message, hint: error.hint };
  return { code: 'internal', message: messageOf(error) };
}
