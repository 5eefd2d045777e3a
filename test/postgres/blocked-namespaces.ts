import { connectStore } from '../../src/store/registry.ts';
import { lockNamespace } from '../../src/store/sql/namespace.ts';
import { runStatements } from './database.ts';

/** Lets a transaction of somebody else have the locks of namespaces until the returned function is called. */
export async function block(
  url: string,
  namespaces: readonly string[],
  resources: AsyncDisposableStack,
): Promise<() => Promise<void>> {
  const { driver, close } = await connectStore({ path: '', connectionString: url }, { create: false });
  resources.defer(close);
  const over = Promise.withResolvers<undefined>();
  const locked = Promise.withResolvers<undefined>();
  const blocking = driver.sql.transaction(async () => {
    for (const each of namespaces) await lockNamespace(driver.sql, driver.text, each);
    locked.resolve(undefined);
    await over.promise;
  });
  await Promise.race([locked.promise, blocking]);
  return () => {
    over.resolve(undefined);
    return blocking;
  };
}

/** How many connections wait for locks. */
export async function waitingConnections(url: string): Promise<number> {
  const statement = `SELECT count(*)::int AS waiting FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`;
  return Number((await runStatements(url, statement))[0]?.['waiting']);
}
