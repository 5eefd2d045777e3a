/** A queue of calls and the worker threads that serve it. A thread starts when there is work for it. */

import { LociError, messageOf } from '../../core/errors.ts';
import type { EmbeddingCall } from './call.ts';
import type { EmbeddingThread } from './thread.ts';

export interface WorkerQueueOptions {
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
  readonly #seats: readonly WorkerSlot[];
  #queue: EmbeddingCall[] = [];

  constructor({ size, depth, startThread }: WorkerQueueOptions) {
    this.#depth = depth;
    this.#startThread = startThread;
    this.#seats = Array.from({ length: size }, () => ({ starting: false, thread: null }));
  }

  /** Whether any thread runs or is starting. */
  get running(): boolean {
    return this.#seats.some((seat) => seat.starting || seat.thread?.alive);
  }

  /** Groups that wait for a thread. */
  get backlog(): number {
    return this.#queue.reduce((sum, call) => sum + call.remaining, 0);
  }

  /** Adds a call. Urgent calls go before others. */
  submit(call: EmbeddingCall): void {
    const after = this.#queue.findLastIndex((queued) => queued.urgent || !call.urgent);
    this.#queue.splice(after + 1, 0, call);
    this.#work();
  }

  #work(): void {
    this.#queue = this.#queue.filter((call) => call.remaining > 0);
    this.#startWanted();
    this.#dispatch();
  }

  /** Starts as many threads as there are groups, and replaces threads that died. */
  #startWanted(): void {
    const held = this.#seats.reduce((sum, { thread }) => sum + (thread?.alive ? thread.load : 0), 0);
    for (const [position, seat] of this.#seats.slice(0, held + this.backlog).entries()) {
      if (!seat.starting && !seat.thread?.alive) void this.#fill(seat, position);
    }
  }

  async #fill(seat: WorkerSlot, position: number): Promise<void> {
    seat.starting = true;
    try {
      seat.thread = await this.#startThread(position);
    } catch (error) {
      const failure =
        error instanceof LociError
          ? error
          : new LociError('embedding_unavailable', messageOf(error), { cause: error });
      for (const call of this.#queue.splice(0)) call.fail(failure);
    } finally {
      seat.starting = false;
    }
    this.#work();
  }

  #dispatch(): void {
    for (const call of this.#queue) {
      while (call.remaining > 0) {
        const thread = this.#leastLoaded();
        if (!thread) return;
        void call
          .advance((texts) => thread.run(texts))
          .then(() => {
            this.#work();
          });
      }
    }
  }

  #leastLoaded(): EmbeddingThread | null {
    let best: EmbeddingThread | null = null;
    for (const { thread } of this.#seats) {
      if (thread?.alive && thread.load < (best?.load ?? this.#depth)) best = thread;
    }
    return best;
  }
}
