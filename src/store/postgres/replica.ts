import { LociError } from '../../core/errors.ts';
import { within } from '../../core/time/deadline.ts';
import type { Lease, LeaseOperation } from '../admin-model.ts';
import { ADMIN_NAMESPACE } from '../rules/admin-namespace.ts';
import type { RunCall } from '../sql/calls/calls.ts';
import type { PostgresSql } from './postgres-sql.ts';
import { isConflict, isConnectionLost } from './store-error.ts';

/** How long the replica counts as reachable after it has answered, in milliseconds. */
const REACHABLE_MS = 1000;
/** How long it may take to say how far it is, in milliseconds. */
const ANSWER_TIMEOUT_MS = 1000;
/** How long no read tries a replica that did not answer, in milliseconds. */
const AWAY_MS = 2000;
/** Of how many namespaces the positions of the last writes are known. */
const MAX_POSITIONS = 1000;

/** A position in the log (WAL) of the cluster, in bytes; `null` if the primary server cannot be asked. */
type Position = Promise<number | null>;

const WRITTEN = `SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint AS position`;
const REPLAYED =
  "SELECT pg_is_in_recovery() AS is_replica, pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::bigint AS position";
const CLUSTER =
  'SELECT current_database() AS name, (SELECT system_identifier FROM pg_control_system())::text AS cluster';

/**
 * Sends reads to a streaming replica. A namespace is read from the primary server until the replica has what this process has written
 * there, and while this process has a lease of it: what it derives then is marked as complete up to the last change. All namespaces are
 * read from the primary server while the replica is away.
 */
export class Replica {
  readonly #primary: PostgresSql;
  readonly #replica: PostgresSql;
  /** What the replica needs for each namespace that was written. */
  readonly #positions = new Map<string, Position>();
  /** The leases that this process has, by namespace. */
  readonly #leases = new Map<string, Set<string>>();
  /** What it needs for any read: what was there when the store was opened, or the replica came back. */
  #floor: Position = Promise.resolve(null);
  #replayed = 0;
  #answeredAt = Number.NEGATIVE_INFINITY;
  #awaySince: number | null = null;
  #looking: Promise<void> | null = null;

  constructor(primary: PostgresSql, replica: PostgresSql) {
    this.#primary = primary;
    this.#replica = replica;
  }

  get isReachable(): boolean {
    return this.#awaySince === null;
  }

  /** @throws LociError `invalid_config` for the replica of another server; one that does not answer is tried again later */
  async open(): Promise<void> {
    try {
      await this.#meet();
    } catch (error) {
      if (error instanceof LociError && error.code === 'invalid_config') throw error;
      this.#leave();
    }
  }

  /** Runs calls on the server that has what they need. */
  routed(onPrimary: RunCall, onReplica: RunCall): RunCall {
    return async (call, route, parameters) => {
      const namespace = String(parameters[0]);
      // What one server has revoked or leased counts on all others at once.
      if (route === 'reader' && (namespace === ADMIN_NAMESPACE || call === 'admin.lease'))
        return onPrimary(call, route, parameters);
      if (route === 'reader' && (await this.#has(namespace))) {
        try {
          return await onReplica(call, route, parameters);
        } catch (error) {
          // A replica ends reads that are in the way of what it replays, and may not have a new model yet.
          const isBehind = isConflict(error) || (error instanceof LociError && error.code === 'not_found');
          if (!isConnectionLost(error) && !isBehind) throw error;
          if (isConnectionLost(error)) this.#leave();
        }
      }
      try {
        const answer = await onPrimary(call, route, parameters);
        if (call === 'admin.lease')
          this.#noteLease(namespace, parameters[1] as LeaseOperation, answer as Lease | null);
        return answer;
      } finally {
        // Also after an error: what was in the way of the write has to be seen. A replica that comes back needs all of it.
        if (route === 'writer' && this.isReachable) this.#require(namespace);
      }
    };
  }

  /** Whether the replica answers, and has all that a read of the namespace needs. */
  async #has(namespace: string): Promise<boolean> {
    if (this.#awaySince !== null) {
      if (performance.now() - this.#awaySince > AWAY_MS) void this.#look();
      return false;
    }
    if (this.#leases.has(namespace)) return false;
    const [general, own] = [this.#floor, this.#positions.get(namespace)];
    const [floor, needed] = await Promise.all([general, own ?? 0]);
    if (floor === null) this.#floor = this.#position();
    if (needed === null) this.#require(namespace);
    if (floor === null || needed === null) return false;
    const position = Math.max(floor, needed);
    if (position > this.#replayed || performance.now() - this.#answeredAt > REACHABLE_MS) await this.#look();
    if (!this.isReachable || general !== this.#floor || position > this.#replayed) return false;
    if (this.#positions.get(namespace) === own) this.#positions.delete(namespace);
    return true;
  }

  /** Lets the namespace be read from the replica only when it has all that was written until now. */
  #require(namespace: string): void {
    if (namespace !== ADMIN_NAMESPACE && this.#positions.size < MAX_POSITIONS) {
      this.#positions.set(namespace, this.#position());
      return;
    }
    this.#positions.clear();
    this.#floor = this.#position();
  }

  #noteLease(namespace: string, operation: LeaseOperation, lease: Lease | null): void {
    const holders = this.#leases.get(namespace) ?? new Set();
    if ('releasedBy' in operation) holders.delete(operation.releasedBy);
    else if ('holder' in operation && lease?.holder === operation.holder) holders.add(operation.holder);
    if (holders.size === 0) this.#leases.delete(namespace);
    else this.#leases.set(namespace, holders);
  }

  async #position(): Position {
    try {
      return beforePageHeader(Number((await this.#primary.get(WRITTEN))?.['position']));
    } catch {
      return null;
    }
  }

  /** Asks the replica how far it is. One that was away is compared with the primary server again. */
  #look(): Promise<void> {
    this.#looking ??= (this.isReachable ? this.#readReplayed() : this.#meet())
      .catch(() => this.#leave())
      .finally(() => (this.#looking = null));
    return this.#looking;
  }

  async #readReplayed(): Promise<void> {
    const row = await within(this.#replica.get(REPLAYED), ANSWER_TIMEOUT_MS, late);
    // One that was promoted has a history of its own.
    if (row?.['is_replica'] !== 1) throw new LociError('store_failed', 'the replica is a primary server');
    [this.#replayed, this.#answeredAt] = [Number(row['position']), performance.now()];
  }

  async #meet(): Promise<void> {
    const [there, here] = await Promise.all([
      within(this.#replica.get(CLUSTER), ANSWER_TIMEOUT_MS, late),
      this.#primary.get(CLUSTER),
    ]);
    if (there?.['cluster'] !== here?.['cluster'] || there?.['name'] !== here?.['name'])
      throw new LociError(
        'invalid_config',
        'store.replicaConnectionString does not lead to a replica of the database of store.connectionString',
      );
    await this.#replica.findPolicies();
    await this.#readReplayed();
    this.#floor = this.#position();
    this.#positions.clear();
    this.#awaySince = null;
  }

  #leave(): void {
    this.#awaySince = performance.now();
  }
}

function late(): never {
  throw new Error('the replica does not answer');
}

/** The size of a page of the log, and of the two kinds of headers that it may have. */
const PAGE_BYTES = 8192;
const HEADER_BYTES: ReadonlySet<number> = new Set([24, 40]);

/** Where the next record of the log comes after the header of a page, the last one ends before it. */
function beforePageHeader(position: number): number {
  const offset = position % PAGE_BYTES;
  return HEADER_BYTES.has(offset) ? position - offset : position;
}
