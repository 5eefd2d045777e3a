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
import { isConnectionLost, isReadOnlyError, isTimeout } from './store-error.ts';
import { PostgresStorage } from './storage.ts';
import { PostgresTextIndex } from './text/text-index.ts';
import { PostgresVectorIndex } from './vectors/vector-index.ts';

interface PostgresDriver extends ConnectedDriver {
  /** For people to read. */
  readonly name: string;
  readonly access: Access;
}

/** How long Loci believes that the store can only be read, in milliseconds. */
const READ_ONLY_MS = 1000;

/** Whether the store can only be read: on a replica until it is promoted, or for a user who may only read. */
class Access {
  isReadOnly = false;
  #checkedAt = 0;
  readonly #sql: PostgresSql;

  constructor(sql: PostgresSql) {
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
    ...createStoreProxy(async (call, route, parameters) => {
      if (isClosed) throw new LociError('store_failed', `${name}: is closed`);
      // The call itself says why, if this fails.
      if (access.isOutdated) await access.check().catch(() => undefined);
      const run = async (): Promise<unknown> => withoutAsyncPauses(await callOf(calls, call)(...parameters));
      return run().catch(async (error: unknown) => {
        // Another connection may still work. What writes is repeated by the transaction, which knows whether it took place.
        if (route === 'reader' && isConnectionLost(error) && !isTimeout(error)) return run();
        // The primary server may have become a replica.
        if (isReadOnlyError(error)) await access.check().catch(() => undefined);
        throw error;
      });
    }),
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
