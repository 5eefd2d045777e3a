/**
 * The threads of the local model: one for queries, more for indexing, over one shared memory with one copy of the
 * weights, which the first thread to start loads for all.
 */

import { readFileSync } from 'node:fs';
import { LociError } from '../../core/errors.ts';
import { EmbeddingCall } from './call.ts';
import { Lane } from './lane.ts';
import { planMemory } from './memory-plan.ts';
import { EmbeddingThread } from './thread.ts';

/** Passages of this many groups (about a third of a second's work each quarter) are not worth starting threads for. */
const SMALL_CALL = 4;

export interface ModelFiles {
  readonly weightsPath: string;
  readonly tokenizerPath: string;
}

interface Shared {
  readonly module: WebAssembly.Module;
  readonly memory: WebAssembly.Memory;
  loaded: Promise<void> | null;
}

export class EmbeddingPool {
  readonly #files: ModelFiles;
  readonly #slots: number;
  readonly #queries: Lane;
  readonly #passages: Lane;
  readonly #threads = new Set<EmbeddingThread>();
  readonly #calls = new Set<EmbeddingCall>();
  #shared: Shared | null = null;
  #closed = false;

  /** @param indexing The most threads that embed passages, besides the one for queries. */
  constructor(files: ModelFiles, indexing: number) {
    this.#files = files;
    this.#slots = indexing + 1;
    this.#queries = new Lane({ size: 1, depth: 1, startThread: () => this.#start(0) });
    this.#passages = new Lane({
      size: indexing,
      depth: 2,
      startThread: (position) => this.#start(position + 1),
    });
  }

  /** Vectors of each group, back to back, once all are there. */
  async embedQuery(groups: readonly (readonly string[])[], signal?: AbortSignal): Promise<Float32Array[]> {
    return this.#submit(this.#queries, new EmbeddingCall(groups, true), signal);
  }

  /** As embedQuery; a few passages share the queries' thread, behind any query, until indexing threads run. */
  async embedPassages(groups: readonly (readonly string[])[], signal?: AbortSignal): Promise<Float32Array[]> {
    const small = groups.length + this.#queries.backlog <= SMALL_CALL;
    const lane = small && !this.#passages.running ? this.#queries : this.#passages;
    return this.#submit(lane, new EmbeddingCall(groups, false), signal);
  }

  /** Ends all threads; calls under way reject with `aborted`. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const call of this.#calls) call.fail(new LociError('aborted', 'The embedder was closed.'));
    await Promise.all([...this.#threads].map((thread) => thread.close()));
    this.#threads.clear();
    this.#shared = null;
  }

  async #submit(lane: Lane, call: EmbeddingCall, signal?: AbortSignal): Promise<Float32Array[]> {
    if (this.#closed) throw new LociError('embedding_unavailable', 'The embedder is closed.');
    const abort = (): void => {
      call.fail(new LociError('aborted', 'The embedding was stopped.', { cause: signal?.reason }));
    };
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort);
    this.#calls.add(call);
    this.#holdProcess();
    try {
      lane.submit(call);
      return await call.done;
    } finally {
      signal?.removeEventListener('abort', abort);
      this.#calls.delete(call);
      this.#holdProcess();
    }
  }

  /** Threads keep the process alive exactly while somebody waits for them. */
  #holdProcess(): void {
    for (const thread of this.#threads) {
      if (thread.alive) thread.hold(this.#calls.size > 0);
      else this.#threads.delete(thread);
    }
  }

  async #start(slot: number): Promise<EmbeddingThread> {
    const loads = this.#shared === null;
    const shared = (this.#shared ??= createShared(this.#slots));
    const thread = new EmbeddingThread({
      module: shared.module,
      memory: shared.memory,
      slots: this.#slots,
      slot,
      weightsPath: loads ? this.#files.weightsPath : null,
      tokenizerPath: this.#files.tokenizerPath,
    });
    this.#threads.add(thread);
    this.#holdProcess();
    shared.loaded ??= thread.ready;
    try {
      await Promise.all([shared.loaded, thread.ready]);
    } catch (error) {
      // Without its loader the memory holds no model: the next call begins anew.
      if (this.#shared === shared && loads) this.#shared = null;
      void thread.close();
      throw error;
    }
    return thread;
  }
}

function createShared(slots: number): Shared {
  const { pages } = planMemory(slots);
  return {
    module: new WebAssembly.Module(readFileSync(new URL('./minilm.wasm', import.meta.url))),
    memory: new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true }),
    loaded: null,
  };
}
