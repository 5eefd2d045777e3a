import { LociError } from '../../core/errors.ts';
import { withoutAsyncPauses } from '../../core/threads/slices.ts';
import { traced } from '../sql/calls/activity.ts';
import type { Purge } from '../model.ts';
import { callNamed, createStore, type RunCall } from '../sql/calls/calls.ts';
import type { ConnectedDriver, Driver } from '../sql/driver.ts';
import type { Sql } from '../sql/sql.ts';
import type { OpenStoreOptions, Store } from '../store.ts';
import { driverString } from './connections.ts';
import { databaseName, spanAttributes } from './locate.ts';
import { ConnectionPool } from './pool.ts';
import { PostgresSql } from './postgres-sql.ts';
import { Replica } from './replica.ts';
import { assertSameDatabase, migrate, PostgresStorage } from './storage.ts';
import { isConnectionLost, isReadOnlyError, isTimeout } from './store-error.ts';
import { PostgresTextIndex } from './text-index.ts';
import { PostgresVectorIndex } from './vector-index.ts';

interface PostgresDriver extends ConnectedDriver {
  /** For people to read. */
  readonly name: string;
  readonly access: Access;
  readonly driver: Driver & { readonly sql: PostgresSql };
}

/** How a database is reached. */
interface Connections {
  readonly connectionString: string;
  /** For the user who owns the tables, and not through PgBouncer: makes tables and indexes. */
  readonly directConnectionString?: string;
  /** For reads: a streaming replica of the same server. */
  readonly replicaConnectionString?: string;
  /** Statements that take longer are reported; none by default. */
  readonly slowStatementMs?: number;
}

/**
 * @param scope what the driver is for: calls of one namespace each, or all rows, which only the owner of the tables sees
 * @throws LociError `store_not_found`, `store_newer`, `store_failed`, `store_unavailable`
 */
