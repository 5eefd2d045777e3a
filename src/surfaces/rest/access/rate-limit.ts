import type { ServerResponse } from 'node:http';
import { LRUCache } from 'lru-cache';
import { LociError } from '../../../core/errors.ts';

/** The keys that were used last have a bucket; that of another one is full. */
const MAX_BUCKETS = 10_000;

interface Bucket {
  readonly tokens: number;
  /** When `tokens` was computed, in milliseconds of `performance.now()`. */
  readonly updatedAt: number;
}

/** A token bucket for each key: a number of requests a second, in bursts of up to twice as many. */
export class RateLimit {
  readonly #perSecond: number;
  readonly #now: () => number;
  readonly #buckets = new LRUCache<string, Bucket>({ max: MAX_BUCKETS });

  /** @param perSecond 0 for no limit @param now a monotonic clock in milliseconds */
  constructor(perSecond: number, now: () => number = () => performance.now()) {
    this.#perSecond = perSecond;
    this.#now = now;
  }

  /** Counts a request. Returns 0 if it is permitted, otherwise the seconds to wait. */
  take(key: string): number {
    if (this.#perSecond === 0) return 0;
    const now = this.#now();
    const capacity = 2 * this.#perSecond;
    const before = this.#buckets.get(key) ?? { tokens: capacity, updatedAt: now };
    const tokens = Math.min(capacity, before.tokens + ((now - before.updatedAt) / 1000) * this.#perSecond);
    const isPermitted = tokens >= 1;
    this.#buckets.set(key, { tokens: isPermitted ? tokens - 1 : tokens, updatedAt: now });
    return isPermitted ? 0 : Math.ceil((1 - tokens) / this.#perSecond);
  }
}

/** Counts a request that this answers. @throws LociError `rate_limited` */
export function countRequest(response: ServerResponse, limit: RateLimit, key: string): void {
  const wait = limit.take(key);
  if (wait === 0) return;
  response.setHeader('Retry-After', String(wait));
  throw new LociError('rate_limited', `too many requests; try again in ${String(wait)} s`);
}
