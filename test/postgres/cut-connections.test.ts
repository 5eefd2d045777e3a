import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serverDatabase } from './database.ts';
import { Proxy } from './proxy.ts';
import { type Server, startServer } from './server.ts';
import { commit, open, requirePrograms, Writes } from './written-keys.ts';

let server: Server;
beforeAll(async () => {
  // A crash loses what was not committed at once, instead of after 200 ms.
  server = await startServer(requirePrograms(), { settings: ['wal_writer_delay=10s'] });
});
afterAll(() => server.close());

describe('a connection that is cut', () => {
  it.each([
    ['before each message of a commit reaches the server', false],
    ['after it has, and before the answer', true],
  ])('%s, loses and doubles nothing', async (_, isForwarded) => {
    await using resources = new AsyncDisposableStack();
    const proxy = resources.use(await Proxy.start((await serverDatabase(server.url)).url));
    const store = await open(proxy.url, resources);
    const writes = new Writes();
    await writes.commit(store, 'first');
    for (let after = 0; after < 40; after++) {
      proxy.cut = { after, isForwarded };
      await writes.commit(store, `key ${String(after).padStart(3, '0')}`);
      if (proxy.stopCutting()) break;
    }
    // One lost connection is tried once more, whatever was lost.
    expect(writes.errors).toEqual([]);
    // A commit takes several messages: what it begins with and reads, what it writes, and what ends it.
    expect(writes.answered.length).toBeGreaterThan(3);
    await writes.expectKept(store);
  });

  it('leaves the outcome of a commit unknown if the server does not come back, and the error says so', async () => {
    await using resources = new AsyncDisposableStack();
    const database = await serverDatabase(server.url);
    const proxy = resources.use(await Proxy.start(database.url));
    const store = await open(proxy.url, resources);
    const writes = new Writes();
    await writes.commit(store, 'first');
    proxy.atCommit = (forward) => {
      forward();
      proxy.isDown = true;
    };
    await expect(commit(store, 'second')).rejects.toThrow(/whether the write took place is unknown/);
    writes.failed.push('second');
    await writes.expectKept(await open(database.url, resources));
  });

  it('is no proof of a commit whose number another transaction has after a crash', async () => {
    await using resources = new AsyncDisposableStack();
    const database = await serverDatabase(server.url);
    const proxy = resources.use(await Proxy.start(database.url));
    const [store, other] = [await open(proxy.url, resources), await open(database.url, resources)];
    const writes = new Writes();
    await writes.commit(other, 'first');
    proxy.atCommit = async () => {
      await server.restartAfterCrash();
      for (let n = 0; n < 10; n++) await writes.commit(other, `after the crash ${String(n)}`);
    };
    await writes.commit(store, 'lost by the crash');
    await writes.expectKept(other);
    expect(writes.failed).toEqual(['lost by the crash']);
  });
});
