import { Worker } from 'node:worker_threads';
import { isErrorCode, LociError } from '../../core/errors.ts';
import { workerModule } from '../../core/threads/worker-module.ts';
import type { StoreCall } from './calls.ts';
import type { AnswerMessage, CallMessage, ThreadError, ThreadOptions } from './thread.ts';

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/**
 * A connection in a thread of its own: SQLite's calls are synchronous, and the host's event loop is not ours to hold.
 * The thread keeps no process alive that has no call under way.
 */
export class Connection {
  readonly #options: ThreadOptions;
  readonly #waiting = new Map<number, Waiting>();
  #thread: Worker | null = null;
  #opened: Promise<unknown> | null = null;
  #closed: Promise<void> | null = null;
  #nextId = 1;
  /** Calls that go together, when all that is running has made its own. */
  #outgoing: CallMessage[] = [];

  constructor(options: ThreadOptions) {
    this.#options = options;
  }

  /** Resolves when the store is open and of the current schema. A failed opening is tried again by the next call. */
  open(): Promise<unknown> {
    this.#opened ??= this.#start().catch((error: unknown) => {
      this.#opened = null;
      throw error;
    });
    return this.#opened;
  }

  async call(call: StoreCall, parameters: readonly unknown[]): Promise<unknown> {
    if (this.#closed !== null) throw this.#failure('is closed');
    await this.open();
    return this.#send(call, parameters);
  }

  close(): Promise<void> {
    this.#closed ??= this.#shut();
    return this.#closed;
  }

  async #shut(): Promise<void> {
    await this.#opened?.catch(() => undefined);
    const thread = this.#thread;
    if (thread === null) return;
    const exited = new Promise<void>((resolve) => {
      thread.once('exit', () => {
        resolve();
      });
    });
    // A thread that is ending by itself answers no more; either way it is over when it has exited.
    await this.#send('close', []).catch(() => undefined);
    thread.ref();
    await exited;
  }

  #start(): Promise<unknown> {
    // The host's own flags are not for the thread: `--input-type` would even stop it from starting.
    const thread = new Worker(workerModule(import.meta.url, 'thread'), {
      workerData: this.#options,
      execArgv: [],
    });
    this.#thread = thread;
    thread.on('message', (answers: readonly AnswerMessage[]) => {
      for (const answer of answers) this.#settle(answer);
    });
    thread.on('messageerror', (error: Error) => {
      this.#refuseFirst(this.#failure(`its answer cannot be received: ${error.message}`, error));
    });
    thread.on('error', (error: Error) => {
      this.#abandon(thread, this.#failure(error.message, error));
    });
    thread.on('exit', () => {
      this.#abandon(thread, this.#failure('its thread ended'));
    });
    return this.#wait(0);
  }

  async #send(call: CallMessage['call'], parameters: readonly unknown[]): Promise<unknown> {
    if (this.#thread === null) throw this.#failure('its thread ended');
    const id = this.#nextId++;
    if (this.#outgoing.push({ id, call, parameters }) === 1) queueMicrotask(() => this.#post());
    return this.#wait(id);
  }

  /** To wake the thread takes as long as many a call: searches that run side by side wake it together. */
  #post(): void {
    const calls = this.#outgoing;
    this.#outgoing = [];
    try {
      this.#thread?.postMessage(calls);
    } catch {
      for (const call of calls) this.#postAlone(call);
    }
  }

  /** Nobody waits for an answer to what cannot be cloned. */
  #postAlone(call: CallMessage): void {
    try {
      this.#thread?.postMessage([call]);
    } catch (error) {
      this.#waiting.get(call.id)?.reject(error as Error);
      this.#forget(call.id);
    }
  }

  #wait(id: number): Promise<unknown> {
    this.#thread?.ref();
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
    });
  }

  #settle(answer: AnswerMessage): void {
    const waiting = this.#waiting.get(answer.id);
    this.#forget(answer.id);
    if ('error' in answer) waiting?.reject(lociError(answer.error));
    else waiting?.resolve(answer.value);
  }

  #forget(id: number): void {
    this.#waiting.delete(id);
    if (this.#waiting.size === 0) this.#thread?.unref();
  }

  /** An answer that does not say whose it is: it came alone, and calls are answered in the order in which they were made. */
  #refuseFirst(error: LociError): void {
    const [id] = this.#waiting.keys();
    if (id !== undefined) this.#settle({ id, error });
  }

  /** The thread is gone: nobody waits for it in vain, and the next call starts another. */
  #abandon(thread: Worker, error: LociError): void {
    if (this.#thread !== thread) return;
    this.#thread = null;
    this.#opened = null;
    this.#outgoing = [];
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }

  #failure(what: string, cause?: unknown): LociError {
    return new LociError('store_failed', `${this.#options.path}: ${what}`, { cause });
  }
}

function lociError({ code, message, hint }: ThreadError): LociError {
  return new LociError(isErrorCode(code) ? code : 'internal', message, hint === undefined ? {} : { hint });
}
