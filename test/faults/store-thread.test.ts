import { ADMIN_NAMESPACE } from '../../src/store/rules/admin-namespace.ts';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { matchingRecords, note, NOW, verifyStore, write } from '../contract/store-samples.ts';
import { openSqlite, scratchFolder, startChild } from './store-processes.ts';

const NAMESPACE = 'n';

describe('the threads of a store', () => {
  const started: Worker[] = [];
  const collect = (worker: Worker): void => {
    started.push(worker);
  };

  beforeEach(() => {
    started.length = 0;
    process.on('worker', collect);
  });
  afterEach(() => {
    process.off('worker', collect);
  });

  it('may crash: the running call is rejected, and the next one finds everything', async () => {
    using folder = scratchFolder();
    const store = await openSqlite(join(folder.path, 'store.db'));
    await write(store, NAMESPACE, note('before'));
    const large = Array.from({ length: 3000 }, (_, i) => note(`large ${String(i)} ${'text '.repeat(50)}`));
    const commit = write(store, NAMESPACE, ...large);
    const search = matchingRecords(store, NAMESPACE, 'before');
    await Promise.all([
      expect(commit).rejects.toMatchObject({ code: 'store_failed' }),
      search.catch(() => undefined),
      ...started.map((worker) => worker.terminate()),
    ]);
    expect(await matchingRecords(store, NAMESPACE, 'before')).toEqual([1]);
    expect(await matchingRecords(store, NAMESPACE, 'large')).toEqual([]);
    expect(await write(store, NAMESPACE, note('after'))).toEqual([2]);
    expect(await verifyStore(store)).toEqual([]);
    await store.close();
  });

  it('reject results that are nested too deeply to be sent, and serve the next call', () => {
    using folder = scratchFolder();
    const samples = new URL('../contract/store-samples.ts', import.meta.url).href;
    const processes = new URL('store-processes.ts', import.meta.url).href;
    // This code runs in a separate process, because the stack of the first thread is smaller than those of other threads.
    const code = `
      import { note, NOW, write } from ${JSON.stringify(samples)};
      import { openSqlite } from ${JSON.stringify(processes)};
      let deep = {};
      for (let i = 0; i < 2500; i++) deep = { deep };
      const store = await openSqlite(${JSON.stringify(join(folder.path, 'store.db'))});
      await write(store, 'n', note('deep', { metadata: { deep } }), note('plain'));
      await write(store, 'other', note('other'));
      const get = (namespace, id) => store.records.get(namespace, [id], { liveAt: NOW });
      // Namespaces have their turn, so that the third answer is sent before the second.
      const answers = [get('other', 1), get('other', 1), get('n', 1), get('n', 2)];
      const settled = await Promise.allSettled(answers);
      console.log(...settled.map(({ reason, value }) => reason?.code ?? value[0].content));
      await store.close();`;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', code], {
      encoding: 'utf8',
      timeout: 20_000,
    });
    expect(stdout).toBe('other other store_failed plain\n');
  });

  it('end with the store, after the running calls', async () => {
    using folder = scratchFolder();
    const store = await openSqlite(join(folder.path, 'store.db'));
    await write(store, NAMESPACE, note('first'));
    const calls = [
      write(store, NAMESPACE, note('second')),
      store.records.get(NAMESPACE, [1], { liveAt: NOW }),
      store.admin.stats(ADMIN_NAMESPACE),
    ];
    const exits = started.map((worker) => once(worker, 'exit'));
    expect(exits).toHaveLength(2);
    await Promise.all([store.close(), store.close()]);
    await Promise.all(exits);
    expect((await Promise.all(calls))[0]).toEqual([2]);
    await expect(store.records.get(NAMESPACE, [1], { liveAt: NOW })).rejects.toMatchObject({
      code: 'store_failed',
    });
  });

  it('that have crashed do not prevent the store from closing', async () => {
    using folder = scratchFolder();
    const store = await openSqlite(join(folder.path, 'store.db'));
    await write(store, NAMESPACE, note('first'));
    await Promise.all([...started.map((worker) => worker.terminate()), store.close()]);
    const reopened = await openSqlite(join(folder.path, 'store.db'));
    expect(await matchingRecords(reopened, NAMESPACE, 'first')).toEqual([1]);
    await reopened.close();
  });

  it('end if the store cannot be opened', async () => {
    using folder = scratchFolder();
    const path = join(folder.path, 'other.db');
    using other = new DatabaseSync(path);
    other.exec('CREATE TABLE theirs (a TEXT)');
    await expect(openSqlite(path)).rejects.toMatchObject({ code: 'store_corrupt' });
    expect(started).toHaveLength(1);
    // A worker with the id -1 has already ended.
    await Promise.all(
      started.filter(({ threadId }) => threadId !== -1).map((worker) => once(worker, 'exit')),
    );
  });
});

describe('a process', () => {
  it('that does not close its store still ends', async () => {
    using folder = scratchFolder();
    const child = startChild(join(folder.path, 'store.db'), NAMESPACE, 'leave open');
    expect(await child.ended).toEqual({ code: 0, errors: '' });
    expect(child.lines).toEqual([{ ready: true }]);
    const store = await openSqlite(join(folder.path, 'store.db'), { create: false });
    expect(await store.vectors.generations(ADMIN_NAMESPACE)).toHaveLength(1);
    await store.close();
  });
});
