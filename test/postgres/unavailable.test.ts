import { Client } from 'pg';
import { describe, expect, it, vi } from 'vitest';
import { search } from '../../src/engine/records/search.ts';
import { ConnectionPool } from '../../src/store/postgres/pool.ts';
import { PostgresSql } from '../../src/store/postgres/postgres-sql.ts';
import type { Store } from '../../src/store/store.ts';
import { openInline, settings, temporaryFolder } from '../contract/engines.ts';
import { matchingRecords } from '../contract/store-samples.ts';
import { testDatabase } from './database.ts';
import { Proxy } from './proxy.ts';
import { commit, keysOf, NAMESPACE, open, Writes } from './written-keys.ts';

const WAIT = { timeout: 100_000, interval: 20 };

const WAITING = "wait_event_type = 'Lock' AND datname = current_database()";

/** Another connection to the database of a store, which an administrator has. */
class Administrator implements AsyncDisposable {
  readonly #client: Client;

  constructor(connectionString: string) {
    this.#client = new Client({ connectionString });
  }

  async connected(): Promise<this> {
    await this.#client.connect();
    return this;
  }

  async run(statement: string): Promise<Record<string, unknown>[]> {
    return (await this.#client.query<Record<string, unknown>>(statement)).rows;
  }

  /** Lets all calls wait that read or write records. */
  async lock(): Promise<void> {
    await this.run('BEGIN; LOCK TABLE record IN ACCESS EXCLUSIVE MODE');
  }

  /** Waits until so many statements of the store wait for the lock. */
  async waitForWaiting(count: number): Promise<void> {
    await vi.waitFor(async () => {
      await this.run('SELECT pg_stat_clear_snapshot()');
      expect(await this.run(`SELECT pid FROM pg_stat_activity WHERE ${WAITING}`)).toHaveLength(count);
    }, WAIT);
  }

  /** Waits for statements of the store that wait for the lock, and sends a signal to their processes. */
  async signalWaiting(signal: 'pg_cancel_backend' | 'pg_terminate_backend'): Promise<void> {
    await vi.waitFor(async () => {
      // A transaction sees one state of the statistics otherwise.
      await this.run('SELECT pg_stat_clear_snapshot()');
      const rows = await this.run(`SELECT ${signal}(pid) FROM pg_stat_activity WHERE ${WAITING}`);
      expect(rows).not.toEqual([]);
    }, WAIT);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.end();
  }
}

/** A store with one record, and an administrator of its database. */
async function storeWithRecord(resources: AsyncDisposableStack, options = '') {
  const { url } = resources.use(await testDatabase());
  const store = await open(`${url}${options}`, resources);
  const writes = new Writes();
  await writes.commit(store, 'first');
  return { url, store, writes, administrator: resources.use(await new Administrator(url).connected()) };
}

const READS: readonly (readonly [string, (store: Store) => Promise<unknown>])[] = [
  ['a list', keysOf],
  ['a search', (store) => matchingRecords(store, NAMESPACE, 'first')],
];

/** Starts reads that all wait for a lock of the administrator. Reads of one turn of the event loop would share a connection. */
async function startWaiting(
  count: number,
  store: Store,
  administrator: Administrator,
): Promise<readonly Promise<string[]>[]> {
  const started: Promise<string[]>[] = [];
  while (started.length < count) {
    started.push(keysOf(store));
    await administrator.waitForWaiting(started.length);
  }
  return started;
}

describe('a statement', () => {
  it.each(READS)('of %s that is cancelled says so', async (_, read) => {
    await using resources = new AsyncDisposableStack();
    const { store, administrator } = await storeWithRecord(resources);
    const before = await read(store);
    await administrator.lock();
    const rejected = expect(read(store)).rejects.toMatchObject({
      code: 'store_busy',
      hint: expect.stringContaining('cancelled') as unknown,
    });
    await administrator.signalWaiting('pg_cancel_backend');
    await rejected;
    await administrator.run('ROLLBACK');
    expect(await read(store)).toEqual(before);
  });

  it.each(READS)('of %s whose connection is ended runs again', async (_, read) => {
    await using resources = new AsyncDisposableStack();
    const { store, administrator } = await storeWithRecord(resources);
    const before = await read(store);
    await administrator.lock();
    const after = read(store);
    await administrator.signalWaiting('pg_terminate_backend');
    await administrator.run('ROLLBACK');
    expect(await after).toEqual(before);
  });

  it('of a write that is cancelled says so, and one whose connection is ended runs again', async () => {
    await using resources = new AsyncDisposableStack();
    const { store, writes, administrator } = await storeWithRecord(resources);
    await administrator.lock();
    const cancelled = writes.commit(store, 'cancelled');
    await administrator.signalWaiting('pg_cancel_backend');
    await cancelled;
    expect(writes.errors).toMatchObject([{ code: 'store_busy' }]);
    const ended = writes.commit(store, 'ended');
    await administrator.signalWaiting('pg_terminate_backend');
    await administrator.run('ROLLBACK');
    await ended;
    expect(await keysOf(store)).toEqual(['ended', 'first']);
    await writes.expectKept(store);
  });
});

it('a transaction that the server ends because it is idle runs again', async () => {
  await using resources = new AsyncDisposableStack();
  const { url, administrator } = await storeWithRecord(resources);
  const pool = resources.adopt(new ConnectionPool(url), (each) => each.end());
  const sql = new PostgresSql(pool);
  const processes: unknown[] = [];
  await sql.transaction(async () => {
    const pid = Number((await sql.get('SELECT pg_backend_pid() AS pid'))?.['pid']);
    processes.push(pid);
    await sql.run('UPDATE loci_store SET version = version + 1');
    if (processes.length > 1) return;
    await sql.script("SET LOCAL idle_in_transaction_session_timeout = '10ms'");
    const statement = `SELECT 1 FROM pg_stat_activity WHERE pid = ${String(pid)}`;
    await vi.waitFor(async () => expect(await administrator.run(statement)).toEqual([]), WAIT);
  });
  expect(processes).toHaveLength(2);
});

describe('connections', () => {
  it('are shared by more calls than there are connections', async () => {
    await using resources = new AsyncDisposableStack();
    const { store, writes } = await storeWithRecord(resources);
    const calls = Array.from({ length: 30 }, async (_, i) => {
      await writes.commit(store, `write ${String(i)}`);
      return matchingRecords(store, NAMESPACE, 'first');
    });
    expect(await Promise.all(calls)).toEqual(calls.map(() => [1]));
    expect(writes.errors).toEqual([]);
  });

  it('for reads that are all busy are an error of the next read, within 5 seconds', async () => {
    await using resources = new AsyncDisposableStack();
    // The reads wait for the lock until the test ends, however slow the machine is.
    const { store, administrator } = await storeWithRecord(resources, '?query_timeout=100000');
    await administrator.lock();
    const reading = Promise.all(await startWaiting(10, store, administrator));
    await expect(keysOf(store)).rejects.toMatchObject({
      code: 'store_busy',
      message: expect.stringContaining('all connections of this process to PostgreSQL are busy') as unknown,
    });
    await administrator.run('ROLLBACK');
    expect(new Set((await reading).flat())).toEqual(new Set(['first']));
  });

  it('that the server refuses because it has too many are an error that says so', async () => {
    await using resources = new AsyncDisposableStack();
    const { url, administrator } = await storeWithRecord(resources);
    const user = new URL(url).pathname.slice(1);
    await administrator.run(
      `CREATE ROLE ${user} LOGIN CONNECTION LIMIT 2; GRANT ALL ON ALL TABLES IN SCHEMA public TO ${user};
       GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO ${user}`,
    );
    resources.defer(async () => {
      await administrator.run(`DROP OWNED BY ${user}; DROP ROLE ${user}`);
    });
    const store = await open(
      Object.assign(new URL(url), { username: user, search: 'query_timeout=100000' }).href,
      resources,
    );
    await administrator.lock();
    const reading = Promise.all(await startWaiting(2, store, administrator));
    await expect(keysOf(store)).rejects.toMatchObject({
      code: 'store_busy',
      message: expect.stringContaining('too many connections') as unknown,
    });
    await administrator.run('ROLLBACK');
    expect(new Set((await reading).flat())).toEqual(new Set(['first']));
    // Writes of one namespace need one connection.
    const writes = new Writes();
    await Promise.all(Array.from({ length: 8 }, (_, i) => writes.commit(store, `write ${String(i)}`)));
    expect(writes.errors).toEqual([]);
    writes.answered.push('first');
    await writes.expectKept(store);
  });
});

describe('a server that does not answer', () => {
  it('is named by a search and by a write within their time, and used again when it answers', async () => {
    await using resources = new AsyncDisposableStack();
    const { url } = resources.use(await testDatabase());
    const proxy = resources.use(await Proxy.start(url));
    const { path } = resources.use(await temporaryFolder());
    // A shorter time than the 10 seconds of `ConnectionPool`.
    const connectionString = `${proxy.url}?query_timeout=1000`;
    const context = resources.adopt(
      await openInline(settings(path, { store: { connectionString } })),
      (each) => each.close(),
    );
    await commit(context.store, 'first');
    const find = async (): Promise<unknown> => (await search(context, { query: 'text' })).notices;
    const before = await find();
    proxy.isSilent = true;
    const started = performance.now();
    // New connections have 5 seconds, and the write is tried twice.
    const refused = /PostgreSQL does not answer|the server does not answer|connection timeout/;
    await Promise.all([
      expect(find()).rejects.toThrow(refused),
      expect(commit(context.store, 'second')).rejects.toThrow(refused),
    ]);
    expect(performance.now() - started).toBeLessThan(12_000);
    proxy.isSilent = false;
    expect(await find()).toEqual(before);
    await commit(context.store, 'third');
    expect(await keysOf(context.store)).toEqual(['first', 'third']);
  });
});
