import { messageOf } from '../../../core/errors.ts';
import type { EngineContext } from '../../../engine/context.ts';

/** Checks are cached so that frequent requests cost nothing. */
const CACHE_TTL_MS = 2000;

/** Checks whether the server can answer requests. */
export class Readiness {
  readonly #loci: () => Promise<EngineContext>;
  #draining = false;
  #last: { readonly until: number; readonly answer: Promise<string | null> } | null = null;

  constructor(loci: () => Promise<EngineContext>) {
    this.#loci = loci;
  }

  /** Reports not ready from now on, because the server is stopping. */
  drain(): void {
    this.#draining = true;
  }

  /** Why the store or the model cannot answer; `null` if they can. */
  problem(): Promise<string | null> {
    if (this.#draining) return Promise.resolve('the server is stopping');
    const now = performance.now();
    if (this.#last === null || now >= this.#last.until)
      this.#last = { until: now + CACHE_TTL_MS, answer: this.#check() };
    return this.#last.answer;
  }

  async #check(): Promise<string | null> {
    try {
      const { assertReady } = await import('../../../engine/health/doctor.ts');
      await assertReady(await this.#loci());
      return null;
    } catch (error) {
      return messageOf(error);
    }
  }
}
