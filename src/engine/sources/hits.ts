import type { Store } from '../../store/store.ts';

/** Milliseconds that a count waits for others. */
const WAIT = 5000;

/** Counts the searches that records of a source were among the results of (S11), by and by: no search waits for it. */
export class HitCounter {
  readonly #store: Store;
  readonly #now: () => number;
  /** Namespace → source → searches since the last writing. */
  #waiting = new Map<string, Map<string, number>>();
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> = Promise.resolve();

  constructor(store: Store, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  /** @param sources of the results of one search, each as often as it likes */
  count(namespace: string, sources: readonly string[]): void {
    if (sources.length === 0) return;
    const counts = this.#waiting.get(namespace) ?? new Map<string, number>();
    for (const source of new Set(sources)) counts.set(source, (counts.get(source) ?? 0) + 1);
    this.#waiting.set(namespace, counts);
    // Nobody stays awake for it: `close` writes what is left.
    this.#timer ??= setTimeout(() => void this.flush(), WAIT).unref();
  }

  /** Everything that was counted is in the store when this resolves; what cannot be written is let go of. */
  flush(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const counted = this.#waiting;
    this.#waiting = new Map();
    for (const [namespace, hits] of counted) {
      this.#writing = this.#writing
        .then(() => this.#store.addHits(namespace, hits, this.#now()))
        .catch(() => undefined);
    }
    return this.#writing;
  }
}
