import { LRUCache } from 'lru-cache';
import { LociError } from '../../core/errors.ts';
import type { EngineServices } from '../context.ts';

/** How long a server believes that a namespace has no limit of requests. */
const UNLIMITED_MS = 10_000;
const MAX_NAMESPACES = 10_000;

/** Counts the requests of namespaces that have a limit, for all servers of the store. */
export class RequestQuotas {
  readonly #services: EngineServices;
  /** Until when a namespace is known to be without a limit, or to be refused, by the monotonic clock. */
  readonly #unlimited = new LRUCache<string, number>({ max: MAX_NAMESPACES });
  readonly #refused = new LRUCache<string, number>({ max: MAX_NAMESPACES });

  constructor(services: EngineServices) {
    this.#services = services;
  }

  /**
   * Runs work that is a request. What only reads runs while the request is counted, which then takes no time.
   * @throws LociError `rate_limited` with the time to wait, and what the work throws
   */
  async run<Result>(namespace: string, isRead: boolean, work: () => Promise<Result>): Promise<Result> {
    // A refused caller that goes on costs the database nothing.
    if (this.#isUntil(this.#refused, namespace))
      throw refused(this.#refused.get(namespace)! - performance.now());
    // A server on a replica cannot count.
    if (this.#services.store.capabilities.readOnly || this.#isUntil(this.#unlimited, namespace))
      return work();
    const admitted = this.#admit(namespace);
    if (!isRead) await admitted;
    const [, result] = await Promise.all([admitted, work()]);
    return result;
  }

  async #admit(namespace: string): Promise<void> {
    const { limit: perMinute, waitMs } = await this.#services.store.admin.admitRequest(namespace);
    if (perMinute === null) this.#unlimited.set(namespace, performance.now() + UNLIMITED_MS);
    if (waitMs === 0) return;
    this.#refused.set(namespace, performance.now() + waitMs);
    throw refused(waitMs, perMinute);
  }

  #isUntil(times: LRUCache<string, number>, namespace: string): boolean {
    const until = times.get(namespace);
    if (until === undefined || performance.now() < until) return until !== undefined;
    times.delete(namespace);
    return false;
  }
}

function refused(waitMs: number, perMinute?: number | null): LociError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  const which = perMinute === undefined ? 'all' : `all ${String(perMinute)}`;
  return new LociError(
    'rate_limited',
    `this memory has had ${which} requests that it may have a minute; try again in ${String(seconds)} s`,
    { retryAfterS: seconds, hint: 'The operator of Loci can raise the limit: `loci status set-quota`.' },
  );
}
