import { LociError } from '../core/errors.ts';

/** Operations of one caller that run at the same time. More connections do not give a caller a larger share of the server. */
const MAX_RUNNING = 4;
/** The same for operations of several steps, such as an import, which may take as long as a request may. */
const MAX_RUNNING_STEPS = 1;
/** Operations of one caller that wait. Each holds its input in memory. */
const MAX_WAITING = 100;

interface Waiting {
  readonly begin: () => void;
}

interface Lane {
  running: number;
  readonly waiting: Set<Waiting>;
}

interface Turn {
  readonly caller: string;
  /** Whether the operation has several steps. These have a limit of their own, so that searches do not wait for an import. */
  readonly steps: boolean;
  readonly signal: AbortSignal;
}

/** Limits how many operations each caller of a server runs at once. The others of the caller wait, in the order in which they came. */
export class CallerLimit {
  readonly #lanes = new Map<string, Lane>();
  readonly #maxWaitMs: number;

  /** @param maxWaitMs how long an operation waits for others of its caller */
  constructor(maxWaitMs: number) {
    this.#maxWaitMs = maxWaitMs;
  }

  /** @throws LociError `rate_limited` for one that would wait too long, the reason of an aborted signal, and what the work throws */
  async run<Result>({ caller, steps, signal }: Turn, work: () => Promise<Result>): Promise<Result> {
    const key = `${steps ? 'steps' : 'one step'} ${caller}`;
    const lane = this.#lanes.get(key) ?? { running: 0, waiting: new Set() };
    this.#lanes.set(key, lane);
    if (lane.running < (steps ? MAX_RUNNING_STEPS : MAX_RUNNING)) lane.running += 1;
    else await this.#wait(lane, signal);
    try {
      return await work();
    } finally {
      this.#leave(key, lane);
    }
  }

  async #wait(lane: Lane, signal: AbortSignal): Promise<void> {
    if (lane.waiting.size >= MAX_WAITING) throw tooMany(lane);
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<undefined>();
    const waiting = { begin: () => resolve(undefined) };
    // It leaves at once, so that no place is given to one that no longer waits.
    const leave = (error: Error): void => {
      lane.waiting.delete(waiting);
      reject(error);
    };
    const abort = (): void => leave(signal.reason as Error);
    const timer = setTimeout(() => leave(tooMany(lane)), this.#maxWaitMs);
    lane.waiting.add(waiting);
    signal.addEventListener('abort', abort);
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    }
  }

  /** The first that waits takes the place of the one that ends. */
  #leave(key: string, lane: Lane): void {
    const [next] = lane.waiting;
    if (next !== undefined) {
      lane.waiting.delete(next);
      next.begin();
      return;
    }
    lane.running -= 1;
    if (lane.running === 0) this.#lanes.delete(key);
  }
}

function tooMany({ running, waiting }: Lane): LociError {
  const others = `${String(running)} running and ${String(waiting.size)} waiting`;
  return new LociError('rate_limited', `too many requests of this caller at once: ${others}`);
}
