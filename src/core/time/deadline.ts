/** The time at which work stops and returns what it has found. */
export class Deadline {
  readonly #end: number;
  readonly #now: () => number;
  #isPast = false;

  /** @param budgetMs how long the work may take from now, in milliseconds @param now a clock that never goes back */
  constructor(budgetMs: number = Number.POSITIVE_INFINITY, now: () => number = () => performance.now()) {
    this.#now = now;
    this.#end = now() + budgetMs;
  }

  /** Milliseconds, below 0 once it is past; `Infinity` without a limit. */
  get left(): number {
    return this.#end - this.#now();
  }

  /** Stays `true` once it is. Reads the clock, which takes about 50 ns. */
  get isPast(): boolean {
    this.#isPast ||= this.#now() >= this.#end;
    return this.#isPast;
  }
}

/**
 * The result of the work, or what `late` returns or throws if it takes longer. The work goes on then, and its failure concerns nobody.
 * @param maxMs 0 for no limit
 */
export async function within<Result, Late = Result>(
  work: Promise<Result>,
  maxMs: number,
  late: () => Late,
): Promise<Result | Late> {
  if (maxMs === 0) return work;
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(resolve, maxMs, undefined);
  try {
    return await Promise.race([work, promise.then(late)]);
  } finally {
    clearTimeout(timer);
  }
}
