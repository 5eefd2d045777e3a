import { Client } from 'pg';
import { afterAll, describe, expect, it, vi } from 'vitest';
import type { EngineContext } from '../../src/engine/context.ts';
import { reindex } from '../../src/engine/health/reindex.ts';
import { openEngine } from '../../src/engine/open.ts';
import { search } from '../../src/engine/records/search.ts';
import { write as writeRecord } from '../../src/engine/records/write.ts';
import { connectStore, openStore } from '../../src/store/registry.ts';
import type { Driver } from '../../src/store/sql/driver.ts';
import { lockNamespace } from '../../src/store/sql/namespace.ts';
import type { Sql } from '../../src/store/sql/sql.ts';
import type { Store } from '../../src/store/store.ts';
import { auditDraft } from '../contract/written-samples.ts';
import {
  CHUNKING,
  matchingPassages,
  matchingRecords,
  note,
  NOW,
  verifyStore,
  write,
} from '../contract/store-samples.ts';
import { settings, temporaryFolder } from '../contract/engines.ts';
import { runStatements, serverDatabase, testDatabase } from './database.ts';
import { Proxy as ConnectionProxy } from './proxy.ts';

const NAMESPACE = 'shared';
/** The advisory lock that a server takes before it makes tables. */
const MIGRATION_LOCK = 0x6c6f6369;

