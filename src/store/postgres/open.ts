import { LociError } from '../../core/errors.ts';
import { withoutAsyncPauses } from '../../core/threads/slices.ts';
import type { ConnectedDriver } from '../sql/driver.ts';
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
}

/** @throws LociError `store_not_found`, `store_newer`, `store_failed`, `unreadable` */
export async function connectPostgres(
  connectionString: string,
  { create }: OpenStoreOptions,
): Promise<PostgresDriver> {
  const name = databaseName(connectionString);
  const pool = createPool(connectionString);
  const sql = new PostgresSql(pool);
  try {
    await migrate(sql, name, create);
    const access = new Access(sql);
    await access.check();
    const driver = {
      sql,
      text: new PostgresTextIndex(sql),
      vectors: new PostgresVectorIndex(sql),
      storage: new PostgresStorage(sql),
    };
    return { name, driver, access, close: () => pool.end() };
  } catch (error) {
    await pool.end();
    throw error;
  }
}

/** @throws LociError as `connectPostgres` */
export async function openPostgresStore(connectionString: string, options: OpenStoreOptions): Promise<Store> {
  const connection = await connectPostgres(connectionString, options);
  const { name, driver, access } = connection;
  const calls = storeCalls(driver);
  let isClosed = false;
  return {
    ...createStoreProxy(
      resilient(driver.sql, access, async (call, _route, parameters) => {
        if (isClosed) throw new LociError('store_failed', `${name}: is closed`);
        return withoutAsyncPauses(await callOf(calls, call)(...parameters));
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
