import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { memoryPack } from '../../src/engine/packs/memory-pack.ts';
import { write as writeRecord } from '../../src/engine/records/write.ts';
import { injectStartup, setStartup } from '../../src/engine/startup/startup.ts';
import { openStore } from '../../src/store/registry.ts';
import { ADMIN_NAMESPACE } from '../../src/store/rules/admin-namespace.ts';
import type { Store } from '../../src/store/store.ts';
import { doctor } from '../../src/engine/health/doctor.ts';
import { openInline, settings, temporaryFolder } from '../contract/engines.ts';
import { matchingRecords, note, NOW, write } from '../contract/store-samples.ts';
import { runStatements, serverDatabase } from './database.ts';
import { Proxy } from './proxy.ts';
import { onServer, startReplicatedServers } from './replicated-servers.ts';
import type { Server } from './server.ts';

const WAIT = { timeout: 100_000, interval: 20 };
const servers = new AsyncDisposableStack();
let primary: Server;
let standby: Server;
beforeAll(async () => {
  ({ primary, standby } = await startReplicatedServers(servers));
});
afterAll(() => servers.disposeAsync());

/** Counts the messages that pass a proxy. */
async function countingProxy(
  url: string,
  resources: AsyncDisposableStack,
): Promise<Proxy & { messages: number }> {
  const proxy = Object.assign(resources.use(await Proxy.start(url)), { messages: 0 });
  proxy.observe = () => ({ fromClient: () => (proxy.messages += 1), fromServer: () => undefined });
  return proxy;
}

/** A store with the record 1 in two namespaces, which reads from the replica. */
async function replicatedStore(resources: AsyncDisposableStack, as: 'owner' | 'bound user' = 'owner') {
  const { url } = await serverDatabase(primary.url);
  const replicaUrl = onServer(url, standby);
  const user = as === 'owner' ? 'postgres' : new URL(url).pathname.slice(1);
  const asUser = (each: string): string => Object.assign(new URL(each), { username: user }).href;
  const toPrimary = await countingProxy(asUser(url), resources);
  const toReplica = await countingProxy(asUser(replicaUrl), resources);
  const connections = { connectionString: toPrimary.url, replicaConnectionString: toReplica.url };
  const create = async (): Promise<Store> => {
    const store = await openStore({ path: 'loci.db', connectionString: url }, { create: true });
    resources.defer(() => store.close());
    return store;
  };
  const other = await create();
  if (as === 'bound user')
    await runStatements(
      url,
      `CREATE ROLE ${user} LOGIN; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${user};
       GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO ${user}`,
    );
  for (const namespace of ['a', 'b']) await write(other, namespace, note('a kettle'));
  await vi.waitFor(async () => {
    expect(await runStatements(replicaUrl, 'SELECT id FROM record')).toHaveLength(2);
  }, WAIT);
  const store = await openStore({ path: 'loci.db', ...connections }, { create: false });
  resources.defer(() => store.close());
  const find = (namespace: string): Promise<number[]> => matchingRecords(store, namespace, 'kettl');
  /** Finds records, and tells which servers did. */
  const findOn = async (namespace: string) => {
    const [before, beforeReplica] = [toPrimary.messages, toReplica.messages];
    const found = await find(namespace);
    return { found, primary: toPrimary.messages > before, replica: toReplica.messages > beforeReplica };
  };
  await vi.waitFor(async () => {
    expect(await findOn('a')).toEqual({ found: [1], primary: false, replica: true });
  }, WAIT);
  return { url, replicaUrl, toPrimary, toReplica, store, other, find, findOn };
}

it('answers reads of what this process has not written, and all of them when it has caught up', async () => {
  await using resources = new AsyncDisposableStack();
  const { replicaUrl, store, other, findOn } = await replicatedStore(resources);
  await runStatements(replicaUrl, 'SELECT pg_wal_replay_pause()');
  resources.defer(async () => void (await runStatements(replicaUrl, 'SELECT pg_wal_replay_resume()')));

  await write(store, 'a', note('another kettle'));
  expect(await findOn('a')).toMatchObject({ found: [1, 2], primary: true });
  // What others write is seen when the replica has it.
  await write(other, 'b', note('another kettle'));
  expect(await findOn('b')).toEqual({ found: [1], primary: false, replica: true });
  // Tokens count at once, and so does that they were revoked.
  const token = { kind: 'token', key: 'new', at: 1, body: {} } as const;
  await other.records.commit(ADMIN_NAMESPACE, { items: [{ put: token }] });
  const tokens = await store.records.items(
    ADMIN_NAMESPACE,
    { kind: 'token', by: 'key' },
    { after: null, limit: 1 },
  );
  expect(tokens).toMatchObject([{ key: 'new' }]);
  // A process that starts now sees all of it.
  const later = await openStore(
    { path: 'loci.db', connectionString: onServer(replicaUrl, primary), replicaConnectionString: replicaUrl },
    { create: false },
  );
  resources.defer(() => later.close());
  expect(await matchingRecords(later, 'b', 'kettl')).toEqual([1, 2]);

  await runStatements(replicaUrl, 'SELECT pg_wal_replay_resume()');
  await vi.waitFor(async () => {
    expect(await findOn('a')).toEqual({ found: [1, 2], primary: false, replica: true });
  }, WAIT);
  expect(await findOn('b')).toEqual({ found: [1, 2], primary: false, replica: true });

  // What is derived with a lease needs the newest state.
  const lease = { name: 'graph', holder: 'this process', now: 1, until: 60_000 };
  await store.admin.lease('b', lease);
  expect(await findOn('b')).toEqual({ found: [1, 2], primary: true, replica: false });
  await store.admin.lease('b', { name: 'graph', releasedBy: 'this process' });
  await vi.waitFor(
    async () => expect(await findOn('b')).toMatchObject({ primary: false, replica: true }),
    WAIT,
  );
});

