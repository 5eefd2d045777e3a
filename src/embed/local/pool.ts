/**
 * The worker threads of the local model: one for queries, and more for indexing. They share one memory with one copy of the
 * weights, which the first thread prepares for all.
 */

import { LociError } from '../../core/errors.ts';
import type { EmbedOptions } from '../embedder.ts';
import { EmbeddingCall } from './call.ts';
import { WorkerQueue } from './worker-queue.ts';
import { openModelMemory } from './model/model-memory.ts';
import type { ModelMemory } from './model/model-memory.ts';
import { EmbeddingThread } from './thread.ts';
import type { ThreadModel } from './thread.ts';

/** Up to this many groups of passages, which take about 0.1 s each, no indexing threads are started. */
export const MAX_SMALL_CALL_GROUPS = 4;

interface ModelFiles {
  readonly weightsPath: string;
  readonly tokenizerPath: string;
}

type CallOptions = Pick<EmbedOptions, 'owner' | 'signal'>;

interface Shared {
  readonly model: Promise<ModelMemory>;
  /** Settles when the weights are in memory and prepared. */
  readonly prepared: PromiseWithResolvers<undefined>;
}

export class EmbeddingPool {
  readonly #files: ModelFiles;
  readonly #slots: number;
  readonly #isRevectorized: boolean;
  readonly #queries: WorkerQueue;
  readonly #passages: WorkerQueue;
  readonly #threads = new Set<EmbeddingThread>();
  readonly #calls = new Set<EmbeddingCall>();
  #shared: Shared | null = null;
  #closed = false;

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

  /** Returns the vectors of all texts of all groups, in order. */
  async embedQuery(
    groups: readonly (readonly string[])[],
    { owner, signal }: CallOptions = {},
  ): Promise<Float32Array[]> {
    return this.#submit(this.#queries, new EmbeddingCall(groups, true, owner), signal);
  }

  /** As `embedQuery`. A few passages use the query thread, after any query, unless indexing threads are already running. */
  async embedPassages(
    groups: readonly (readonly string[])[],
    { owner, signal }: CallOptions = {},
  ): Promise<Float32Array[]> {
    const small = this.#slots === 1 || groups.length + this.#queries.backlog <= MAX_SMALL_CALL_GROUPS;
    const queue = small && !this.#passages.running ? this.#queries : this.#passages;
    return this.#submit(queue, new EmbeddingCall(groups, false, owner), signal);
  }

  /** Ends all threads. Running calls reject with `aborted`. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const call of this.#calls) call.fail(new LociError('aborted', 'The embedder was closed.'));
    await Promise.all([...this.#threads].map((thread) => thread.close()));
    this.#threads.clear();
    this.#shared = null;
  }

  async #submit(queue: WorkerQueue, call: EmbeddingCall, signal?: AbortSignal): Promise<Float32Array[]> {
    if (this.#closed) throw new LociError('embedding_unavailable', 'The embedder is closed.');
    const abort = (): void => {
      call.fail(new LociError('aborted', 'The embedding was stopped.', { cause: signal?.reason }));
    };
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort);
    this.#calls.add(call);
    try {
      queue.submit(call);
      return await call.done;
    } finally {
      signal?.removeEventListener('abort', abort);
      this.#calls.delete(call);
    }
  }

  /** A thread starts while the model is still being read: both take time, and neither needs the other at first. */
  async #start(position: number): Promise<EmbeddingThread> {
    const thread = new EmbeddingThread(this.#files.tokenizerPath);
    for (const other of this.#threads) if (!other.isRunning) this.#threads.delete(other);
    this.#threads.add(thread);
    try {
      if (this.#shared) await this.#join(thread, this.#shared, position);
      else await this.#prepare(thread, position);
      return thread;
    } catch (error) {
      void thread.close();
      throw error;
    }
  }

  /** The first thread prepares the weights for all. If that fails, the next call starts over. */
  async #prepare(thread: EmbeddingThread, position: number): Promise<void> {
    const shared = {
      model: openModelMemory(this.#files.weightsPath, this.#slots),
      prepared: Promise.withResolvers<undefined>(),
    };
    shared.prepared.promise.catch(() => undefined);
    this.#shared = shared;
    try {
      const model = await shared.model;
      await model.read;
      await thread.attach(this.#modelFor(model, position, true));
      shared.prepared.resolve(undefined);
    } catch (error) {
      if (this.#shared === shared) this.#shared = null;
      shared.prepared.reject(error);
      throw error;
    }
  }

  async #join(thread: EmbeddingThread, shared: Shared, position: number): Promise<void> {
    await shared.prepared.promise;
    await thread.attach(this.#modelFor(await shared.model, position, false));
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
