/**
 * A queue of calls and the worker threads that serve it. A thread starts when there is work for it. Owners of calls have their
 * turn group by group, so that the calls of one do not wait for all calls of another.
 */

import { LociError, messageOf } from '../../core/errors.ts';
import { FairQueue } from '../../core/threads/semaphore.ts';
import type { EmbeddingCall } from './call.ts';
import type { EmbeddingThread } from './thread.ts';

interface WorkerQueueOptions {
  readonly size: number;
  /** Groups that a thread may have at once. With more than one it never waits for the main thread to send the next. */
  readonly depth: number;
  /** Resolves when the thread is ready. */
  readonly startThread: (position: number) => Promise<EmbeddingThread>;
}

interface WorkerSlot {
  starting: boolean;
  thread: EmbeddingThread | null;
}

export class WorkerQueue {
  readonly #depth: number;
  readonly #startThread: (position: number) => Promise<EmbeddingThread>;
  readonly #slots: readonly WorkerSlot[];
  /** Calls that have groups which no thread has taken. */
  readonly #calls = new Set<EmbeddingCall>();
  /** Each call once for each of its groups; calls that failed meanwhile are skipped. */
  readonly #urgentGroups = new FairQueue<EmbeddingCall>();
  readonly #otherGroups = new FairQueue<EmbeddingCall>();

  constructor({ size, depth, startThread }: WorkerQueueOptions) {
    this.#depth = depth;
    this.#startThread = startThread;
    this.#slots = Array.from({ length: size }, () => ({ starting: false, thread: null }));
  }

  /** Whether any thread runs or is starting. */
  get running(): boolean {
    return this.#slots.some((slot) => slot.starting || slot.thread?.isRunning);
  }

  /** The number of groups that wait for a thread. */
  get backlog(): number {
    return [...this.#calls].reduce((sum, call) => sum + call.remainingGroups, 0);
  }

  /** Adds a call. Urgent calls go before others. */
  submit(call: EmbeddingCall): void {
    const groups = call.urgent ? this.#urgentGroups : this.#otherGroups;
    for (let i = call.remainingGroups; i > 0; i--) groups.push(call.owner, call);
    this.#calls.add(call);
    this.#schedule();
  }

  #schedule(): void {
    for (const call of this.#calls) if (call.remainingGroups === 0) this.#calls.delete(call);
    this.#startThreads();
    this.#dispatch();
  }

  /** Starts as many threads as there are groups, and replaces threads that died. */
  #startThreads(): void {
    const load = this.#slots.reduce((sum, { thread }) => sum + (thread?.isRunning ? thread.load : 0), 0);
    for (const [position, slot] of this.#slots.slice(0, load + this.backlog).entries()) {
      if (!slot.starting && !slot.thread?.isRunning) void this.#startThreadIn(slot, position);
    }
  }

  async #startThreadIn(slot: WorkerSlot, position: number): Promise<void> {
    slot.starting = true;
    try {
      slot.thread = await this.#startThread(position);
    } catch (error) {
      const failure =
        error instanceof LociError
          ? error
          : new LociError('embedding_unavailable', messageOf(error), { cause: error });
      for (const call of this.#calls) call.fail(failure);
    } finally {
      slot.starting = false;
    }
    this.#schedule();
  }

  #dispatch(): void {
    for (let thread = this.#leastLoaded(); thread !== null; thread = this.#leastLoaded()) {
      const call = nextOf(this.#urgentGroups) ?? nextOf(this.#otherGroups);
      if (call === undefined) return;
      const chosen = thread;
      void call
        .runNextGroup((texts) => chosen.run(texts))
        .then(() => {
          this.#schedule();
        });
    }
  }

  #leastLoaded(): EmbeddingThread | null {
    let best: EmbeddingThread | null = null;
    for (const { thread } of this.#slots) {
      if (thread?.isRunning && thread.load < (best?.load ?? this.#depth)) best = thread;
    }
    return best;
  }
}

/** The next call that still has a group. */
function nextOf(groups: FairQueue<EmbeddingCall>): EmbeddingCall | undefined {
  let call = groups.shift();
  while (call?.remainingGroups === 0) call = groups.shift();
  return call;
}