it('that is stopped or silent is replaced by the primary server, and used again when it answers', async () => {
  await using resources = new AsyncDisposableStack();
  const { toReplica, store, find, findOn } = await replicatedStore(resources);
  const expectUsed = (): Promise<void> =>
    vi.waitFor(async () => {
      const { primary: onPrimary, ...rest } = await findOn('b');
      expect({ onPrimary, ...rest }).toEqual({ onPrimary: false, found: [1], replica: true });
    }, WAIT);
  await standby.stop();
  expect(await Promise.all([find('a'), find('b'), find('b')])).toEqual([[1], [1], [1]]);
  expect(store.activity?.().isReplicaReachable).toBe(false);
  await write(store, 'a', note('another kettle'));
  expect(await find('a')).toEqual([1, 2]);
  await standby.start();
  await expectUsed();
  expect(await find('a')).toEqual([1, 2]);

  toReplica.isSilent = true;
  await vi.waitFor(async () => {
    expect([await find('b'), store.activity?.().isReplicaReachable]).toEqual([[1], false]);
  }, WAIT);
  toReplica.isSilent = false;
  await expectUsed();
});

it('answers a user whom row-level security binds', async () => {
  await using resources = new AsyncDisposableStack();
  const { store, findOn } = await replicatedStore(resources, 'bound user');
  await write(store, 'a', note('another kettle'));
  await vi.waitFor(async () => {
    expect(await findOn('a')).toEqual({ found: [1, 2], primary: false, replica: true });
  }, WAIT);
  expect((await findOn('b')).found).toEqual([1]);
});

it('that is away when the store is opened does not matter, and one of another server is refused', async () => {
  await using resources = new AsyncDisposableStack();
  const { url, toReplica } = await replicatedStore(resources);
  const open = (replicaConnectionString: string): Promise<Store> =>
    openStore({ path: 'loci.db', connectionString: url, replicaConnectionString }, { create: false });
  toReplica.isDown = true;
  const store = await open(toReplica.url);
  resources.defer(() => store.close());
  expect(await matchingRecords(store, 'a', 'kettl')).toEqual([1]);
  const another = resources.use(await serverDatabase(process.env['LOCI_TEST_POSTGRES_URL']!));
  for (const wrong of [another.url, primary.url])
    await expect(open(wrong)).rejects.toMatchObject({ code: 'invalid_config' });
});

it('that is away is named by `doctor`, together with a removal that has not ended', async () => {
  await using resources = new AsyncDisposableStack();
  await using folder = await temporaryFolder();
  const { url, store, toReplica } = await replicatedStore(resources);
  const by = { at: NOW, actor: 'operator', surface: 'cli' };
  await store.admin.removeNamespace('b', { by, limit: 1, after: null });
  toReplica.isDown = true;
  const connections = { connectionString: url, replicaConnectionString: toReplica.url };
  const context = resources.adopt(await openInline(settings(folder.path, { store: connections })), (each) =>
    each.close(),
  );
  const [check] = await doctor(context);
  expect(check).toMatchObject({ name: 'store', result: 'warning' });
  expect(check?.hint?.split('\n')).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^The deletion of "b" has not ended/),
      expect.stringMatching(/^The server of store.replicaConnectionString cannot be reached/),
    ]),
  );
});

it('alone answers startup texts and packs, and says what it cannot record', async () => {
  await using resources = new AsyncDisposableStack();
  await using folder = await temporaryFolder();
  const { url } = await serverDatabase(primary.url);
  const openOn = async (connectionString: string) =>
    resources.adopt(
      await openInline(settings(folder.path, { store: { connectionString } }), { create: true }),
      (each) => each.close(),
    );
  const main = await openOn(url);
  await setStartup(main, { key: 'soul', content: 'You are Ada.' });
  await writeRecord(main, { content: 'The kettle is in the cellar.' });
  const replica = await vi.waitFor(() => openOn(onServer(url, standby)), WAIT);
  await vi.waitFor(async () => {
    const { text, notice } = await injectStartup(replica, { session: 'first' });
    expect(text).toBe('You are Ada.');
    expect(notice).toBe(
      'the store can only be read here, so that it is not recorded that the session has seen the text: it gets the text again',
    );
    const { items, receipt_id, notices } = await memoryPack(replica, { query: 'kettle' });
    expect([items.length, receipt_id, notices]).toEqual([
      1,
      null,
      ['the store can only be read here, so that the text has no receipt'],
    ]);
  }, WAIT);
});
