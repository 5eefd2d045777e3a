/** One call of `embed`, divided into groups of texts. Each group may run on a different thread of a queue. */

import { HIDDEN_SIZE } from './model/memory-plan.ts';

/** Gives each vector its own buffer, so that a reference to one vector does not keep its whole group in memory. */
export function splitVectors(vectors: Float32Array): Float32Array[] {
  return Array.from({ length: vectors.length / HIDDEN_SIZE }, (_, i) =>
    vectors.slice(i * HIDDEN_SIZE, (i + 1) * HIDDEN_SIZE),
  );
}

export class EmbeddingCall {
  /** One vector for each text of each group, in order. */
  readonly done: Promise<Float32Array[]>;
  /** Urgent calls are served before others. */
  readonly urgent: boolean;
  readonly owner: string;
  readonly #groups: readonly (readonly string[])[];
  readonly #results: Float32Array[][] = [];
  readonly #resolve: (vectors: Float32Array[]) => void;
  readonly #reject: (error: Error) => void;
  #nextGroup = 0;
  #completedGroups = 0;

  constructor(groups: readonly (readonly string[])[], urgent: boolean, owner = '') {
    const { promise, resolve, reject } = Promise.withResolvers<Float32Array[]>();
    this.done = promise;
    this.urgent = urgent;
    this.owner = owner;
    this.#groups = groups;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /** The number of groups that no thread has taken yet. */
  get remainingGroups(): number {
    return this.#groups.length - this.#nextGroup;
  }

  /** Passes the next group to `run` and stores its vectors. The call completes when all groups have their vectors. */
  async runNextGroup(run: (texts: readonly string[]) => Promise<Float32Array>): Promise<void> {
    const index = this.#nextGroup++;
    const texts = this.#groups[index];
    if (!texts) throw new RangeError('the call has no group left');
    try {
      this.#results[index] = splitVectors(await run(texts));
      this.#completedGroups += 1;
      if (this.#completedGroups === this.#groups.length) this.#resolve(this.#results.flat());
    } catch (error) {
      this.fail(error instanceof Error ? error : new Error(String(error)));
    }
  }

  /** Rejects the call. Groups that no thread has taken are dropped. */
  fail(error: Error): void {
    this.#nextGroup = this.#groups.length;
    this.#reject(error);
  }
}
