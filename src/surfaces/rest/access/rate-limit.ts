/** Buckets before those that are full again are forgotten. */
const MANY = 10_000;

interface Bucket {
  left: number;
  /** Milliseconds of `performance.now()`. */
  at: number;
}

/** A token bucket for each key: so many requests a second, twice as many at once. */
export class RateLimit {
  readonly #perSecond: number;
  readonly #now: () => number;
  readonly #buckets = new Map<string, Bucket>();

  /** @param perSecond 0 for no limit @param now milliseconds that only grow */
  constructor(perSecond: number, now: () => number = () => performance.now()) {
    this.#perSecond = perSecond;
    this.#now = now;
  }

  /** Counts one request. Answers how many seconds to wait when it is one too many, else 0. */
  take(key: string): number {
    if (this.#perSecond === 0) return 0;
    const now = this.#now();
    const bucket = this.#bucketOf(key, now);
    bucket.left = this.#filled(bucket, now);
    bucket.at = now;
    if (bucket.left < 1) return Math.ceil((1 - bucket.left) / this.#perSecond);
    bucket.left -= 1;
    return 0;
  }

  #bucketOf(key: string, now: number): Bucket {
    const known = this.#buckets.get(key);
    if (known !== undefined) return known;
    if (this.#buckets.size >= MANY) this.#forgetFull(now);
    const bucket = { left: this.#capacity, at: now };
    this.#buckets.set(key, bucket);
    return bucket;
  }

  #filled({ left, at }: Bucket, now: number): number {
    return Math.min(this.#capacity, left + ((now - at) / 1000) * this.#perSecond);
  }

  /** One that is full again says nothing that a new one would not. */
  #forgetFull(now: number): void {
    for (const [key, bucket] of this.#buckets)
      if (this.#filled(bucket, now) === this.#capacity) this.#buckets.delete(key);
  }

  get #capacity(): number {
    return 2 * this.#perSecond;
  }
}
