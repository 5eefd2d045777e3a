/** A queue that takes the owners of its items in turn. The items of one owner keep their order. */
export class FairQueue<Item> {
  /** The items of each owner, in the order in which the owners have their turn. */
  readonly #items = new Map<string, Item[]>();
  #lastOwner = '';

  get size(): number {
    return [...this.#items.values()].reduce((sum, { length }) => sum + length, 0);
  }

  push(owner: string, item: Item): void {
    const items = this.#items.get(owner);
    if (items === undefined) this.#items.set(owner, [item]);
    else items.push(item);
  }

  /** Removes and returns the next item; `undefined` if there is none. */
  shift(): Item | undefined {
    this.#moveToEnd(this.#lastOwner);
    for (const [owner, items] of this.#items) {
      const item = items.shift();
      if (items.length === 0) this.#items.delete(owner);
      this.#lastOwner = owner;
      return item;
    }
    return undefined;
  }

  /** Removes an item that is still waiting. */
  remove(owner: string, item: Item): void {
    const items = this.#items.get(owner);
    const index = items?.indexOf(item) ?? -1;
    if (items === undefined || index === -1) return;
    items.splice(index, 1);
    if (items.length === 0) this.#items.delete(owner);
  }

  /** Also behind owners whose first item came since its last turn. */
  #moveToEnd(owner: string): void {
    const items = this.#items.get(owner);
    if (items === undefined) return;
    this.#items.delete(owner);
    this.#items.set(owner, items);
  }
}

/**
 * A counting semaphore. `p-queue` is not used: it has no owners, and a task whose signal fires gives its turn away although the task
 * still runs.
 */

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

  /** How many have a turn. */
  get running(): number {
    return this.#turns - this.#free;
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
