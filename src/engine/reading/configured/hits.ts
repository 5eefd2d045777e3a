import type { Store } from '../../../store/store.ts';
import type { EngineServices } from '../../context.ts';
import { hitChanges } from '../../../store/items/kinds.ts';

const FLUSH_DELAY_MS = 5000;

/** Counts the searches that found records of a source (S11). Counts are written after a delay, so that searches do not wait for the write. */
export class HitCounter {
  readonly #store: Store;
  readonly #now: () => number;
  /** Namespace → source → searches since the last write. */
  #pending = new Map<string, Map<string, number>>();
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> = Promise.resolve();

  constructor(services: EngineServices) {
    this.#store = services.store;
    this.#now = services.now;
    services.flushOnClose(() => this.flush());
  }

  /** @param sources the sources of the results of one search; duplicates count once */
  count(namespace: string, sources: readonly string[]): void {
    if (sources.length === 0) return;
    const counts = this.#pending.get(namespace) ?? new Map<string, number>();
    for (const source of new Set(sources)) counts.set(source, (counts.get(source) ?? 0) + 1);
    this.#pending.set(namespace, counts);
    // The timer does not keep the process alive. The engine calls `flush` when it closes.
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_DELAY_MS).unref();
  }

  /** Resolves when all counts are in the store. Counts that cannot be written are dropped. */
  flush(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const pending = this.#pending;
    this.#pending = new Map();
    for (const [namespace, hits] of pending) {
      this.#writing = this.#writing
        .then(async () => {
          await this.#store.records.commit(namespace, { items: hitChanges(hits, this.#now()) });
        })
        .catch(() => undefined);
    }
    return this.#writing;
  }
}
