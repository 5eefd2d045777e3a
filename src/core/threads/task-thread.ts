import { setImmediate } from 'node:timers/promises';
import { LociError } from '../errors.ts';
import { Semaphore } from './semaphore.ts';
import { MAX_YOUNG_HEAP_MB, WorkerClient } from './worker-client.ts';
import { workerModule } from './worker-module.ts';

/** Work that may take long: a function that a module exports. Its parameters and its result must be cloneable. */
export interface ThreadTask<Parameters extends readonly unknown[], Result> {
  /** Address of the module. */
  readonly module: URL;
  /** Name of the exported function. */
  readonly name: string;
  /** The function itself, for short texts, which are processed on the calling thread. */
  readonly inline: (...parameters: Parameters) => Result | Promise<Result>;
}

interface TaskOptions {
  /** Length of the text to process, in characters or bytes. */
  readonly size: number;
  readonly signal?: AbortSignal | undefined;
  /** Buffers that move to the thread instead of being copied. The caller cannot use them afterwards. */
  readonly transfer?: readonly ArrayBuffer[];
}

export interface TaskMessage {
  readonly module: string;
  readonly name: string;
  readonly parameters: readonly unknown[];
}

/**
 * Texts of at most this length, in characters, are processed on the calling thread: that takes a few milliseconds, and
 * no thread has to start for them. The densest Markdown (a list of single letters) takes about 4 ms per thousand
 * characters on a busy machine.
 */
const MAX_INLINE_LENGTH = 8000;
/**
 * Tasks refuse texts that would need more heap. Beyond it Node ends the thread, and may end the process with it. With a larger
 * limit V8 collects garbage later.
 */
const MAX_HEAP_MB = 512;

/** Runs tasks on texts. */
export interface TaskRunner {
  /**
   * @throws LociError `aborted`; `unreadable` when the thread died of the text; the error that the task throws, as
   *   `internal` unless it is a LociError
   */
  run<Parameters extends readonly unknown[], Result>(
    task: ThreadTask<Parameters, Result>,
    parameters: Parameters,
    options: TaskOptions,
  ): Promise<Result>;
  /**
   * Lets the event loop have a turn before `size` characters are processed on the calling thread, unless few characters
   * were processed since its last turn. A text longer than `MAX_INLINE_LENGTH` always waits for a turn.
   */
  yieldToEventLoop(size: number): Promise<void>;
}

/** Texts of one task, in characters. A longer task would delay those of other owners. */
const MAX_GROUP_LENGTH = 256_000;

/**
 * Runs a task on groups of texts, one group after the other, and returns the results in the order of the texts. What all texts need
 * is sent to the thread once for each group.
 */
export async function runInGroups<Text, Shared extends readonly unknown[], Result>(
  { thread, signal }: { readonly thread: TaskRunner; readonly signal?: AbortSignal | undefined },
  task: ThreadTask<[texts: readonly Text[], ...shared: Shared], Result[]>,
  texts: readonly Text[],
  lengthOf: (text: Text) => number,
  ...shared: Shared
): Promise<Result[]> {
  const results: Result[] = [];
  for (let from = 0; from < texts.length;) {
    let size = lengthOf(texts[from]!);
    let to = from + 1;
    for (; to < texts.length && size + lengthOf(texts[to]!) <= MAX_GROUP_LENGTH; to++)
      size += lengthOf(texts[to]!);
    const group = await thread.run(task, [texts.slice(from, to), ...shared], { size, signal });
    for (const result of group) results.push(result);
    from = to;
  }
  return results;
}

/**
 * Runs long tasks on texts in a worker thread, one after the other, so that they do not block the caller's event loop.
 * The thread starts with the first long text and keeps the process alive only while a task runs. If a text makes the
 * thread die, only that task fails, and the next one starts another thread. Owners have their turn one after the other, so that
 * many tasks of one do not delay a task of another.
 */
export class TaskThread {
  readonly #client = new WorkerClient({
    module: workerModule(import.meta.url, 'task-worker'),
    name: 'loci-tasks',
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB, maxYoungGenerationSizeMb: MAX_YOUNG_HEAP_MB },
    failure: (reason, cause) =>
      new LociError('unreadable', `the thread that reads texts stopped: ${reason}`, { cause }),
  });
  readonly #turns = new Semaphore(1);
  readonly #closing = new AbortController();
  /** Length of the short texts that were processed since the event loop last had a turn. */
  #sinceTurn = 0;

  /** Runs the tasks of one owner. */
  ownedBy(owner: string): TaskRunner {
    return {
      run: (task, parameters, options) => this.#run(owner, task, parameters, options),
      yieldToEventLoop: (size) => this.#yieldToEventLoop(size),
    };
  }

  async #run<Parameters extends readonly unknown[], Result>(
    owner: string,
    task: ThreadTask<Parameters, Result>,
    parameters: Parameters,
    options: TaskOptions,
  ): Promise<Result> {
    const { size, signal } = options;
    if (this.#closing.signal.aborted || signal?.aborted === true) throw abortedError();
    if (size <= MAX_INLINE_LENGTH) {
      await this.#yieldToEventLoop(size);
      return task.inline(...parameters);
    }
    const message = { module: task.module.href, name: task.name, parameters };
    const result = await this.#runInThread(owner, message, options);
    // Receiving a long result takes long, and so may what the caller does with it.
    await this.#yieldToEventLoop(size);
    return result as Result;
  }

  async #yieldToEventLoop(size: number): Promise<void> {
    this.#sinceTurn += size;
    if (this.#sinceTurn <= MAX_INLINE_LENGTH) return;
    this.#sinceTurn = Math.min(size, MAX_INLINE_LENGTH);
    await setImmediate();
  }

  /** Ends the thread; running and waiting tasks reject with `aborted`. */
  async close(): Promise<void> {
    const ended = this.#client.terminate();
    this.#closing.abort();
    await ended;
  }

  async #runInThread(
    owner: string,
    message: TaskMessage,
    { signal, transfer }: TaskOptions,
  ): Promise<unknown> {
    const closing = this.#closing.signal;
    const stop = signal === undefined ? closing : AbortSignal.any([signal, closing]);
    // A running task can only be stopped by ending its thread.
    const end = (): void => void this.#client.terminate();
    try {
      await this.#turns.acquire(stop, owner);
      try {
        stop.throwIfAborted();
        stop.addEventListener('abort', end);
        return await this.#client.request(message, transfer);
      } finally {
        stop.removeEventListener('abort', end);
        this.#turns.release();
      }
    } catch (error) {
      throw stop.aborted ? abortedError() : error;
    }
  }
}

function abortedError(): LociError {
  return new LociError('aborted', 'reading texts was stopped');
}
