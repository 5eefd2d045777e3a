import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { isErrorCode, LociError, messageOf } from '../errors.ts';
import { workerModule } from './worker-module.ts';

/** Work that may take long: a function that a module exports. Its parameters and its result must be fit for cloning. */
export interface ThreadTask<Parameters extends readonly unknown[], Result> {
  /** Address of the module. */
  readonly module: URL;
  /** Name of the exported function. */
  readonly name: string;
  /** The function itself, for texts that are short. */
  readonly here: (...parameters: Parameters) => Result | Promise<Result>;
}

export interface TaskOptions {
  /** Length of the text to work on, in characters or bytes. */
  readonly size: number;
  readonly signal?: AbortSignal | undefined;
  /** Given to the thread, where they are of use to nobody else afterwards. */
  readonly transfer?: readonly ArrayBuffer[];
}

/** What the thread is told, one task at a time. */
export interface TaskMessage {
  readonly module: string;
  readonly name: string;
  readonly parameters: readonly unknown[];
}

export type TaskAnswer = { readonly value: unknown } | { readonly error: TaskError };

export interface TaskError {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

/**
 * Shorter texts are worked on where the caller is: a few milliseconds, and no thread has to start for them. The
 * densest Markdown (a list of single letters) takes about 4 ms a thousand characters on a busy machine.
 */
const SHORT = 8000;
/** MB of objects. Tasks refuse what would need more: past it Node ends the thread, and may end the process with it. */
const MAX_MEMORY = 2048;

interface Job {
  readonly message: TaskMessage;
  readonly transfer: readonly ArrayBuffer[];
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: LociError) => void;
}

/**
 * Does long work on texts in a thread of its own, one task after the other, so that the caller's event loop is not
 * held. The thread starts when the first long text comes, keeps no process alive that waits for nothing of it, and may
 * die of a text: then only that text's task fails, and the next one starts another thread.
 */
export class TaskThread {
  readonly #jobs: Job[] = [];
  #worker: Worker | null = null;
  #closed = false;
  /** Length of the short texts since the caller's event loop last had its turn. */
  #sinceTurn = 0;

  /**
   * @throws LociError `aborted`; `unreadable` when the thread died of the text; what the task throws, as `internal`
   *   unless it is a LociError
   */
  async run<Parameters extends readonly unknown[], Result>(
    task: ThreadTask<Parameters, Result>,
    parameters: Parameters,
    { size, signal, transfer = [] }: TaskOptions,
  ): Promise<Result> {
    if (this.#closed || signal?.aborted === true) throw stopped();
    if (size <= SHORT) {
      await this.turn(size);
      return task.here(...parameters);
    }
    const message = { module: task.module.href, name: task.name, parameters };
    const result = await this.#submit(message, transfer, signal);
    // It may have been long to receive, and what the caller does with it may be long as well.
    await this.turn(size);
    return result as Result;
  }

  /**
   * Gives the caller's event loop its turn before so many characters are worked on, unless few were since the last.
   * A text that is not short always waits for a turn.
   */
  async turn(size: number): Promise<void> {
    this.#sinceTurn += size;
    if (this.#sinceTurn <= SHORT) return;
    this.#sinceTurn = Math.min(size, SHORT);
    await setImmediate();
  }

  /** Ends the thread; tasks under way reject with `aborted`. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const { reject } of this.#jobs.splice(0)) reject(stopped());
    await this.#end();
  }

  async #submit(
    message: TaskMessage,
    transfer: readonly ArrayBuffer[],
    signal: AbortSignal | undefined,
  ): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const job = { message, transfer, resolve, reject };
    const abort = (): void => {
      this.#abort(job);
    };
    signal?.addEventListener('abort', abort);
    this.#jobs.push(job);
    if (this.#jobs.length === 1) this.#next();
    try {
      return await promise;
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  /** A task under way cannot be stopped but with its thread. */
  #abort(job: Job): void {
    const place = this.#jobs.indexOf(job);
    if (place === -1) return;
    this.#jobs.splice(place, 1);
    job.reject(stopped());
    if (place > 0) return;
    void this.#end();
    this.#next();
  }

  #next(): void {
    const [job] = this.#jobs;
    if (job === undefined) {
      this.#worker?.unref();
      return;
    }
    this.#worker ??= this.#start();
    this.#worker.ref();
    try {
      this.#worker.postMessage(job.message, job.transfer);
    } catch (error) {
      this.#finish(({ reject }) => {
        reject(new LociError('internal', messageOf(error), { cause: error }));
      });
    }
  }

  #start(): Worker {
    const worker = new Worker(workerModule(import.meta.url, 'task-worker'), {
      name: 'loci-texts',
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY },
    });
    worker.on('message', (answer: TaskAnswer) => {
      if (this.#worker !== worker) return;
      this.#finish(({ resolve, reject }) => {
        if ('error' in answer) reject(lociError(answer.error));
        else resolve(answer.value);
      });
    });
    worker.on('messageerror', (error) => {
      if (this.#worker !== worker) return;
      this.#finish(({ reject }) => {
        reject(
          new LociError('unreadable', `what became of it cannot be received: ${error.message}`, {
            cause: error,
          }),
        );
      });
    });
    worker.on('error', (error) => {
      this.#die(worker, messageOf(error), error);
    });
    worker.on('exit', (code) => {
      this.#die(worker, `exit code ${String(code)}`);
    });
    return worker;
  }

  #die(worker: Worker, reason: string, cause?: unknown): void {
    if (this.#worker !== worker) return;
    this.#worker = null;
    this.#finish(({ reject }) => {
      reject(new LociError('unreadable', `the thread that reads texts stopped: ${reason}`, { cause }));
    });
  }

  #finish(settle: (job: Job) => void): void {
    const job = this.#jobs.shift();
    if (job !== undefined) settle(job);
    this.#next();
  }

  async #end(): Promise<void> {
    const worker = this.#worker;
    this.#worker = null;
    await worker?.terminate();
  }
}

function stopped(): LociError {
  return new LociError('aborted', 'reading texts was stopped');
}

function lociError({ code, message, hint }: TaskError): LociError {
  return new LociError(isErrorCode(code) ? code : 'internal', message, hint === undefined ? {} : { hint });
}
