import { mapStrings } from '../../core/json.ts';
import type { TaskThread } from '../../core/threads/task-thread.ts';
import type { Timestamp } from '../../core/types.ts';
import type { HistoryDraft } from '../../store/admin-model.ts';
import type { Store } from '../../store/store.ts';

/** Milliseconds that a row waits for others, so that many runs are one transaction. */
const FLUSH_DELAY_MS = 200;
const MAX_PENDING_RUNS = 1000;
/** Rows of a namespace and category that stay. */
export const MAX_RUNS_PER_CATEGORY = 10_000;
/** Milliseconds. */
export const RUN_LIFETIME_MS: number = 90 * 24 * 60 * 60 * 1000;

/** A run, as it is noted. */
export type Run = Omit<HistoryDraft, 'expiresAt'>;

interface PendingRun {
  readonly namespace: string;
  readonly row: HistoryDraft;
}

/** Notes runs by and by: whoever ran something does not wait for it. */
export class HistoryLog {
  readonly #store: Store;
  readonly #thread: TaskThread;
  #waiting: PendingRun[] = [];
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> = Promise.resolve();

  /** @param thread where secrets are looked for */
  constructor(store: Store, thread: TaskThread) {
    this.#store = store;
    this.#thread = thread;
  }

  record(namespace: string, run: Run): void {
    this.#waiting.push({ namespace, row: { ...run, expiresAt: expiryOf(run.at) } });
    if (this.#waiting.length >= MAX_PENDING_RUNS) void this.flush();
    // Nobody stays awake for it: `close` writes what is left.
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_DELAY_MS).unref();
  }

  /** Everything that was noted is in the store when this resolves; what cannot be written is let go of. */
  flush(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const rows = this.#waiting;
    this.#waiting = [];
    if (rows.length > 0) {
      this.#writing = this.#writing.then(() => this.#write(rows)).catch(() => undefined);
    }
    return this.#writing;
  }

  close(): Promise<void> {
    return this.flush();
  }

  async #write(rows: readonly PendingRun[]): Promise<void> {
    const masked: PendingRun[] = [];
    for (const { namespace, row } of rows) {
      const inputs = (await mapStrings(row.inputs, this.#masked)) as HistoryDraft['inputs'];
      masked.push({ namespace, row: { ...row, inputs } });
    }
    for (const [namespace, notes] of Map.groupBy(masked, (each) => each.namespace)) {
      const history = { rows: notes.map(({ row }) => row), keep: MAX_RUNS_PER_CATEGORY };
      await this.#store.records.commit(namespace, { history });
    }
  }

  /** Whatever `writes.secrets` says: what was asked is kept here although nobody wanted it to be written. */
  readonly #masked = async (text: string): Promise<string> => {
    const { SECRET_DETECTION } = await import('../../secrets/detect.ts');
    const { maskSecrets } = await import('../../secrets/secret.ts');
    const secrets = await this.#thread.run(SECRET_DETECTION, [text], { size: text.length });
    return maskSecrets(text, secrets);
  };
}

function expiryOf(at: Timestamp): Timestamp {
  return at + RUN_LIFETIME_MS;
}
