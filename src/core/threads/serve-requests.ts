import { parentPort, receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import { LociError, messageOf } from '../errors.ts';
import { FairQueue } from './semaphore.ts';
import { type AsyncSlices, isAsyncSlices } from './slices.ts';
import type { WorkerAnswer, WorkerError, WorkerMessage, WorkerRequest } from './worker-client.ts';

interface ServeOptions {
  /**
   * Whether the answer to a request may share a message with other answers. An answer that may be nested too deeply to be
   * deserialised must be sent alone, so that only its own request fails.
   */
  readonly mayShareMessage?: (message: unknown) => boolean;
  /**
   * On whose behalf a request is made. Owners have their turn one after the other, also those of requests that arrive
   * meanwhile; without this, requests are handled in the order in which they were made.
   */
  readonly ownerOf?: (message: unknown) => string;
}

/** The longest time that an answer waits for the other answers of its batch. */
const MAX_WAIT_MS = 2;
/** Slices of one request run for this long, then other owners have their turn. */
const MAX_TURN_MS = 5;

/** A request that waits for its turn, and what is left of one that has begun. */
interface Queued extends WorkerRequest {
  readonly rest?: AsyncSlices<unknown>;
}

/**
 * Calls `handle` for each request of the `WorkerClient` that started this thread, one after the other, and sends its result or
 * error. A result in slices lets other owners have their turn in between.
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
  let isServing = false;
  port.on('message', (requests: readonly WorkerRequest[]) => {
    enqueue(requests);
    if (isServing) return;
    isServing = true;
    void serve().finally(() => {
      isServing = false;
    });
  });
  const serve = async (): Promise<void> => {
    let answers: WorkerAnswer[] = [];
    let batchStart = performance.now();
    const flush = (): void => {
      post(answers);
      answers = [];
      batchStart = performance.now();
    };
    for (let request = queue.shift(); request !== undefined; request = queue.shift()) {
      const { id, message } = request;
      // Earlier answers are sent first.
      const sharesMessage = mayShareMessage(message);
      if (!sharesMessage) flush();
      const answer = await answerOf(id, () => begun(request.rest ?? handle(message)));
      if ('value' in answer && isAsyncSlices(answer.value))
        queue.push(ownerOf?.(message) ?? '', { id, message, rest: answer.value });
      else if (sharesMessage) answers.push(answer);
      else postAlone(answer);
      if (performance.now() - batchStart >= MAX_WAIT_MS) flush();
      if (ownerOf !== undefined) enqueueReceived(port, enqueue);
    }
    flush();
  };
}

/** Runs slices for one turn. Returns the result, or the slices that are left. */
async function begun(value: unknown): Promise<unknown> {
  if (!isAsyncSlices(value)) return value;
  const end = performance.now() + MAX_TURN_MS;
  do {
    const { done, value: result } = await value.next();
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

async function answerOf(id: number, work: () => Promise<unknown>): Promise<WorkerAnswer> {
  try {
    return { id, value: await work() };
  } catch (error) {
    return { id, error: workerError(error) };
  }
}

function workerError(error: unknown): WorkerError {
  if (error instanceof LociError) return { code: error.code, message: error.message, hint: error.hint };
  return { code: 'internal', message: messageOf(error) };
}
