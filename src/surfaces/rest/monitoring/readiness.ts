import { messageOf } from '../../../core/errors.ts';
import type { Loci } from '../../../engine/open.ts';

/** Checks are cached so that frequent requests cost nothing. */
const CACHE_TTL_MS = 2000;

/** Checks whether the server can answer requests. */
export class Readiness {
  readonly #loci: () => Promise<Loci>;
  #draining = false;
  #last: { readonly until: number; readonly answer: Promise<string | null> } | null = null;

  constructor(loci: () => Promise<Loci>) {
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
      await (await this.#loci()).assertReady();
      return null;
    } catch (error) {
      return messageOf(error);
    }
  }
}