export async function connectPostgres(
  { connectionString, directConnectionString, slowStatementMs }: Connections,
  { create }: OpenStoreOptions,
  scope: 'calls' | 'all rows',
): Promise<PostgresDriver> {
  const name = databaseName(connectionString);
  if (directConnectionString !== undefined)
    databaseName(directConnectionString, 'store.directConnectionString');
  const needsOwner = directConnectionString !== undefined && scope === 'all rows';
  const pool = new ConnectionPool(await driverString(needsOwner ? directConnectionString : connectionString));
  const direct =
    directConnectionString === undefined || needsOwner
      ? pool
      : new ConnectionPool(await driverString(directConnectionString));
  const close = async (): Promise<void> => {
    await pool.end();
    if (direct !== pool) await direct.end();
  };
  const sql = new PostgresSql(pool, slowStatementMs);
  const owner = direct === pool ? sql : new PostgresSql(direct);
  try {
    if (needsOwner) await assertLeadsTo(sql, connectionString);
    await migrate(sql, owner, name, create);
    await sql.readTypes();
    if ((await sql.findPolicies()) && scope === 'all rows')
      throw new LociError('store_unavailable', `${name}: this user sees one namespace at a time`, {
        hint: 'Connect as the user who owns the tables, or name that connection in store.directConnectionString.',
      });
    const access = new Access(sql);
    await access.check();
    return { name, driver: driverOf(sql, owner), access, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** What is copied is that of the first connection string. @throws LociError `invalid_config` */
async function assertLeadsTo(owner: PostgresSql, connectionString: string): Promise<void> {
  const pool = new ConnectionPool(await driverString(connectionString));
  try {
    await assertSameDatabase(new PostgresSql(pool), owner);
  } finally {
    await pool.end();
  }
}

/** @throws LociError as `connectPostgres` */
export async function openPostgresStore(connections: Connections, options: OpenStoreOptions): Promise<Store> {
  const connection = await connectPostgres(connections, options, 'calls');
  const { name, driver, access } = connection;
  const { sql } = driver;
  let isClosed = false;
  const runOn =
    (server: PostgresDriver['driver']): RunCall =>
    async (call, route, parameters) => {
      if (isClosed) throw new LociError('store_failed', `${name}: is closed`);
      const [namespace] = parameters as [string];
      const use = route === 'reader' ? 'read' : 'write';
      return server.sql.inCall({ name: call, namespace, use }, async () =>
        withoutAsyncPauses(await callNamed(call).run(server, ...parameters)),
      );
    };
  const onPrimary = traced(spanAttributes(name), resilient(sql, access, runOn(driver)));
  const replica = await openReplica(connections, sql).catch(async (error: unknown) => {
    await connection.close();
    throw error;
  });
  return {
    ...createStore(
      replica === null
        ? onPrimary
        : replica.reads.routed(onPrimary, traced(spanAttributes(replica.name), runOn(replica.driver))),
    ),
    capabilities: {
      name: 'postgres',
      location: name,
      isRemote: true,
      get readOnly() {
        return access.isReadOnly;
      },
    },
    activity: () => ({ ...sql.activity, isReplicaReachable: replica?.reads.isReachable ?? null }),
    close: async () => {
      if (isClosed) return;
      isClosed = true;
      await replica?.close();
      await connection.close();
    },
  };
}

/** The connection for reads, if there is one. @throws LociError `invalid_config` */
async function openReplica({ replicaConnectionString, slowStatementMs }: Connections, primary: PostgresSql) {
  if (replicaConnectionString === undefined) return null;
  const name = databaseName(replicaConnectionString, 'store.replicaConnectionString');
  const pool = new ConnectionPool(await driverString(replicaConnectionString));
  const sql = new PostgresSql(pool, slowStatementMs);
  const reads = new Replica(primary, sql);
  const close = (): Promise<void> => pool.end();
  try {
    await reads.open();
  } catch (error) {
    await close();
    throw error;
  }
  return { name, reads, driver: driverOf(sql, sql), close };
}

/** @param owner a connection of the user who owns the tables, and may make their indexes */
function driverOf(sql: PostgresSql, owner: PostgresSql): PostgresDriver['driver'] {
  const vectors = new PostgresVectorIndex(sql, owner);
  return {
    sql,
    text: new PostgresTextIndex(sql),
    vectors,
    storage: new PostgresStorage(sql, owner, vectors),
  };
}

/** How long Loci believes that the store can only be read, in milliseconds. */
const READ_ONLY_MS = 1000;

/** Whether the store can only be read: on a replica until it is promoted, or for a user who may only read. */
class Access {
  isReadOnly = false;
  #checkedAt = 0;
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async check(): Promise<void> {
    const row = await this.#sql.get("SELECT current_setting('transaction_read_only') = 'on' AS is_read_only");
    [this.isReadOnly, this.#checkedAt] = [row?.['is_read_only'] === 1, performance.now()];
  }

  /** Whether it was read-only, and may no longer be. */
  get isOutdated(): boolean {
    return this.isReadOnly && performance.now() - this.#checkedAt > READ_ONLY_MS;
  }
}

/** Calls that go on when a connection is lost, and when a replica takes the place of the primary server or the other way round. */
function resilient(sql: Sql, access: Access, run: RunCall): RunCall {
  return async (call, route, given) => {
    // The call itself says why, if this fails.
    if (access.isOutdated) await access.check().catch(() => undefined);
    const parameters = call === 'records.commit' ? await byServerClock(sql, given) : given;
    try {
      return await run(call, route, parameters);
    } catch (error) {
      // Another connection may still work. What writes is repeated by the transaction, which knows whether it took place; vectors that
      // are there are not added again.
      const isRepeatable = route === 'reader' || call === 'vectors.put';
      if (isRepeatable && isConnectionLost(error) && !isTimeout(error)) return run(call, route, parameters);
      if (isReadOnlyError(error)) await access.check().catch(() => undefined);
      throw error;
    }
  };
}

/**
 * Several machines write to the store, and the clock of one of them may be ahead. A purge by that clock would remove what has not
 * expired, so that it counts by the clock of the server.
 */
async function byServerClock(sql: Sql, parameters: readonly unknown[]): Promise<readonly unknown[]> {
  const [namespace, batch] = parameters as [string, object];
  if (!('purge' in batch)) return parameters;
  const { purge } = batch as Purge;
  const { by, expiredBy, deletedBefore } = purge;
  const row = await sql.get('SELECT (1000 * extract(epoch FROM clock_timestamp()))::bigint AS now');
  const aheadMs = Math.max(0, by.at - Number(row?.['now']));
  const times = { expiredBy: expiredBy - aheadMs, deletedBefore: deletedBefore - aheadMs };
  return [namespace, { purge: { ...purge, ...times, by: { ...by, at: by.at - aheadMs } } }];
}
