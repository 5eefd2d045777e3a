import type { Timestamp } from '../core/types.ts';
import type { HistoryDraft } from '../store/history.ts';
import type { Store } from '../store/store.ts';

/** Milliseconds that a row waits for others, so that many runs are one transaction. */
const WAIT = 200;
const MOST_WAITING = 1000;
/** Rows of a namespace and category that stay. */
export const KEEP = 10_000;
const KEEP_FOR = 90 * 24 * 60 * 60 * 1000;

/** A run, as it is noted. */
export type Run = Omit<HistoryDraft, 'expiresAt'>;

/** Notes runs by and by: whoever ran something does not wait for it. */
export class HistoryLog {
  readonly #store: Store;
  #waiting: { namespace: string; row: HistoryDraft }[] = [];
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> = Promise.resolve();

  constructor(store: Store) {
    this.#store = store;
  }

  note(namespace: string, run: Run): void {
    this.#waiting.push({ namespace, row: { ...run, expiresAt: expiryOf(run.at) } });
    if (this.#waiting.length >= MOST_WAITING) void this.flush();
    // Nobody stays awake for it: `close` writes what is left.
    this.#timer ??= setTimeout(() => void this.flush(), WAIT).unref();
  }

  /** Everything that was noted is in the store when this resolves; what cannot be written is let go of. */
  flush(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const rows = this.#waiting;
    this.#waiting = [];
    if (rows.length > 0) {
      this.#writing = this.#writing.then(() => this.#store.noteHistory(rows, KEEP)).catch(() => undefined);
    }
    return this.#writing;
  }

  close(): Promise<void> {
    return this.flush();
  }
}

function expiryOf(at: Timestamp): Timestamp {
  return at + KEEP_FOR;
}
