import { Worker, type ResourceLimits } from 'node:worker_threads';
import { isErrorCode, LociError, messageOf } from '../errors.ts';

/** A request in a message to the thread. One message may contain several requests. */
export interface WorkerRequest {
  readonly id: number;
  readonly message: unknown;
}

/** The answer to the request with the same id. */
export type WorkerAnswer =
  { readonly id: number; readonly value: unknown } | { readonly id: number; readonly error: WorkerError };

/** Answers, or the announcement that the next message has the answer to one request and may be impossible to receive. */
export type WorkerMessage = readonly WorkerAnswer[] | { readonly answering: number };

/** A `LociError` that can be cloned. */
export interface WorkerError {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

/** New objects of a thread for texts. V8 would use three times as much, without being faster. */
export const MAX_YOUNG_HEAP_MB = 16;

interface WorkerClientOptions {
  /** The module that the thread runs; it calls `serveRequests`. See `workerModule`. */
  readonly module: URL;
  readonly name: string;
  /** The `workerData` of the thread, and of those that take its place. */
  readonly data?: unknown;
  readonly resourceLimits?: ResourceLimits;
  /** Creates the error of a request that gets no answer, because the thread died or its answer cannot be received. */
  readonly failure: (reason: string, cause?: unknown) => LociError;
  /** Called when the thread has died or was terminated. The next request starts another thread. */
  readonly onExit?: (reason: string, cause?: unknown) => void;
}

interface PendingRequest {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Sends requests to a worker thread and resolves them with its answers. The thread starts with the first request and
 * keeps the process alive only while a request is pending.
 */
export class WorkerClient {
  readonly #options: WorkerClientOptions;
  readonly #pending = new Map<number, PendingRequest>();
  #worker: Worker | null = null;
  #nextId = 1;
  #outgoing: WorkerRequest[] = [];
  /** The request whose answer is the next message. */
  #answering = 0;
  /** Whether the process waits for the thread to exit. */
  #isExitAwaited = false;
  #transfer: ArrayBuffer[] = [];

  constructor(options: WorkerClientOptions) {
    this.#options = options;
  }

  /** Whether the thread runs. */
  get isRunning(): boolean {
    return this.#worker !== null;
  }

  /**
   * @param transfer Buffers of the message that move to the thread instead of being copied.
   * @throws LociError The error that the thread answered, `internal` for a message that cannot be cloned, or
   *   `options.failure`
   */
  request(message: unknown, transfer: readonly ArrayBuffer[] = []): Promise<unknown> {
    this.#worker ??= this.#start();
    const id = this.#nextId++;
    this.#transfer.push(...transfer);
    // Waking the thread costs as much as a short request, so requests of the same microtask share a message.
    if (this.#outgoing.push({ id, message }) === 1) queueMicrotask(() => this.#post());
    this.#worker.ref();
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
    });
  }

  /** Terminates the thread at once and rejects pending requests with `options.failure`. */
  async terminate(): Promise<void> {
    const worker = this.#worker;
    if (worker === null) return;
    this.#abandon(worker, 'it was terminated');
    // The process waits for the thread to end.
    worker.ref();
    await worker.terminate();
  }

  /** Resolves when the thread has exited by itself, as after a request that closes it. */
  async exited(): Promise<void> {
    const worker = this.#worker;
    if (worker === null) return;
    this.#isExitAwaited = true;
    worker.ref();
    await new Promise<void>((resolve) => {
      worker.once('exit', () => {
        resolve();
      });
    });
  }

  #start(): Worker {
    const { module, name, data, resourceLimits = {} } = this.#options;
    // The thread does not inherit the flags of the process: `--input-type` would prevent it from starting.
    const worker = new Worker(module, { name, workerData: data, resourceLimits, execArgv: [] });
    worker.on('message', (message: WorkerMessage) => {
      if (this.#worker !== worker) return;
      if ('answering' in message) this.#answering = message.answering;
      else for (const answer of message) this.#settle(answer);
    });
    worker.on('messageerror', (error: Error) => {
      if (this.#worker === worker) this.#rejectAnswering(error);
    });
    worker.on('error', (error: unknown) => {
      this.#abandon(worker, messageOf(error), error);
    });
    worker.on('exit', (code) => {
      this.#abandon(worker, `its thread ended with exit code ${String(code)}`);
    });
    return worker;
  }

  #post(): void {
    const [requests, transfer] = [this.#outgoing, this.#transfer];
    this.#outgoing = [];
    this.#transfer = [];
    if (requests.length === 0) return;
    try {
      this.#worker?.postMessage(requests, transfer);
    } catch (error) {
      if (requests.length > 1) for (const request of requests) this.#postAlone(request, transfer);
      else this.#reject(requests[0]!, error);
    }
  }

  /** Sends one request, so that a request that cannot be cloned does not make others fail. */
  #postAlone(request: WorkerRequest, transfer: readonly ArrayBuffer[]): void {
    try {
      this.#worker?.postMessage(
        [request],
        transfer.filter((buffer) => !buffer.detached),
      );
    } catch (error) {
      this.#reject(request, error);
    }
  }

  #reject({ id }: WorkerRequest, error: unknown): void {
    this.#settle({ id, error: { code: 'internal', message: messageOf(error) } });
  }

  #settle(answer: WorkerAnswer): void {
    const request = this.#pending.get(answer.id);
    this.#forget(answer.id);
    if ('error' in answer) request?.reject(toLociError(answer.error));
    else request?.resolve(answer.value);
  }

  /** Rejects the request whose answer cannot be received. The event does not have its id, but the message before does. */
  #rejectAnswering(error: Error): void {
    const request = this.#pending.get(this.#answering);
    this.#forget(this.#answering);
    request?.reject(this.#options.failure(`its answer cannot be received: ${error.message}`, error));
  }

  #forget(id: number): void {
    this.#pending.delete(id);
    if (this.#pending.size === 0 && !this.#isExitAwaited) this.#worker?.unref();
  }

  #abandon(worker: Worker, reason: string, cause?: unknown): void {
    if (this.#worker !== worker) return;
    this.#worker = null;
    this.#isExitAwaited = false;
    this.#outgoing = [];
    this.#transfer = [];
    const requests = [...this.#pending.values()];
    this.#pending.clear();
    this.#options.onExit?.(reason, cause);
    for (const { reject } of requests) reject(this.#options.failure(reason, cause));
  }
}

function toLociError({ code, message, hint }: WorkerError): LociError {
  return new LociError(isErrorCode(code) ? code : 'internal', message, hint === undefined ? {} : { hint });
}
