/**
 * The worker threads of the local model: one for queries, and more for indexing. They share one memory with one copy of the
 * weights, which the first thread prepares for all.
 */

import { LociError, messageOf } from '../../core/errors.ts';
import { WorkerClient } from '../../core/threads/worker-client.ts';
import { workerModule } from '../../core/threads/worker-module.ts';
import type { EmbedOptions } from '../embedder.ts';
import type { ModelPlan, SlotPlan } from './model/memory-plan.ts';
import { type ModelMemory, openModelMemory } from './model/model-memory.ts';
import { WorkerQueue } from './worker-queue.ts';

/** Up to this many groups of passages, which take about 0.1 s each, no indexing threads are started. */
export const MAX_SMALL_CALL_GROUPS = 4;

interface ModelFiles {
  readonly weightsPath: string;
  readonly tokenizerPath: string;
}

/** The model, which a thread gets once the weights have been read. */
export interface ThreadModel {
  readonly module: WebAssembly.Module;
  readonly memory: WebAssembly.Memory;
  readonly plan: ModelPlan;
  /** The thread's own part of the memory. */
  readonly slot: SlotPlan;
  /** Whether the weights are still as they were read: one thread prepares them for all. */
  readonly prepare: boolean;
  /** When the thread tests the kernel: before its first vectors, after them, or never. */
  readonly selfTest: 'before' | 'after' | null;
}

/** Requests of an embedding thread, in the order in which they must come. Only `texts` has an answer, their vectors. */
export type EmbeddingThreadRequest =
  | { readonly tokenizerPath: string }
  | { readonly model: ThreadModel }
  | { readonly texts: readonly string[] };

/** A worker thread that embeds texts, in order. Once it has failed it stays dead. */
export class EmbeddingThread {
  readonly #client = new WorkerClient({
    module: workerModule(import.meta.url, 'worker'),
    name: 'loci-embed',
    failure: (reason, cause) => new LociError('embedding_unavailable', reason, { cause }),
    onExit: () => void (this.#isRunning = false),
  });
  #isRunning = true;
  readonly #vocabulary: Promise<unknown>;

  /** The thread reads the vocabulary while the weights arrive. */
  constructor(tokenizerPath: string) {
    this.#vocabulary = this.#request({ tokenizerPath });
    // `attach` reports the failure.
    this.#vocabulary.catch(() => undefined);
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** Gives the thread its model. Must come before any text. @throws LociError `embedding_unavailable` */
  async attach(model: ThreadModel): Promise<void> {
    await this.#vocabulary;
    await this.#request({ model });
  }

  /** The vectors of `texts` one after the other. @throws LociError `embedding_unavailable` */
  async run(texts: readonly string[]): Promise<Float32Array> {
    return (await this.#request({ texts })) as Float32Array;
  }

  async close(): Promise<void> {
    this.#isRunning = false;
    await this.#client.terminate();
  }

  async #request(request: EmbeddingThreadRequest): Promise<unknown> {
    try {
      if (!this.#isRunning) throw new Error('it was closed');
      return await this.#client.request(request);
    } catch (error) {
      // After an error the state of the kernel's memory is unknown.
      void this.close();
      const message = `The embedding thread stopped: ${messageOf(error)}`;
      throw new LociError('embedding_unavailable', message, { cause: error });
    }
  }
}

export class EmbeddingPool {
  readonly #files: ModelFiles;
  readonly #slots: number;
  readonly #isRevectorized: boolean;
  readonly #queries: WorkerQueue;
  readonly #passages: WorkerQueue;
  readonly #threads = new Set<EmbeddingThread>();
  readonly #closing = new AbortController();
  /** The memory once the first thread has prepared the weights in it. */
  #prepared: Promise<ModelMemory> | null = null;

  /**
   * @param indexing Maximum number of threads that embed passages, in addition to the one for queries. With 0, that one does.
   * @param isRevectorized whether V8 compiles the kernel for AVX2, so that it must be tested
   */
  constructor(files: ModelFiles, indexing: number, isRevectorized = false) {
    this.#files = files;
    this.#isRevectorized = isRevectorized;
    this.#slots = indexing + 1;
    this.#queries = new WorkerQueue({ size: 1, depth: 1, startThread: () => this.#start(0) });
    this.#passages = new WorkerQueue({
      size: indexing,
      depth: 2,
      startThread: (position) => this.#start(position + 1),
    });
  }

  /**
   * Returns the vectors of each group, one after the other. A few passages use the query thread, after any query, unless indexing
   * threads are already running.
   */
  async embed(
    groups: readonly (readonly string[])[],
    { purpose, owner, signal }: EmbedOptions,
  ): Promise<Float32Array[]> {
    const closing = this.#closing.signal;
    if (closing.aborted) throw new LociError('embedding_unavailable', 'The embedder is closed.');
    const isSmall = this.#slots === 1 || groups.length + this.#queries.backlog <= MAX_SMALL_CALL_GROUPS;
    const queue =
      purpose === 'query' || (isSmall && !this.#passages.isStarted) ? this.#queries : this.#passages;
    return queue.run(groups, purpose === 'query', {
      ...(owner !== undefined && { owner }),
      signal: signal === undefined ? closing : AbortSignal.any([closing, signal]),
    });
  }

  /** Ends all threads. Running calls reject with `aborted`. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all([...this.#threads].map((thread) => thread.close()));
  }

  /** A thread starts while the model is still being read: both take time, and neither needs the other at first. */
  async #start(position: number): Promise<EmbeddingThread> {
    this.#closing.signal.throwIfAborted();
    const thread = new EmbeddingThread(this.#files.tokenizerPath);
    for (const other of this.#threads) if (!other.isRunning) this.#threads.delete(other);
    this.#threads.add(thread);
    try {
      if (this.#prepared === null) await this.#prepare(thread, position);
      else await thread.attach(this.#modelFor(await this.#prepared, position, false));
      return thread;
    } catch (error) {
      void thread.close();
      throw error;
    }
  }

  /** The first thread prepares the weights for all. If that fails, the next call starts over. */
  async #prepare(thread: EmbeddingThread, position: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<ModelMemory>();
    promise.catch(() => undefined);
    this.#prepared = promise;
    try {
      const model = await openModelMemory(this.#files.weightsPath, this.#slots);
      await model.read;
      await thread.attach(this.#modelFor(model, position, true));
      resolve(model);
    } catch (error) {
      this.#prepared = null;
      reject(error);
      throw error;
    }
  }

  /** The thread for queries answers its first call before it tests the kernel. */
  #modelFor({ module, memory, plan }: ModelMemory, position: number, prepare: boolean): ThreadModel {
    const slot = plan.slots[position];
    if (!slot) throw new RangeError(`the memory has no slot ${position}`);
    const selfTest = position === 0 ? 'after' : 'before';
    return {
      module,
      memory,
      plan: plan.model,
      slot,
      prepare,
      selfTest: this.#isRevectorized ? selfTest : null,
    };
  }
}
