/** One embedding thread as its owner sees it: texts in, vectors out, in order; it may die. */

import { Worker } from 'node:worker_threads';
import { LociError, messageOf } from '../../core/errors.ts';
import { workerModule } from '../../core/worker-module.ts';

/** What a thread is given to start with. */
export interface ThreadStart {
  readonly module: WebAssembly.Module;
  readonly memory: WebAssembly.Memory;
  readonly slots: number;
  /** Which slot of the memory plan is its own. */
  readonly slot: number;
  /** The thread that is given a path loads the weights for all. */
  readonly weightsPath: string | null;
  readonly tokenizerPath: string;
}

export interface ThreadMessage {
  readonly texts: readonly string[];
}

/** The first reply carries no vectors: the thread is ready. */
export interface ThreadReply {
  readonly vectors: Float32Array | null;
}

interface Waiting {
  readonly resolve: (vectors: Float32Array) => void;
  readonly reject: (error: LociError) => void;
}

export class EmbeddingThread {
  /** Rejects when the thread dies before it is ready. */
  readonly ready: Promise<void>;
  readonly #worker: Worker;
  readonly #waiting: Waiting[] = [];
  #death: LociError | null = null;

  constructor(start: ThreadStart) {
    this.#worker = new Worker(workerModule(import.meta.url, 'worker'), {
      workerData: start,
      name: `loci-embed-${start.slot}`,
      execArgv: [],
    });
    this.#worker.unref();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    promise.catch(() => undefined);
    this.ready = promise;
    this.#worker.on('message', ({ vectors }: ThreadReply) => {
      if (vectors === null) resolve();
      else this.#waiting.shift()?.resolve(vectors);
    });
    const die = (reason: string, cause?: unknown): void => {
      this.#death ??= new LociError('embedding_unavailable', `The embedding thread stopped: ${reason}`, {
        cause,
      });
      reject(this.#death);
      for (const { reject: rejectOne } of this.#waiting.splice(0)) rejectOne(this.#death);
    };
    this.#worker.on('error', (error) => {
      die(messageOf(error), error);
    });
    this.#worker.on('exit', (code) => {
      die(`exit code ${code}`);
    });
  }

  get alive(): boolean {
    return this.#death === null;
  }

  /** Calls sent and not yet answered. */
  get load(): number {
    return this.#waiting.length;
  }

  /** The vectors of `texts` back to back. @throws LociError `embedding_unavailable` when the thread dies first. */
  run(texts: readonly string[]): Promise<Float32Array> {
    if (this.#death) return Promise.reject(this.#death);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#worker.postMessage({ texts } satisfies ThreadMessage);
    });
  }

  /** Whether the thread keeps the process alive. */
  hold(held: boolean): void {
    if (held) this.#worker.ref();
    else this.#worker.unref();
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}
