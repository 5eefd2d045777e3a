/** Above this number of buckets, full ones are removed. */
const MAX_BUCKETS = 10_000;

interface Bucket {
  tokens: number;
  /** When `tokens` was computed, in milliseconds of `performance.now()`. */
  updatedAt: number;
}

/** A token bucket for each key: a number of requests a second, in bursts of up to twice as many. */
export class RateLimit {
  readonly #perSecond: number;
  readonly #now: () => number;
  readonly #buckets = new Map<string, Bucket>();

  /** @param perSecond 0 for no limit @param now a monotonic clock in milliseconds */
  constructor(perSecond: number, now: () => number = () => performance.now()) {
    this.#perSecond = perSecond;
    this.#now = now;
  }

  /** Counts a request. Returns 0 if it is permitted, otherwise the seconds to wait. */
  take(key: string): number {
    if (this.#perSecond === 0) return 0;
    const now = this.#now();
    const bucket = this.#bucketOf(key, now);
    bucket.tokens = this.#tokensAt(bucket, now);
    bucket.updatedAt = now;
    if (bucket.tokens < 1) return Math.ceil((1 - bucket.tokens) / this.#perSecond);
    bucket.tokens -= 1;
    return 0;
  }

  #bucketOf(key: string, now: number): Bucket {
    const existing = this.#buckets.get(key);
    if (existing !== undefined) return existing;
    if (this.#buckets.size >= MAX_BUCKETS) this.#removeFull(now);
    const bucket = { tokens: this.#capacity, updatedAt: now };
    this.#buckets.set(key, bucket);
    return bucket;
  }

  #tokensAt({ tokens, updatedAt }: Bucket, now: number): number {
    return Math.min(this.#capacity, tokens + ((now - updatedAt) / 1000) * this.#perSecond);
  }

  /** A full bucket is the same as a new one. */
  #removeFull(now: number): void {
    for (const [key, bucket] of this.#buckets)
      if (this.#tokensAt(bucket, now) === this.#capacity) this.#buckets.delete(key);
  }

  get #capacity(): number {
    return 2 * this.#perSecond;
  }
}
