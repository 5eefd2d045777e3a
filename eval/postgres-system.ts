import { connectStore, openStore } from '../src/store/registry.ts';
import { copyStore } from '../src/store/sql/admin/copy-store.ts';
import { testDatabase } from '../test/postgres/database.ts';
import type { EvalConfiguration } from './configuration.ts';
import { engineSystem } from './engine-system.ts';
import { storePath, type IndexedSet } from './index-cache.ts';
import type { Model } from './model.ts';
import type { EvalSet } from './sets.ts';
import type { System } from './system.ts';

/** The engine on a copy of an indexed set in a database of PostgreSQL, which is removed when the system is closed. */
export async function postgresSystem(
  set: EvalSet,
  { generation }: Pick<IndexedSet, 'generation'>,
  configuration: EvalConfiguration,
  model: Model,
  options: { readonly folder?: string; readonly signal?: AbortSignal },
): Promise<System> {
  await using resources = new AsyncDisposableStack();
  const { url } = resources.use(await testDatabase());
  await copyTo(url, storePath(set, model, options.folder), options.signal);
  const store = await openStore({ path: '', connectionString: url }, { create: false });
  resources.defer(() => store.close());
  const indexed = { store, generation, close: () => Promise.resolve() };
  const system = engineSystem(set, indexed, model.embedder, { ...configuration, name: 'PostgreSQL' });
  const open = resources.move();
  return { ...system, close: () => open.disposeAsync() };
}

async function copyTo(connectionString: string, path: string, signal?: AbortSignal): Promise<void> {
  await using connections = new AsyncDisposableStack();
  const source = await connectStore({ path }, { create: false });
  connections.defer(() => source.close());
  const target = await connectStore({ path: '', connectionString }, { create: true });
  connections.defer(() => target.close());
  await copyStore(source.driver, target.driver, 'source', signal === undefined ? {} : { signal });
}
