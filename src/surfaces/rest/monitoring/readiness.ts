import { messageOf } from '../../../core/errors.ts';
import type { Loci } from '../../../engine/open.ts';

/** How long an answer holds, in milliseconds: asking often must cost nothing. */
const FRESH = 2000;

/** Whether requests can be answered now. */
export class Readiness {
  readonly #loci: () => Promise<Loci>;
  #draining = false;
  #last: { readonly until: number; readonly answer: Promise<string | null> } | null = null;

  constructor(loci: () => Promise<Loci>) {
    this.#loci = loci;
  }

  /** From now on nothing is ready: the server is about to end. */
  drain(): void {
    this.#draining = true;
  }

  /** What keeps the store or the model from answering; `null` when nothing does. */
  fault(): Promise<string | null> {
    if (this.#draining) return Promise.resolve('the server is stopping');
    const now = performance.now();
    if (this.#last === null || now >= this.#last.until)
      this.#last = { until: now + FRESH, answer: this.#ask() };
    return this.#last.answer;
  }

  async #ask(): Promise<string | null> {
    try {
      await (await this.#loci()).answers();
      return null;
    } catch (error) {
      return messageOf(error);
    }
  }
}
