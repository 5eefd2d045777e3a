import { parentPort, receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import { LociError, messageOf } from '../errors.ts';
import { FairQueue } from './fair-queue.ts';
import { isSlices, type Slices } from './slices.ts';
import type { WorkerAnswer, WorkerError, WorkerMessage, WorkerRequest } from './worker-client.ts';

interface ServeOptions {
  /**
   * Whether the answer to a request may share a message with other answers. An answer that may be nested too deeply to be
   * deserialised must be sent alone, so that only its own request fails.
   */
  readonly mayShareMessage?: (message: unknown) => boolean;
  /**
   * On whose behalf a request is made. Owners have their turn one after the other, also those of requests that arrive
   * meanwhile; without this, requests are handled in the order in which they were made. `handle` must not return promises.
   */
  readonly ownerOf?: (message: unknown) => string;
}

/** The longest time that an answer waits for the other answers of its batch. */
const MAX_WAIT_MS = 2;
/** Slices of one request run for this long, then other owners have their turn. */
const MAX_TURN_MS = 5;

/** A request that waits for its turn, and what is left of one that has begun. */
interface Queued extends WorkerRequest {
  readonly rest?: Slices<unknown>;
}

/**
 * Calls `handle` for each request of the `WorkerClient` that started this thread, and sends its result or error. A promise is
 * not awaited before the next request. A result in slices lets other owners have their turn in between.
 */
export function serveRequests(
  handle: (message: unknown) => unknown,
  { mayShareMessage = () => false, ownerOf }: ServeOptions = {},
): void {
  if (parentPort === null) throw new Error('serveRequests runs in a worker thread only');
  const port = parentPort;
  const queue = new FairQueue<Queued>();
  const enqueue = (requests: readonly WorkerRequest[]): void => {
    for (const request of requests) queue.push(ownerOf?.(request.message) ?? '', request);
  };
  const post = (answers: readonly WorkerAnswer[]): void => {
    if (answers.length === 0) return;
    try {
      port.postMessage(answers satisfies WorkerMessage);
    } catch (error) {
      // An answer that cannot be cloned is replaced by an error. The other answers are not affected.
      if (answers.length > 1) for (const answer of answers) post([answer]);
      else port.postMessage([{ id: answers[0]!.id, error: workerError(error) }] satisfies WorkerMessage);
    }
  };
  const postAlone = (answer: WorkerAnswer): void => {
    port.postMessage({ answering: answer.id } satisfies WorkerMessage);
    post([answer]);
  };
  port.on('message', (requests: readonly WorkerRequest[]) => {
    let answers: WorkerAnswer[] = [];
    let batchStart = performance.now();
    const flush = (): void => {
      post(answers);
      answers = [];
      batchStart = performance.now();
    };
    enqueue(requests);
    for (let request = queue.shift(); request !== undefined; request = queue.shift()) {
      const { id, message } = request;
      // Earlier answers are sent first, except for those that are promises.
      const sharesMessage = mayShareMessage(message);
      if (!sharesMessage) flush();
      const answer = answerOf(id, () => begun(request.rest ?? handle(message)));
      if (answer instanceof Promise) void answer.then(postAlone);
      else if ('value' in answer && isSlices(answer.value))
        queue.push(ownerOf?.(message) ?? '', { id, message, rest: answer.value });
      else if (sharesMessage) answers.push(answer);
      else postAlone(answer);
      if (performance.now() - batchStart >= MAX_WAIT_MS) flush();
      if (ownerOf !== undefined) enqueueReceived(port, enqueue);
    }
    flush();
  });
}

/** Runs slices for one turn. Returns the result, or the slices that are left. */
function begun(value: unknown): unknown {
  if (!isSlices(value)) return value;
  const end = performance.now() + MAX_TURN_MS;
  do {
    const { done, value: result } = value.next();
    if (done === true) return result;
  } while (performance.now() < end);
  return value;
}

/** Enqueues the requests that have arrived since the thread began to handle others. */
function enqueueReceived(port: MessagePort, enqueue: (requests: readonly WorkerRequest[]) => void): void {
  for (;;) {
    const received = receiveMessageOnPort(port);
    if (received === undefined) return;
    enqueue(received.message as readonly WorkerRequest[]);
  }
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