describe('two servers', async () => {
  const resources = new AsyncDisposableStack();
  const { url } = resources.use(await testDatabase());
  afterAll(() => resources.disposeAsync());

  const open = async (): Promise<Store> => {
    const store = await openStore({ path: 'loci.db', connectionString: url }, { create: true });
    resources.defer(() => store.close());
    return store;
  };

  it('that start at once on an empty database make one store', async () => {
    const stores = await Promise.all([open(), open(), open()]);
    expect(await Promise.all(stores.map((store) => write(store, 'empty', note('a'))))).toHaveLength(3);
    expect(await verifyStore(stores[0])).toEqual([]);
  });

  it('make no tables where another one has made them while they waited', async () => {
    await using database = await testDatabase();
    const other = new Client(database.url);
    await other.connect();
    await other.query('BEGIN');
    await other.query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    const opened = openStore({ path: 'loci.db', connectionString: database.url }, { create: true });
    const waiting = `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
    await vi.waitUntil(async () => (await other.query(waiting)).rowCount === 1, { timeout: 20_000 });
    await other.query('CREATE TABLE loci_store (version) AS SELECT 1000');
    await Promise.all([other.query('COMMIT'), expect(opened).rejects.toMatchObject({ code: 'store_newer' })]);
    await other.end();
  });

  it('admit no namespace of which another one has begun the removal meanwhile', async () => {
    const [one, two] = [await open(), await open()];
    await write(one, 'admitted', ...Array.from({ length: 9 }, (_, i) => note(`text ${String(i)}`)));
    const by = { at: NOW, actor: 'operator', surface: 'cli' };
    // The log of the store exists.
    await one.admin.readmitNamespace('', 'nobody', by);
    const other = new Client(url);
    await other.connect();
    await other.query('BEGIN');
    await other.query(
      "SELECT 1 FROM namespace_state WHERE ns = (SELECT id FROM namespace WHERE name = '') FOR UPDATE",
    );
    const removing = one.admin.removeNamespace('admitted', { by, limit: 4, after: null });
    const waiting = `SELECT count(*) = $1 AS all FROM pg_stat_activity WHERE datname = current_database()
      AND wait_event_type = 'Lock' AND query_start <= clock_timestamp() - $2 * interval '1 ms'`;
    const waitFor = (count: number, ms: number): Promise<unknown> =>
      vi.waitUntil(
        async () => {
          // A transaction sees one state of the statistics otherwise.
          await other.query('SELECT pg_stat_clear_snapshot()');
          return (await other.query<{ all: boolean }>(waiting, [count, ms])).rows[0]!.all;
        },
        { timeout: 20_000 },
      );
    // The first wait for a lock ends after 100 ms; the second one lasts until the lock is free.
    await waitFor(1, 200);
    const admitting = two.admin.readmitNamespace('', 'admitted', by);
    await waitFor(2, 0);
    await Promise.all([
      other.query('COMMIT'),
      expect(admitting).rejects.toMatchObject({ code: 'conflict' }),
      removing,
    ]);
    await other.end();
    let after = (await removing).next;
    while (after !== null)
      after = (await one.admin.removeNamespace('admitted', { by, limit: 4, after })).next;
    expect(await one.admin.namespaceRows('admitted')).toBeNull();
  });

  it('write to one namespace at the same time, with one order of ids and one audit log', async () => {
    const stores = [await open(), await open()];
    const commits = Array.from({ length: 60 }, (_, i) =>
      stores[i % 2]!.records.commit(NAMESPACE, {
        writes: [note(`common text ${String(i)}`)],
        audit: [auditDraft({ subject: String(i) })],
        chunking: CHUNKING,
      }),
    );
    const ids = (await Promise.all(commits)).flat();
    expect(ids.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, i) => i + 1));
    const { entries, faults } = await stores[0]!.admin.audit(NAMESPACE, {
      log: { after: null, limit: 100 },
      faults: true,
    });
    expect([entries.length, faults]).toEqual([60, []]);
    expect(await verifyStore(stores[1]!)).toEqual([]);
  });

  it('write while a third one derives and indexes everything again, and nothing is wrong afterwards', async () => {
    await using proxy = await ConnectionProxy.start(url);
    await using folder = await temporaryFolder();
    const contexts = await Promise.all(
      [0, 1, 2].map(() =>
        openEngine(
          settings(folder.path, { store: { connectionString: proxy.url }, writes: { enabled: true } }),
        ),
      ),
    );
    const [third, ...writers] = contexts.map((each) => each.as({ ...each.caller, namespace: 'busy' })) as [
      EngineContext,
      ...EngineContext[],
    ];
    const contents = Array.from({ length: 12 }, (_, i) => `The kettle ${String(i)} is in the [[Cellar]].`);
    for (const content of contents.slice(0, 4)) await writeRecord(third, { content });
    proxy.delay = 20;
    const writing = writers.map(async (writer, i) => {
      for (const content of contents.slice(4 + 4 * i, 8 + 4 * i)) await writeRecord(writer, { content });
    });
    const state = { isWriting: true };
    const written = Promise.all(writing).finally(() => (state.isWriting = false));
    while (state.isWriting) await third.store.admin.resetDerived('busy', { text: true, vectors: false });
    await written;
    proxy.delay = 0;
    expect(await third.store.admin.verify('busy')).toEqual([]);
    expect((await reindex(third)).problems).toEqual([]);
    expect((await search(third, { query: 'kettle', limit: 50 })).results).toHaveLength(contents.length);
    expect(await third.store.admin.verify('busy')).toEqual([]);
    await Promise.all(contexts.map((each) => each.close()));
  });

  it('lock a namespace that the other one has made between two statements', async () => {
    const a = await open();
    const connections = await Promise.all(
      [0, 1].map(() => connectStore({ path: '', connectionString: url }, { create: false })),
    );
    for (const each of connections) resources.defer(() => each.close());
    const [{ sql, text }, third] = connections.map(({ driver }) => driver) as [Driver, Driver];
    await sql.transaction(async () => {
      let isFirst = true;
      const raced = new Proxy(sql, {
        get: (target, name) => {
          const value: unknown = Reflect.get(target, name);
          const method =
            typeof value === 'function' ? (value as (...given: unknown[]) => unknown).bind(target) : value;
          if (name !== 'get') return method;
          return async (...given: Parameters<Sql['get']>) => {
            const row = await target.get(...given);
            if (isFirst) await write(a, 'raced', note('a'));
            isFirst = false;
            return row;
          };
        },
      });
      expect(await lockNamespace(raced, text, 'raced')).toMatchObject({ nextRecord: 2 });
      const other = `SELECT 1 FROM namespace_state WHERE ns = (SELECT id FROM namespace WHERE name = 'raced') FOR UPDATE NOWAIT`;
      await expect(third.sql.transaction(() => third.sql.all(other))).rejects.toThrow(
        /could not obtain lock/,
      );
    });
  });

  it('write to a namespace of the same name after one of them has removed it', async () => {
    const store = await open();
    await store.records.commit('removed', {
      items: [{ put: { kind: 'unseen', key: '1', at: 1, body: {} } }],
    });
    // The id is remembered from the second call on.
    expect(await matchingRecords(store, 'removed', 'kettle')).toEqual([]);
    const id = "(SELECT id FROM namespace WHERE name = 'removed')";
    await runStatements(
      url,
      ...['item', 'namespace_state'].map((table) => `DELETE FROM ${table} WHERE ns = ${id}`),
      "DELETE FROM namespace WHERE name = 'removed'",
    );
    expect(await write(store, 'removed', note('a kettle'))).toEqual([1]);
    expect(await matchingRecords(store, 'removed', 'kettle')).toEqual([1]);
  });

  it('see what the other has changed', async () => {
    const [a, b] = [await open(), await open()];
    const [id] = await write(a, 'seen', note('the old kettle'));
    expect(await matchingRecords(b, 'seen', 'kettl')).toEqual([id]);
    const passages = await matchingPassages(b, 'seen', 'kettl');
    const text = async (): Promise<string | undefined> =>
      (await b.search.passages('seen', passages, { now: NOW })).passages[0]?.record.title;
    const before = await text();
    const [record] = await a.records.get('seen', [id!], 'any');
    await a.records.commit('seen', {
      writes: [{ id: id!, draft: { ...record!, title: 'Another title' }, passages: 'keep' }],
    });
    expect(await text()).toBe('Another title');
    expect(before).not.toBe('Another title');
  });

  it('give a lease to one of them, and refuse the writes of the one that lost it', async () => {
    const [a, b] = [await open(), await open()];
    const request = { name: 'refresh', now: NOW, until: NOW + 60_000 };
    const [first, second] = await Promise.all([
      a.admin.lease('leased', { ...request, holder: 'a' }),
      b.admin.lease('leased', { ...request, holder: 'b' }),
    ]);
    expect(first).toEqual(second);
    const { holder, token } = first!;
    const late = { ...request, now: NOW + 61_000, until: NOW + 120_000 };
    const taken = await b.admin.lease('leased', { ...late, holder: 'c' });
    expect(taken).toMatchObject({ holder: 'c' });
    const commit = a.records.commit('leased', { fence: { lease: 'refresh', token }, items: [] });
    await expect(commit).rejects.toMatchObject({ code: 'conflict' });
    expect(holder).not.toBe('c');
  });
});

it('values of a facet that are as frequent stand by code point, whatever the collation of the database', async () => {
  await using resources = new AsyncDisposableStack();
  const server = process.env['LOCI_TEST_POSTGRES_URL'] ?? '';
  const { url } = resources.use(
    await serverDatabase(server, "LOCALE_PROVIDER icu ICU_LOCALE 'en-US' LOCALE 'C'"),
  );
  const store = await openStore({ path: 'loci.db', connectionString: url }, { create: true });
  resources.defer(() => store.close());
  await write(store, 'n', note('a', { tags: ['a', 'B', 'ä', 'Z'] }));
  const values = await store.records.facet('n', 'tag', { now: NOW });
  expect(values.map(({ value }) => value)).toEqual(['B', 'Z', 'a', 'ä']);
});
