import { messageOf } from '../../core/errors.ts';
import { formatCount } from '../../core/text/format-count.ts';

/** How long after a failure a recall starts it again. */
const RETRY_AFTER_MS = 30_000;

/** Embeds what has no vector, one run after the other, until it is closed. The next process goes on where it stopped. */
export class BackgroundEmbedding {
  readonly #embed: (signal: AbortSignal) => Promise<string | null>;
  readonly #retryAfterMs: number;
  readonly #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();
  /** The run that begins after the one that runs. */
  #next: Promise<void> | null = null;
  #failedAt = 0;
  /** Why the last run failed, or left texts out; `null` if it did not. */
  problem: string | null = null;

  /**
   * @param embed returns why some texts get no vector, if so
   * @param retryAfterMs for tests
   */
  constructor(embed: (signal: AbortSignal) => Promise<string | null>, retryAfterMs: number = RETRY_AFTER_MS) {
    this.#embed = embed;
    this.#retryAfterMs = retryAfterMs;
  }

  /** Embeds all that is stored by now. */
  start(): void {
    this.#next ??= this.#running.then(() => {
      this.#next = null;
      return this.#run();
    });
    this.#running = this.#next;
  }

  /** Resolves when all runs have ended, whether they failed or not. */
  settled(): Promise<void> {
    return this.#running;
  }

  /** After a failure, tries again if some time has passed. */
  retry(): void {
    if (this.problem === null || performance.now() - this.#failedAt < this.#retryAfterMs) return;
    this.#failedAt = performance.now();
    this.start();
  }

  /** What a status says of this number of texts that have no vector. */
  problemsOf(waiting: number): string[] {
    const why = this.problem ?? 'they are being embedded';
    return waiting === 0 ? [] : [`${formatCount(waiting, 'text')} without a vector, found by words: ${why}`];
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    if (signal.aborted) return;
    try {
      this.problem = await this.#embed(signal);
    } catch (error) {
      this.problem = messageOf(error);
      this.#failedAt = performance.now();
    }
  }
}
