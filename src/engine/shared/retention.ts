import { randomUUID } from 'node:crypto';
import { isForInbox } from '../../core/caller.ts';
import { DAY_MS } from '../../core/time/whole-day.ts';
import type { LociRecord, Timestamp } from '../../core/types.ts';
import { ADMIN_NAMESPACE } from '../../store/rules/admin-namespace.ts';
import { removeReceiptsBefore } from '../../store/items/kinds.ts';
import type { Store } from '../../store/store.ts';
import type { EngineContext, EngineServices } from '../context.ts';

/** How often the next expiry is read from the store, since other processes may write. */
const EXPIRY_CHECK_INTERVAL_MS = 10_000;
/** Records purged in one transaction. */
const PURGE_BATCH = 100;
/** How often one process looks for records to purge. */
const PURGE_INTERVAL_MS = 60 * 60 * 1000;
const LEASE_MS = 60_000;
/** Age after which a process counts as long-running: it then purges while it reads, too. */
const LONG_RUNNING_MS = 60_000;

/** The next expiry of a namespace, and when it was read. */
interface ExpiryCheck {
  readonly at: Timestamp;
  readonly next: Timestamp | null;
}

/** Purges expired records before they can be read, and deleted records and receipts after some time. */
class RetentionSweeper {
  readonly #store: Store;
  readonly #services: EngineServices;
  readonly #now: () => Timestamp;
  readonly #holder = randomUUID();
  /** By namespace. */
  readonly #checks = new Map<string, ExpiryCheck>();
  #purge: Promise<void> | null = null;
  #purgedAt: Timestamp = Number.NEGATIVE_INFINITY;
  readonly #openedAt: Timestamp;
  #closing = false;

  constructor(services: EngineServices) {
    this.#store = services.store;
    this.#services = services;
    this.#now = services.now;
    this.#openedAt = services.openedAt;
    services.flushOnClose(() => this.close());
  }

  /** Purges all expired records of the namespace, also from the indexes. There is rarely anything to do. */
  async expire(namespace: string): Promise<void> {
    // No read returns what has expired.
    if (this.#store.capabilities.readOnly) return;
    const now = this.#now();
    // Short-lived commands that only read should not wait for a purge.
    if (now - this.#openedAt > LONG_RUNNING_MS) this.schedulePurge();
    const check = this.#checks.get(namespace);
    const isFresh = check !== undefined && now >= check.at && now - check.at < EXPIRY_CHECK_INTERVAL_MS;
    const next = isFresh ? check.next : (await this.#store.records.bounds(namespace)).nextExpiry;
    if (!isFresh) this.#checks.set(namespace, { at: now, next });
    if (next === null || next > now) return;
    try {
      while ((await this.#remove(namespace, 0)) > 0);
      this.#checks.delete(namespace);
    } catch (error) {
      // No read returns what has expired, so none fails because it cannot be removed.
      this.#services.warnOfFailure('Expired records were not removed', error);
    }
  }

  invalidateNextExpiry(namespace: string): void {
    this.#checks.delete(namespace);
  }

  async #remove(namespace: string, deletedBefore: Timestamp): Promise<number> {
    const now = this.#now();
    const by = { at: now, actor: 'loci', surface: 'engine' };
    const purge = { expiredBy: now, deletedBefore, limit: PURGE_BATCH, by };
    return (await this.#store.records.commit(namespace, { purge })).length;
  }

  /** Starts a purge in the background unless there was one recently; a lease lets one process at a time do it. */
  schedulePurge(): void {
    const now = this.#now();
    if (this.#purge !== null || now - this.#purgedAt < PURGE_INTERVAL_MS) return;
    this.#purgedAt = now;
    const failed = (what: string) => (error: unknown) => {
      this.#services.warnOfFailure(`${what} were not removed. The next purge tries again`, error);
    };
    this.#purge = Promise.all([
      this.#purgeAll().catch(failed('Deleted records')),
      this.#removeReceipts().catch(failed('Old receipts')),
    ]).then(() => {
      this.#purge = null;
    });
  }

  async #purgeAll(): Promise<void> {
    const expiredBy = this.#now();
    const deletedBefore = expiredBy - this.#services.config.retention.purgeAfterDays * DAY_MS;
    let removed = 0;
    let isHolder = false;
    for (const namespace of await this.#store.admin.dueNamespaces(ADMIN_NAMESPACE, {
      deletedBefore,
      expiredBy,
    })) {
      let removedHere = 0;
      // A short-lived command purges one batch too, since there may be no long-running process.
      while (removed === 0 || !this.#closing) {
        isHolder = await this.#takeLease();
        if (!isHolder) return;
        const batch = await this.#remove(namespace, deletedBefore);
        removed += batch;
        removedHere += batch;
        if (batch === 0) break;
      }
      if (removedHere > 0 && !this.#closing) await this.#store.admin.compact(namespace);
    }
    if (isHolder) await this.#store.admin.lease(ADMIN_NAMESPACE, { name: 'purge', releasedBy: this.#holder });
  }

  /** On its own, because receipts that cannot be read must keep no record from being purged. */
  async #removeReceipts(): Promise<void> {
    const receiptsBefore = this.#now() - this.#services.config.receipts.retentionDays * DAY_MS;
    for (const namespace of await this.#store.admin.dueNamespaces(ADMIN_NAMESPACE, { receiptsBefore }))
      await removeReceiptsBefore(this.#store.records, namespace, receiptsBefore);
  }

  async #takeLease(): Promise<boolean> {
    const now = this.#now();
    const lease = { name: 'purge', holder: this.#holder, now, until: now + LEASE_MS };
    return (await this.#store.admin.lease(ADMIN_NAMESPACE, lease))?.holder === this.#holder;
  }

  /** Waits for the current batch. */
  async close(): Promise<void> {
    this.#closing = true;
    await this.#purge;
  }
}

/** Purges all expired records of the namespace, also from the indexes. */
export function expire(context: EngineContext): Promise<void> {
  return context.shared(RetentionSweeper).expire(context.namespace);
}

/** Called after a write whose record may be the next to expire. */
export function invalidateNextExpiry(context: EngineContext): void {
  context.shared(RetentionSweeper).invalidateNextExpiry(context.namespace);
}

/** Starts a purge of old deleted records in the background; called after a write. */
export function schedulePurge(context: EngineContext): void {
  context.shared(RetentionSweeper).schedulePurge();
}

/**
 * When a replaced value expires. What has expired is gone for good, so an agent never shortens the life of a fact: not even of one that an
 * agent wrote last, which may have been the owner's before.
 */
export function unshortened(
  { caller }: EngineContext,
  before: Pick<LociRecord, 'expiresAt'> | null,
  expiresAt: Timestamp,
): Timestamp {
  return isForInbox(caller) ? Math.max(expiresAt, before?.expiresAt ?? 0) : expiresAt;
}
