/**
 * A counting semaphore. `p-queue` is not used: it has no owners, and a task whose signal fires gives its turn away although the task
 * still runs.
 */

import { FairQueue } from './fair-queue.ts';

/** A number of turns. Owners who wait for one have it one after the other. */
export class Semaphore {
  readonly #turns: number;
  readonly #waiting = new FairQueue<() => void>();
  #free: number;

  constructor(turns: number) {
    this.#turns = turns;
    this.#free = turns;
  }

  get isIdle(): boolean {
    return this.#free === this.#turns;
  }

  /** How many wait. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Waits for a turn, which lasts until `release`. @throws the reason of the signal, which has no effect after the wait */
  async acquire(signal?: AbortSignal, owner = ''): Promise<void> {
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<undefined>();
    const begin = (): void => resolve(undefined);
    // It leaves at once, so that no turn is given to one that no longer waits.
    const leave = (): void => {
      this.#waiting.remove(owner, begin);
      reject(signal?.reason as Error);
    };
    this.#waiting.push(owner, begin);
    if (this.#free > 0) {
      this.#free -= 1;
      this.#waiting.shift()?.();
    }
    signal?.addEventListener('abort', leave);
    await promise.finally(() => signal?.removeEventListener('abort', leave));
  }

  /** The next one that waits has the turn. */
  release(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}
