import { LociError } from '../core/errors.ts';
import { Semaphore } from '../core/threads/semaphore.ts';

/** Operations of one caller that run at the same time. More connections do not give a caller a larger share of the server. */
const MAX_RUNNING = 4;
/** The same for operations of several steps, such as an import, which may take as long as a request may. */
const MAX_RUNNING_STEPS = 1;
/** Operations of one caller that wait. Each holds its input in memory. */
const MAX_WAITING = 100;

interface Turn {
  readonly caller: string;
  /** Whether the operation has several steps. These have a limit of their own, so that searches do not wait for an import. */
  readonly steps: boolean;
  readonly signal: AbortSignal;
}

/** Limits how many operations each caller of a server runs at once. The others of the caller wait, in the order in which they came. */
export class CallerLimit {
  readonly #lanes = new Map<string, Semaphore>();
  readonly #maxWaitMs: number;

  /** @param maxWaitMs how long an operation waits for others of its caller */
  constructor(maxWaitMs: number) {
    this.#maxWaitMs = maxWaitMs;
  }

  /** @throws LociError `rate_limited` for one that would wait too long, the reason of an aborted signal, and what the work throws */
  async run<Result>({ caller, steps, signal }: Turn, work: () => Promise<Result>): Promise<Result> {
    const key = `${steps ? 'steps' : 'one step'} ${caller}`;
    const running = steps ? MAX_RUNNING_STEPS : MAX_RUNNING;
    const turns = this.#lanes.get(key) ?? new Semaphore(running);
    this.#lanes.set(key, turns);
    const tooMany = (): LociError => {
      const others = `${String(running)} running and ${String(turns.waiting)} waiting`;
      return new LociError('rate_limited', `too many requests of this caller at once: ${others}`);
    };
    if (turns.waiting >= MAX_WAITING) throw tooMany();
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(tooMany()), this.#maxWaitMs);
    try {
      await turns.acquire(AbortSignal.any([signal, late.signal])).finally(() => clearTimeout(timer));
      try {
        return await work();
      } finally {
        turns.release();
      }
    } finally {
      if (turns.isIdle) this.#lanes.delete(key);
    }
  }
}
