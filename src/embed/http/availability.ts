import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { LociError } from '../../core/errors.ts';
import { replaceFile } from '../../core/fs/files.ts';
import { parseJson } from '../../core/json.ts';

/** How long a search waits for an answer beyond the usual time. */
const MAX_EXTRA_WAIT_MS = 100;
/** What a longer answer counts for, unless a search waited for it. */
const MAX_USUAL_MS = 1000;
/** No search waits longer. */
const MAX_WAIT_MS = 2000;
/** After an answer that was late, the next one is waited for this much longer. */
const LATE_WAIT_FACTOR = 2;
/** The share of a new measurement in the usual time, if it is shorter; a longer one counts at once. */
const USUAL_WEIGHT = 0.1;
/** The file is written again when the usual time differs from the written one by this factor. */
const WRITTEN_FACTOR = 1.5;
/** The longest wait of a search. A provider that takes longer for a query is of no use to searches. */
export const MAX_QUERY_WAIT_MS: number = MAX_USUAL_MS + MAX_EXTRA_WAIT_MS;
const FIRST_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 60_000;

const outage = z.strictObject({
  since: z.number(),
  /** When a call may try again. */
  retryAt: z.number(),
  failures: z.number().int().positive(),
  why: z.string(),
});

const state = z.strictObject({
  /** The provider that the state is of: its address and model. */
  provider: z.string(),
  usualMs: z.number().nonnegative().nullable(),
  lateWaitMs: z.number().nonnegative().default(0),
  outage: outage.nullable(),
});

interface AvailabilityOptions {
  /** Its address and model. */
  readonly provider: string;
  /** Processes that use the same store share what they learn through this file; `null` for this process alone. */
  readonly file: string | null;
  readonly now?: () => number;
}

/**
 * A circuit breaker: whether a provider answers, and how long it usually takes for a query. After a failure, calls fail at once
 * until a try succeeds; tries are 1 to 60 seconds apart. Times are wall-clock times, because processes share them.
 */
export class Availability {
  readonly #provider: string;
  readonly #file: string | null;
  readonly #now: () => number;
  #usualMs: number | null = null;
  /** How long an answer is waited for since others were late; 0 after one that was in time. */
  #lateWaitMs = 0;
  #writtenUsualMs: number | null = null;
  #outage: z.infer<typeof outage> | null = null;
  /** Whether another process has recorded the outage, and this one has not tried yet. */
  #isInherited = false;
  #isTrying = false;
  #writing: Promise<void> = Promise.resolve();

  constructor({ provider, file, now = Date.now }: AvailabilityOptions) {
    this.#provider = provider;
    this.#file = file;
    this.#now = now;
    const found = file === null ? null : readState(file, provider);
    if (found === null) return;
    this.#usualMs = found.usualMs;
    this.#lateWaitMs = found.lateWaitMs;
    this.#writtenUsualMs = found.usualMs;
    this.#outage = found.outage;
    this.#isInherited = found.outage !== null;
  }

  /** The usual time of an answer to a query; `null` before the first. */
  get usualMs(): number | null {
    return this.#usualMs;
  }

