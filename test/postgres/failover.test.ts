import { describe, expect, it, vi } from 'vitest';
import type { Store } from '../../src/store/store.ts';
import { matchingRecords } from '../contract/store-samples.ts';
import { runStatements, serverDatabase } from './database.ts';
import { Proxy } from './proxy.ts';
import { startReplicatedServers } from './replicated-servers.ts';
import type { Server } from './server.ts';
import { commit, keysOf, NAMESPACE, open, Writes } from './written-keys.ts';

const WAIT = { timeout: 100_000, interval: 20 };

/** A primary server, and a replica of it that every commit waits for. */
async function replicatedServers(
  resources: AsyncDisposableStack,
): Promise<{ primary: Server; standby: Server }> {
  const servers = await startReplicatedServers(resources);
  const { url } = servers.primary;
  await runStatements(url, "ALTER SYSTEM SET synchronous_standby_names = 'standby'");
  await runStatements(url, 'SELECT pg_reload_conf()');
  const states = (): Promise<unknown> => runStatements(url, 'SELECT sync_state FROM pg_stat_replication');
  await vi.waitFor(async () => expect(await states()).toEqual([{ sync_state: 'sync' }]), WAIT);
  return servers;
}

const find = (store: Store, word: string): Promise<number[]> => matchingRecords(store, NAMESPACE, word);

describe('a replica', () => {
  it('is searched, refuses writes, and takes over from a primary server that is killed, with every answered write', async () => {
    await using resources = new AsyncDisposableStack();
    const { primary, standby } = await replicatedServers(resources);
    const { url } = await serverDatabase(primary.url);
    const replicaUrl = Object.assign(new URL(url), { host: new URL(standby.url).host }).href;
    // As an address that follows the primary server.
    const proxy = resources.use(await Proxy.start(url));
    const store = await open(proxy.url, resources);
    const writes = new Writes();
    await writes.commit(store, 'first');

    const replica = await vi.waitFor(() => open(replicaUrl, resources), WAIT);
    await vi.waitFor(async () => expect(await keysOf(replica)).toEqual(['first']), WAIT);
    expect(replica.capabilities.readOnly).toBe(true);
    expect(await find(replica, 'first')).toEqual([1]);
    expect(await replica.admin.namespaceRows(NAMESPACE)).toMatchObject({ rows: { record: 1 } });
    await expect(commit(replica, 'refused')).rejects.toMatchObject({
      code: 'store_unavailable',
      hint: expect.stringContaining('connect to the primary server') as unknown,
    });

    const over = new AbortController();
    const writing = Promise.all(
      [1, 2].map((writer) => writes.commitUntil(store, `writer ${String(writer)} write`, over.signal)),
    );
    await vi.waitFor(() => expect(writes.answered.length).toBeGreaterThan(20), WAIT);
    await primary.kill();
    await runStatements(standby.url, 'SELECT pg_promote()');
    proxy.moveTo(standby.url);
    const answered = writes.answered.length;
    await vi.waitFor(() => expect(writes.answered.length).toBeGreaterThan(answered + 20), WAIT);
    over.abort();
    await writing;
    await writes.expectKept(store);

    // The process that had opened the replica writes as well.
    await writes.commit(replica, 'after the promotion');
    expect(writes.answered).toContain('after the promotion');
    await vi.waitFor(async () => {
      await keysOf(replica);
      expect(replica.capabilities.readOnly).toBe(false);
    }, WAIT);
    await writes.expectKept(replica);
  });
});
