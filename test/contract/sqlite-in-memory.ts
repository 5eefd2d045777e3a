import { withoutAsyncPauses } from '../../src/core/threads/slices.ts';
import { createStoreProxy } from '../../src/store/sql/calls/store-proxy.ts';
import { storeCalls } from '../../src/store/sql/calls/calls.ts';
import { Database } from '../../src/store/sqlite/database/database.ts';
import { sqliteDriver } from '../../src/store/sqlite/driver.ts';
import { migrate } from '../../src/store/sqlite/admin/migrate.ts';
import type { Store } from '../../src/store/store.ts';

type Run = (...parameters: readonly unknown[]) => unknown;

/** The SQLite store without its threads and without a file: fast enough to open one for each test. */
export function openSqliteInMemory(): Store {
  const db = new Database(':memory:', { busyTimeoutMs: 0 });
  const calls = storeCalls(sqliteDriver(db)) as unknown as Readonly<
    Record<string, Readonly<Record<string, Run>>>
  >;
  let last: Promise<unknown> = migrate(db);
  const roles = createStoreProxy((call, _route, parameters) => {
    const [role = '', name = ''] = call.split('.');
    const result = last.then(async () => withoutAsyncPauses(await calls[role]![name]!(...parameters)));
    last = result.catch(() => undefined);
    return result;
  });
  return {
    ...roles,
    capabilities: {
      name: 'sqlite',
      location: ':memory:',
      durable: false,
      shared: false,
      bm25: true,
      vectors: 'approximate',
      readOnly: false,
    },
    close: async () => {
      db.close();
    },
  };
}
