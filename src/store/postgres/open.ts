import { LociError } from '../../core/errors.ts';
import { withoutAsyncPauses } from '../../core/threads/slices.ts';
import type { ConnectedDriver, Driver } from '../sql/driver.ts';
import { type StoreCalls, storeCalls } from '../sql/calls/calls.ts';
import { createStoreProxy } from '../sql/calls/store-proxy.ts';
import type { OpenStoreOptions, Store } from '../store.ts';
import { databaseName } from './locate.ts';
import { migrate } from './migrate.ts';
import { createPool } from './pool.ts';
import { PostgresSql } from './postgres-sql.ts';
import { Access, resilient } from './resilient-calls.ts';
import { PostgresStorage } from './storage.ts';
import { PostgresTextIndex } from './text/text-index.ts';
import { PostgresVectorIndex } from './vectors/vector-index.ts';

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
}

/**
 * @param scope what the driver is for: calls of one namespace each, or all rows, which only the owner of the tables sees
 * @throws LociError `store_not_found`, `store_newer`, `store_failed`, `unreadable`
 */
export async function connectPostgres(
  { connectionString, directConnectionString }: Connections,
  { create }: OpenStoreOptions,
  scope: 'calls' | 'all rows',
): Promise<PostgresDriver> {
  const name = databaseName(connectionString);
  if (directConnectionString !== undefined)
    databaseName(directConnectionString, 'store.directConnectionString');
  const needsOwner = directConnectionString !== undefined && scope === 'all rows';
  const pool = createPool(needsOwner ? directConnectionString : connectionString);
  const direct =
    directConnectionString === undefined || needsOwner ? pool : createPool(directConnectionString);
  const close = async (): Promise<void> => {
    await pool.end();
    if (direct !== pool) await direct.end();
  };
  const sql = new PostgresSql(pool);
  const owner = direct === pool ? sql : new PostgresSql(direct);
  try {
    await migrate(sql, owner, name, create);
    await sql.readTypes();
    if ((await sql.findPolicies()) && scope === 'all rows')
      throw new LociError('unreadable', `${name}: this user sees one namespace at a time`, {
        hint: 'Connect as the user who owns the tables, or name that connection in store.directConnectionString.',
      });
    const access = new Access(sql);
    await access.check();
    const driver = {
      sql,
      text: new PostgresTextIndex(sql),
      vectors: new PostgresVectorIndex(sql, owner),
      storage: new PostgresStorage(sql),
    };
    return { name, driver, access, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** @throws LociError as `connectPostgres` */
export async function openPostgresStore(connections: Connections, options: OpenStoreOptions): Promise<Store> {
  const connection = await connectPostgres(connections, options, 'calls');
  const { name, driver, access } = connection;
  const { sql } = driver;
  const calls = storeCalls(driver);
  let isClosed = false;
  return {
    ...createStoreProxy(
      resilient(sql, access, async (call, _route, parameters) => {
        if (isClosed) throw new LociError('store_failed', `${name}: is closed`);
        const [namespace] = parameters as [string];
        return sql.inNamespace(namespace, async () =>
          withoutAsyncPauses(await callOf(calls, call)(...parameters)),
        );
      }),
    ),
    capabilities: {
      name: 'postgres',
      location: name,
      durable: true,
      shared: true,
      bm25: true,
      vectors: 'approximate',
      get readOnly() {
        return access.isReadOnly;
      },
    },
    close: async () => {
      if (isClosed) return;
      isClosed = true;
      await connection.close();
    },
  };
}

function callOf(calls: StoreCalls, call: string): (...parameters: readonly unknown[]) => unknown {
  const [role, name] = call.split('.') as [keyof StoreCalls, string];
  return (calls[role] as unknown as Record<string, (...parameters: readonly unknown[]) => unknown>)[name]!;
}
