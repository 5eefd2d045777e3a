import type { Store } from '../../store/store.ts';
import type { EngineServices } from '../context.ts';

interface DelayOptions<Item> {
  readonly delayMs: number;
  /** So many of a namespace are written at once, without a delay. */
  readonly maxPending: number;
  /** What a warning says when they cannot be written. */
  readonly failure: string;
  readonly write: (store: Store, namespace: string, items: readonly Item[]) => Promise<unknown>;
}

/** Writes what calls leave behind after a delay, several at once, so that no call waits for it. What cannot be written is dropped. */
export class DelayedWrites<Item> {
  readonly #services: EngineServices;
  readonly #options: DelayOptions<Item>;
  /** By namespace. */
  #pending = new Map<string, Item[]>();
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> = Promise.resolve();

  constructor(services: EngineServices, options: DelayOptions<Item>) {
    this.#services = services;
    this.#options = options;
    services.flushOnClose(() => this.flush());
  }

  add(namespace: string, item: Item): void {
    if (this.#services.store.capabilities.readOnly) return;
    const items = this.#pending.get(namespace) ?? [];
    this.#pending.set(namespace, items);
    if (items.push(item) >= this.#options.maxPending) void this.flush();
    // The timer does not keep the process alive. The engine calls `flush` when it closes.
    else this.#timer ??= setTimeout(() => void this.flush(), this.#options.delayMs).unref();
  }

  /** Resolves when all items so far are in the store. */
  flush(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const { write, failure } = this.#options;
    for (const [namespace, items] of this.#pending)
      this.#writing = this.#writing
        .then(() => write(this.#services.store, namespace, items))
        .then(
          () => undefined,
          (error: unknown) => this.#services.warnOfFailure(failure, error),
        );
    this.#pending = new Map();
    return this.#writing;
  }
}
