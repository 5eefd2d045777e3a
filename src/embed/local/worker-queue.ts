/**
 * Groups of texts that wait for worker threads. A thread starts when there is work for it. Owners have their turn group by group,
 * so that the calls of one do not wait for all calls of another.
 */

import { addAbortListener } from 'node:events';
import { LociError } from '../../core/errors.ts';
import { FairQueue } from '../../core/threads/semaphore.ts';
import type { EmbedOptions } from '../embedder.ts';

interface GroupThread {
  readonly isRunning: boolean;
  /** The vectors of `texts` one after the other. */
  run(texts: readonly string[]): Promise<Float32Array>;
}

interface WorkerQueueOptions {
  readonly size: number;
  /** Groups that a thread may have at once. With more than one it never waits for the main thread to send the next. */
  readonly depth: number;
  /** Resolves when the thread is ready. */
  readonly startThread: (position: number) => Promise<GroupThread>;
}

type Group = PromiseWithResolvers<Float32Array> & { readonly texts: readonly string[] };

export class WorkerQueue {
  readonly #options: WorkerQueueOptions;
  readonly #urgentGroups = new FairQueue<Group>();
  readonly #otherGroups = new FairQueue<Group>();
  readonly #threads: (Promise<GroupThread> | undefined)[] = [];
  /** For each thread, how many groups it has or is to take. */
  readonly #loads: number[];
  /** How many groups the threads have. */
  #running = 0;

  constructor(options: WorkerQueueOptions) {
    this.#options = options;
    this.#loads = new Array<number>(options.size).fill(0);
  }

  /** Whether any thread was started. */
  get isStarted(): boolean {
    return this.#threads.some((thread) => thread !== undefined);
  }

  /** The number of groups that wait for a thread. */
  get backlog(): number {
    return this.#urgentGroups.size + this.#otherGroups.size;
  }

  /** Returns the vectors of each group. Groups of urgent calls go before others. @throws LociError `aborted`; the error of a thread */
  async run(
    groups: readonly (readonly string[])[],
    isUrgent: boolean,
    { owner = '', signal }: Pick<EmbedOptions, 'owner' | 'signal'> = {},
  ): Promise<Float32Array[]> {
    if (signal?.aborted === true) throw aborted(signal);
    const queue = isUrgent ? this.#urgentGroups : this.#otherGroups;
    const call = groups.map((texts): Group => ({ texts, ...Promise.withResolvers<Float32Array>() }));
    const done = Promise.all(call.map(({ promise }) => promise));
    using _abort =
      signal &&
      addAbortListener(signal, () => {
        for (const group of call) group.reject(aborted(signal));
      });
    for (const group of call) queue.push(owner, group);
    this.#schedule();
    try {
      return await done;
    } catch (error) {
      for (const group of call) queue.remove(owner, group);
      throw error;
    }
  }

  /** Gives each group that waits to the thread with the least to do, unless all have as many as they may. */
  #schedule(): void {
    const { size, depth } = this.#options;
    const due = Math.min(size * depth, this.#running + this.backlog);
    for (let load = this.#loads.reduce((a, b) => a + b, 0); load < due; load++)
      void this.#serve(this.#loads.indexOf(Math.min(...this.#loads)));
  }

  /** Runs groups in a thread, one after the other, until none waits. */
  async #serve(position: number): Promise<void> {
    this.#loads[position]! += 1;
    try {
      while (this.backlog > 0) {
        const thread = await this.#threadAt(position);
        const group = this.#next();
        if (group === undefined) break;
        this.#running += 1;
        await thread.run(group.texts).then(group.resolve, group.reject);
        this.#running -= 1;
      }
    } catch (error) {
      // No thread can be started.
      for (let group = this.#next(); group !== undefined; group = this.#next()) group.reject(error);
    } finally {
      this.#loads[position]! -= 1;
    }
  }

  #next(): Group | undefined {
    return this.#urgentGroups.shift() ?? this.#otherGroups.shift();
  }

  /** Starts a thread in place of one that has died. */
  async #threadAt(position: number): Promise<GroupThread> {
    const started = this.#threads[position];
    const thread = await started;
    if (thread?.isRunning === true) return thread;
    if (this.#threads[position] === started)
      this.#threads[position] = this.#options.startThread(position).catch((error: unknown) => {
        this.#threads[position] = undefined;
        throw error;
      });
    return (await this.#threads[position])!;
  }
}

export function aborted(signal?: AbortSignal): LociError {
  return new LociError('aborted', 'The embedding was stopped.', { cause: signal?.reason });
}
