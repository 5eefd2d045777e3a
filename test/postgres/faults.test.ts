import { createServer, connect, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore } from '../../src/store/registry.ts';
import { ADMIN_NAMESPACE } from '../../src/store/rules/admin-namespace.ts';
import type { Store } from '../../src/store/store.ts';
import { ALL_LIVE, CHUNKING, note } from '../contract/store-samples.ts';
import { findPrograms, type Server, startServer } from './server.ts';

let server: Server;

beforeAll(async () => {
  const programs = findPrograms();
  if (programs === null) throw new Error('These tests need a server: see `installPostgres`.');
  server = await startServer(programs);
});

afterAll(() => server.close());

async function database(): Promise<string> {
  const name = `faults_${String(Date.now())}_${String(Math.random()).slice(2)}`;
  const client = new Client({ connectionString: server.url });
  await client.connect();
  await client.query(`CREATE DATABASE ${name} ENCODING 'UTF8' TEMPLATE template0`);
  await client.end();
  return new URL(`/${name}`, server.url).href;
}

const open = (connectionString: string): Promise<Store> =>
  openStore({ path: 'loci.db', connectionString }, { create: true });

const NAMESPACE = 'faults';

function commit(store: Store, key: string): Promise<number[]> {
  const write = note(`text of ${key}`, { key, source: 'faults', origin: 'source' });
  return store.records.commit(NAMESPACE, { writes: [write], evictions: [], chunking: CHUNKING });
}

/** The keys that the store has. */
async function keysOf(store: Store): Promise<string[]> {
  const records = await store.records.list(
    NAMESPACE,
    { filter: { ...ALL_LIVE, now: 0 } },
    { after: null, limit: 10_000 },
  );
  return records.map(({ key }) => key!).sort();
}

/** Compares what was answered with what is there: no answered write is lost, and none is there twice. */
async function expectNothingLost(
  store: Store,
  answered: readonly string[],
  failed: readonly string[],
): Promise<void> {
  const keys = await keysOf(store);
  expect(keys).toEqual([...new Set(keys)]);
  expect(answered.filter((key) => !keys.includes(key))).toEqual([]);
  expect(keys.filter((key) => !answered.includes(key) && !failed.includes(key))).toEqual([]);
  for (const namespace of [ADMIN_NAMESPACE, NAMESPACE])
    expect(await store.admin.verify(namespace)).toEqual([]);
}

/** Forwards connections to the server, and cuts them. */
class CuttingProxy implements AsyncDisposable {
  /** Messages of clients that are forwarded before every connection is cut; whether the last one still reaches the server. */
  cut: { after: number; isForwarded: boolean } | null = null;
  readonly #server = createServer((client) => {
    this.#forward(client);
  });
  readonly #sockets = new Set<Socket>();

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `127.0.0.1:${String((this.#server.address() as AddressInfo).port)}`;
  }

  /** Returns whether no connection was cut, because there were fewer messages. */
  stopCutting(): boolean {
    const isWaiting = this.cut !== null;
    this.cut = null;
    return isWaiting;
  }

  /** Whether the server can no longer be reached once it has been told to commit. */
  endsAtCommit = false;
  #isDown = false;

  #forward(client: Socket): void {
    if (this.#isDown) {
      client.destroy();
      return;
    }
    const { hostname, port } = new URL(server.url);
    const upstream = connect(Number(port), hostname);
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      this.#sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
    }
    upstream.on('data', (bytes) => client.write(bytes));
    client.on('data', (bytes) => {
      if (this.endsAtCommit && bytes.includes('COMMIT')) {
        this.#isDown = true;
        upstream.write(bytes, () => client.destroy());
        return;
      }
      const { cut } = this;
      if (cut === null || cut.after-- > 0) {
        upstream.write(bytes);
        return;
      }
      this.cut = null;
      if (cut.isForwarded) upstream.write(bytes, () => client.destroy());
      else for (const socket of this.#sockets) socket.destroy();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

describe('a connection that is cut', () => {
  it.each([
    ['before each message of a commit reaches the server', false],
    ['after it has, and before the answer', true],
  ])('%s, loses and doubles nothing', async (_, isForwarded) => {
    await using proxy = new CuttingProxy();
    const direct = await database();
    const url = new URL(direct);
    url.host = await proxy.listen();
    const store = await open(url.href);
    await commit(store, 'first');
    const [answered, failed]: [string[], string[]] = [['first'], []];
    for (let after = 0; after < 40; after++) {
      const key = `key ${String(after).padStart(3, '0')}`;
      proxy.cut = { after, isForwarded };
      await commit(store, key).then(
        () => answered.push(key),
        () => failed.push(key),
      );
      if (proxy.stopCutting()) break;
    }
    // One lost connection is tried once more, whatever was lost.
    expect(failed).toEqual([]);
    expect(answered.length).toBeGreaterThan(10);
    await expectNothingLost(store, answered, failed);
    await store.close();
  });
});

it('a server that does not come back leaves the outcome of a commit unknown, and the error says so', async () => {
  await using proxy = new CuttingProxy();
  const direct = await database();
  const url = new URL(direct);
  url.host = await proxy.listen();
  const store = await open(url.href);
  await commit(store, 'first');
  proxy.endsAtCommit = true;
  await expect(commit(store, 'second')).rejects.toThrow(/whether the write took place is unknown/);
  await store.close();
  const again = await open(direct);
  await expectNothingLost(again, ['first'], ['second']);
  await again.close();
});

describe('a server that is killed', () => {
  it('loses and doubles no answered write in 20 crashes', async () => {
    const store = await open(await database());
    const [answered, failed]: [string[], string[]] = [[], []];
    for (let crash = 0; crash < 20; crash++) {
      const over = new AbortController();
      const writes = (async (): Promise<void> => {
        for (let n = 0; !over.signal.aborted; n++) {
          const key = `crash ${String(crash)} write ${String(n)}`;
          await commit(store, key).then(
            () => answered.push(key),
            () => failed.push(key),
          );
        }
      })();
      const before = answered.length;
      // Some crashes come in the middle of a commit, others between two.
      while (answered.length < before + 1 + (crash % 3)) await new Promise(setImmediate);
      await server.restartAfterCrash();
      over.abort();
      await writes;
    }
    await expectNothingLost(store, answered, failed);
    await store.close();
  });
});
