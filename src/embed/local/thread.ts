/** One embedding thread as its owner sees it: texts in, vectors out, in order; it may die. */

import { Worker } from 'node:worker_threads';
import { LociError, messageOf } from '../../core/errors.ts';
import { workerModule } from '../../core/threads/worker-module.ts';
import type { ModelPlan, SlotPlan } from './memory-plan.ts';

/** What a thread is given to start with. */
export interface ThreadStart {
  readonly tokenizerPath: string;
}

/** What it is given once the weights have been read. */
export interface ThreadModel {
  readonly module: WebAssembly.Module;
  readonly memory: WebAssembly.Memory;
  readonly plan: ModelPlan;
  /** Its own part of the memory. */
  readonly slot: SlotPlan;
  /** Whether the weights are still as they were read: one thread prepares them for all. */
  readonly prepare: boolean;
}

export type ThreadMessage = { readonly model: ThreadModel } | { readonly texts: readonly string[] };

/** One for each message, in order; without vectors for a model. */
export interface ThreadReply {
  readonly vectors: Float32Array | null;
}

interface Waiting {
  readonly resolve: (vectors: Float32Array) => void;
  readonly reject: (error: LociError) => void;
}

export class EmbeddingThread {
  readonly #worker: Worker;
  readonly #waiting: Waiting[] = [];
  #death: LociError | null = null;
  #closing = false;

  constructor(start: ThreadStart) {
    this.#worker = new Worker(workerModule(import.meta.url, 'worker'), {
      workerData: start,
      name: 'loci-embed',
      execArgv: [],
    });
    this.#worker.unref();
    this.#worker.on('message', ({ vectors }: ThreadReply) => {
      this.#waiting.shift()?.resolve(vectors ?? new Float32Array());
    });
    this.#worker.on('error', (error) => {
      this.#die(messageOf(error), error);
    });
    this.#worker.on('exit', (code) => {
      this.#die(`exit code ${code}`);
    });
  }

  get alive(): boolean {
    return this.#death === null;
  }

  /** Calls sent and not yet answered. */
  get load(): number {
    return this.#waiting.length;
  }

  /** Gives the thread its model, before any text. @throws LociError `embedding_unavailable` when the thread dies. */
  async attach(model: ThreadModel): Promise<void> {
    await this.#ask({ model });
  }

  /** The vectors of `texts` back to back. @throws LociError `embedding_unavailable` when the thread dies first. */
  run(texts: readonly string[]): Promise<Float32Array> {
    return this.#ask({ texts });
  }

  /** Whether the thread keeps the process alive. */
  hold(held: boolean): void {
    // Whoever closes it waits for its end.
    if (held || this.#closing) this.#worker.ref();
    else this.#worker.unref();
  }

  async close(): Promise<void> {
    this.#closing = true;
    await this.#worker.terminate();
  }

  #ask(message: ThreadMessage): Promise<Float32Array> {
    if (this.#death) return Promise.reject(this.#death);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#worker.postMessage(message);
    });
  }

  #die(reason: string, cause?: unknown): void {
    this.#death ??= new LociError('embedding_unavailable', `The embedding thread stopped: ${reason}`, {
      cause,
    });
    for (const { reject } of this.#waiting.splice(0)) reject(this.#death);
  }
}
