import { messageOf } from '../../core/errors.ts';
import { Refusals } from '../../ingest/embed.ts';
import type { EngineContext } from '../../engine/context.ts';
import { embedNew } from '../../engine/reading/embed-new.ts';

/** How long after a failure a recall starts it again. */
const RETRY_AFTER_MS = 30_000;

/** Embeds what has no vector, one run after the other, until it is closed. The next process goes on where it stopped. */
export class BackgroundEmbedding {
  readonly #engine: EngineContext;
  readonly #retryAfterMs: number;
  readonly #stop = new AbortController();
  readonly #refusals = new Refusals();
  #running: Promise<void> = Promise.resolve();
  /** The run that begins after the one that runs. */
  #next: Promise<void> | null = null;
  #failedAt = 0;
  /** Why the last run failed; `null` if it did not. */
  problem: string | null = null;

  /** @param retryAfterMs for tests */
  constructor(engine: EngineContext, retryAfterMs: number = RETRY_AFTER_MS) {
    this.#engine = engine;
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

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    if (signal.aborted) return;
    try {
      await embedNew(this.#engine, { signal, refusals: this.#refusals });
      const [first] = this.#refusals.texts;
      this.problem = first === undefined ? null : `the embedding provider refuses some texts: ${first.why}`;
    } catch (error) {
      this.problem = messageOf(error);
      this.#failedAt = performance.now();
    }
  }
}