  /** How long a search may wait for an answer, in milliseconds. */
  get maxWaitMs(): number {
    return Math.min(MAX_WAIT_MS, Math.max(this.#lateWaitMs, (this.#usualMs ?? 0) + MAX_EXTRA_WAIT_MS));
  }

  /** The error for calls while the provider is down; `null` when it is not known to be. */
  get failure(): LociError | null {
    if (this.#outage === null) return null;
    const { since, why } = this.#outage;
    const seconds = Math.max(0, Math.round((this.#now() - since) / 1000));
    return new LociError('embedding_unavailable', `${why} (${String(seconds)} s ago)`);
  }

  /**
   * Whether the caller should try a provider that is down, after which it must report the outcome. One caller at a time tries:
   * `wait` if it may wait for the answer, because another process saw the failure; `aside` if no search should wait again.
   */
  beginTry(): 'wait' | 'aside' | null {
    if (this.#outage === null || this.#isTrying || this.#now() < this.#outage.retryAt) return null;
    this.#isTrying = true;
    return this.#isInherited ? 'wait' : 'aside';
  }

  /** @param queryMs the duration of a query; `null` for passages, which take longer */
  succeeded(queryMs: number | null): void {
    if (queryMs !== null && queryMs > MAX_WAIT_MS && this.maxWaitMs === MAX_WAIT_MS) {
      const seconds = (queryMs / 1000).toFixed(1);
      this.failed(
        `the embedding provider takes ${seconds} s to answer, and searches wait for ${String(MAX_WAIT_MS / 1000)} s`,
      );
      return;
    }
    const wasDown = this.#outage !== null;
    this.#outage = null;
    this.#isTrying = false;
    this.#isInherited = false;
    if (queryMs !== null) this.#learn(queryMs);
    if (wasDown || this.#isUsualNew()) this.#write();
  }

  failed(why: string): void {
    if (this.#isKnown()) return;
    this.#recordFailure(why, (this.#outage?.failures ?? 0) + 1);
  }

  /**
   * A search has waited for `maxWaitMs` in vain. The next one that tries waits longer, because a provider that is well may be slow
   * whenever it is asked anew, as by each process of the command line. Tries become rarer only when none can wait longer.
   */
  late(why: string): void {
    if (this.#isKnown()) return;
    const waited = this.maxWaitMs;
    this.#lateWaitMs = Math.min(MAX_WAIT_MS, waited * LATE_WAIT_FACTOR);
    this.#recordFailure(why, (this.#outage?.failures ?? 0) + (waited < MAX_WAIT_MS ? 0 : 1));
  }

  /** Whether a failure tells nothing new: calls that began before an outage was known are not further tries. */
  #isKnown(): boolean {
    return this.#outage !== null && !this.#isTrying && this.#now() < this.#outage.retryAt;
  }

  #recordFailure(why: string, given: number): void {
    const failures = Math.max(1, given);
    const since = this.#outage?.since ?? this.#now();
    const pause = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1));
    this.#outage = { since, retryAt: this.#now() + pause, failures, why };
    this.#isTrying = false;
    this.#isInherited = false;
    this.#write();
  }

  /** Forgets that a try was begun, because its outcome says nothing. */
  abandonTry(): void {
    this.#isTrying = false;
  }

  /** Resolves when the file is written. */
  async close(): Promise<void> {
    await this.#writing;
  }

  #learn(given: number): void {
    const isInTime = given <= this.maxWaitMs;
    const queryMs = isInTime ? given : Math.min(given, MAX_USUAL_MS);
    const usual = this.#usualMs ?? 0;
    this.#usualMs = queryMs > usual ? queryMs : usual + USUAL_WEIGHT * (queryMs - usual);
    if (isInTime) this.#lateWaitMs = 0;
  }

  #isUsualNew(): boolean {
    if (this.#usualMs === null) return false;
    const [written, usual] = [this.#writtenUsualMs ?? 0, Math.max(1, this.#usualMs)];
    return usual > written * WRITTEN_FACTOR || usual * WRITTEN_FACTOR < written;
  }

  #write(): void {
    if (this.#file === null) return;
    const file = this.#file;
    this.#writtenUsualMs = this.#usualMs;
    const text = JSON.stringify({
      provider: this.#provider,
      usualMs: this.#usualMs,
      lateWaitMs: this.#lateWaitMs,
      outage: this.#outage,
    });
    // Without the file, each process learns by itself.
    this.#writing = this.#writing.then(() => replaceFile(file, text, 0o600)).catch(() => undefined);
  }
}

/** `null` if there is none, or if it is of another provider or damaged. */
function readState(file: string, provider: string): z.infer<typeof state> | null {
  try {
    const parsed = state.safeParse(parseJson(readFileSync(file, 'utf8')));
    return parsed.success && parsed.data.provider === provider ? parsed.data : null;
  } catch {
    return null;
  }
}
