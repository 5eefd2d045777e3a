import { withoutAsyncPauses } from '../../src/core/threads/slices.ts';
import { callNamed, createStore } from '../../src/store/sql/calls/calls.ts';
import { migrate } from '../../src/store/sqlite/database/storage.ts';
import { Database } from '../../src/store/sqlite/database/database.ts';
import { sqliteDriver } from '../../src/store/sqlite/session.ts';
import type { Store } from '../../src/store/store.ts';

/** The SQLite store without its threads and without a file: fast enough to open one for each test. */
export function openSqliteInMemory(db = new Database(':memory:', { busyTimeoutMs: 0 })): Store {
  const driver = sqliteDriver(db);
  let last: Promise<unknown> = migrate(db);
  const calls = createStore((call, _route, parameters) => {
    const result = last.then(async () =>
      withoutAsyncPauses(await callNamed(call).run(driver, ...parameters)),
    );
    last = result.catch(() => undefined);
    return result;
  });
  return {
    ...calls,
    capabilities: {
      isRemote: false,
      name: 'sqlite',
      location: ':memory:',
      readOnly: false,
    },
    close: async () => {
      db.close();
    },
  };
}
