/** When requests to a provider are sent: how many at once, how fast, and again after a failure. */

import { setTimeout as delay } from 'node:timers/promises';
import { LociError } from '../core/errors.ts';
import { Semaphore } from '../core/threads/semaphore.ts';
import { ProviderError } from './http/provider-error.ts';

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 30_000;
/** A provider that refuses for longer is given up. */
const MAX_BUSY_MS = 300_000;
/** A provider that cannot be reached is tried this often: it was restarted, or it is not there. */
const MAX_CONNECTION_TRIES = 3;
/** A request that was not answered in time has taken long already. */
const MAX_LATE_TRIES = 2;
/** Requests that were told to wait for the same time do not all return at once. */
const JITTER = 0.1;
const MAX_JITTER_MS = 250;

interface QueueOptions {
  readonly concurrency: number;
  /** `null` for no limit. */
  readonly requestsPerMinute: number | null;
}

/** A try of a provider by a person, who waits for the outcome: a request is repeated once at most, and soon. */
export interface Trial {
  /** Called before a request is repeated. @param why of the first failure */
  readonly onRepeat: (why: string) => void;
}

/** A person who tries a provider does not wait longer for the second request. */
const MAX_TRIAL_DELAY_MS = 30_000;

export interface RunOptions {
  /** Owners have their turn one after the other. */
  readonly owner?: string;
  readonly signal?: AbortSignal;
  /** Whether to repeat a request that failed. One that is not to be repeated does not wait for as long as the provider asks either. */
  readonly repeat: boolean;
  readonly trial?: Trial;
  /** Asked after each fault of the provider that a text may have caused. If one has, the request is not repeated. */
  readonly isCausedByText?: (tries: number) => Promise<boolean>;
}

export class RequestQueue {
  readonly #intervalMs: number;
  readonly #turns: Semaphore;
  /** When the next request may start, by the rate limit. */
  #nextStart = 0;
  /** Until when the provider has asked for no requests. */
  #pausedUntil = 0;
  /** Takes requests that are not to be repeated out of the queue. */
  #refusal = new AbortController();

  constructor({ concurrency, requestsPerMinute }: QueueOptions) {
    this.#turns = new Semaphore(concurrency);
    this.#intervalMs = requestsPerMinute === null ? 0 : 60_000 / requestsPerMinute;
  }

  /** Runs a request when it is its turn. @throws ProviderError of the last try; LociError `aborted` */
  async run<Result>(send: () => Promise<Result>, options: RunOptions): Promise<Result> {
    const started = performance.now();
    for (let tries = 1; ; tries++) {
      try {
        return await this.#runOnce(send, options);
      } catch (error) {
        if (!(error instanceof ProviderError) || !options.repeat) throw error;
        const waitMs = delayBefore(error, tries, performance.now() - started);
        if (waitMs === null || (options.trial !== undefined && (tries > 1 || waitMs > MAX_TRIAL_DELAY_MS)))
          throw error;
        options.trial?.onRepeat(error.message);
        if (error.kind === 'busy' && error.mayBeOneText && (await options.isCausedByText?.(tries)) === true)
          throw error;
        // What one text causes holds up no other.
        if (error.kind === 'busy' && !error.mayBeOneText) this.#pause(waitMs);
        else await sleep(waitMs, options.signal);
      }
    }
  }

  async #runOnce<Result>(send: () => Promise<Result>, options: RunOptions): Promise<Result> {
    this.#assertMayWait(options);
    await this.#acquireTurn(options);
    try {
      this.#assertMayWait(options);
      await this.#awaitStart(options.signal);
      return await send();
    } finally {
      this.#turns.release();
    }
  }

  #pause(milliseconds: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, performance.now() + milliseconds);
    this.#refusal.abort(paused(milliseconds));
    this.#refusal = new AbortController();
  }

  /** @throws ProviderError if the queue is paused and the request is not to be repeated */
  #assertMayWait({ repeat }: RunOptions): void {
    const leftMs = this.#pausedUntil - performance.now();
    if (!repeat && leftMs > 0) throw paused(leftMs);
  }

  async #acquireTurn({ owner, signal, repeat }: RunOptions): Promise<void> {
    const signals = [signal, repeat ? undefined : this.#refusal.signal].filter((each) => each !== undefined);
    try {
      await this.#turns.acquire(AbortSignal.any(signals), owner);
    } catch (error) {
      throw error instanceof ProviderError ? error : stopped(signal);
    }
  }

  async #awaitStart(signal: AbortSignal | undefined): Promise<void> {
    for (;;) {
      const now = performance.now();
      const start = Math.max(this.#pausedUntil, this.#nextStart);
      if (start <= now) break;
      await sleep(start - now, signal);
    }
    this.#nextStart = Math.max(this.#nextStart, performance.now() - this.#intervalMs) + this.#intervalMs;
  }
}

/** Exponential back-off with jitter, or what the provider asks for; `null` if the request is given up. */
function delayBefore({ kind, retryAfterMs }: ProviderError, tries: number, elapsedMs: number): number | null {
  if (kind === 'refused' || kind === 'too_large' || kind === 'paused') return null;
  if (kind === 'unreachable' && tries >= MAX_CONNECTION_TRIES) return null;
  if (kind === 'late' && tries >= MAX_LATE_TRIES) return null;
  const backOffMs = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (tries - 1)) * (0.5 + Math.random() / 2);
  const waitMs =
    retryAfterMs === null
      ? backOffMs
      : retryAfterMs + Math.random() * Math.min(MAX_JITTER_MS, retryAfterMs * JITTER);
  return elapsedMs + waitMs > MAX_BUSY_MS ? null : waitMs;
}

function paused(milliseconds: number): ProviderError {
  const seconds = String(Math.ceil(milliseconds / 1000));
  return new ProviderError('paused', `the provider has asked for no requests for another ${seconds} s`);
}

async function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await delay(milliseconds, undefined, signal === undefined ? {} : { signal });
  } catch {
    throw stopped(signal);
  }
}

function stopped(signal: AbortSignal | undefined): LociError {
  return new LociError('aborted', 'The embedding was stopped.', { cause: signal?.reason });
}
