import { randomUUID } from 'node:crypto';
import type { Timestamp } from '../../core/types.ts';
import type { Store } from '../../store/store.ts';

/** Milliseconds after which it is looked again what expires next: another process may have written meanwhile. */
const LOOK_AGAIN = 10_000;
/** Records that go in one transaction. */
const BATCH = 100;
const DAY = 24 * 60 * 60 * 1000;
/** How often one process looks for what can be purged, and how long it may take its time, milliseconds. */
const PURGE_EVERY = 60 * 60 * 1000;
const LEASE = 60_000;
/** Milliseconds after which a process is one that stays. */
const STAYS = 60_000;

interface ExpiryCheck {
  readonly at: Timestamp;
  readonly next: Timestamp | null;
}

/** Lets time end what it must: what has expired goes before anybody looks, what was deleted long ago goes by and by. */
export class RetentionSweeper {
  readonly #store: Store;
  readonly #purgeAfterDays: number;
  readonly #now: () => Timestamp;
  readonly #holder = randomUUID();
  /** By namespace. */
  readonly #looks = new Map<string, ExpiryCheck>();
  #purge: Promise<void> | null = null;
  #purgedAt: Timestamp = Number.NEGATIVE_INFINITY;
  readonly #openedAt: Timestamp;
  #closing = false;

  constructor(store: Store, purgeAfterDays: number, now: () => Timestamp) {
    this.#store = store;
    this.#purgeAfterDays = purgeAfterDays;
    this.#now = now;
    this.#openedAt = now();
  }

  /** No word of what has expired is in an index of the namespace when this resolves. Nearly always there is nothing to do. */
  async expire(namespace: string): Promise<void> {
    const now = this.#now();
    // A command that only looks ends sooner; whoever stays does this now and then.
    if (now - this.#openedAt > STAYS) this.schedulePurge();
    const look = this.#looks.get(namespace);
    const isFresh = look !== undefined && now >= look.at && now - look.at < LOOK_AGAIN;
    const next = isFresh ? look.next : await this.#store.nextExpiry(namespace);
    if (!isFresh) this.#looks.set(namespace, { at: now, next });
    if (next === null || next > now) return;
    while ((await this.#remove(namespace, 0)) > 0);
    this.#looks.delete(namespace);
  }

  /** Something else may be the next to expire. */
  invalidateNextExpiry(namespace: string): void {
    this.#looks.delete(namespace);
  }

  #remove(namespace: string, deletedBefore: Timestamp): Promise<number> {
    const now = this.#now();
    const by = { at: now, actor: 'loci', surface: 'engine' };
    return this.#store.purge(namespace, { expiredBy: now, deletedBefore, limit: BATCH, by });
  }

  /** Purges, at most once in a while, beside what is asked; one process does it for all. */
  schedulePurge(): void {
    const now = this.#now();
    if (this.#purge !== null || now - this.#purgedAt < PURGE_EVERY) return;
    this.#purgedAt = now;
    this.#purge = this.#purgeAll()
      // What fails now is done the next time.
      .catch(() => undefined)
      .finally(() => {
        this.#purge = null;
      });
  }

  async #purgeAll(): Promise<void> {
    const cutoff = this.#now() - this.#purgeAfterDays * DAY;
    let removed = 0;
    for (const namespace of await this.#store.namespaces()) {
      const oldest = await this.#store.oldestDeletion(namespace);
      const expiry = await this.#store.nextExpiry(namespace);
      const isDue = (oldest !== null && oldest < cutoff) || (expiry !== null && expiry <= this.#now());
      if (!isDue) continue;
      // A command that ends at once does a batch too: where nobody stays, nobody else would.
      while (removed === 0 || !this.#closing) {
        if (!(await this.#hold())) return;
        const batch = await this.#remove(namespace, cutoff);
        removed += batch;
        if (batch === 0) break;
      }
    }
    if (removed === 0) return;
    if (!this.#closing) await this.#store.sweep();
    await this.#store.dropLease('purge', this.#holder);
  }

  async #hold(): Promise<boolean> {
    const now = this.#now();
    const lease = { name: 'purge', holder: this.#holder, now, until: now + LEASE };
    return (await this.#store.takeLease(lease)) !== null;
  }

  /** Ends after the batch at hand. */
  async close(): Promise<void> {
    this.#closing = true;
    await this.#purge;
  }
}
