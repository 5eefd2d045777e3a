import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { searchText, searchVectors } from '../contract/queries.ts';
import {
  addVectors,
  ALL_LIVE,
  anyOf,
  embed,
  matchingRecords,
  note,
  unit,
  verifyStore,
  write,
} from '../contract/store-samples.ts';
import { openSqlite, scratchFolder, startChild } from './store-processes.ts';
import { createFile } from '../../src/store/sqlite/database/database.ts';

const NAMESPACE = 'n';

describe('a store that several processes have open', () => {
  it('stores every write exactly once, and every process finds the writes of all', async () => {
    using folder = scratchFolder();
    const path = join(folder.path, 'store.db');
    const store = await openSqlite(path);
    const vectors = await addVectors(store);
    const children = [startChild(path, NAMESPACE, 'search'), startChild(path, NAMESPACE, 'search')];
    let running = children.length;
    const ended = children.map(async (child) => {
      const result = await child.ended;
      running--;
      return result;
    });
    let serial = 0;
    while (running > 0) {
      await write(store, NAMESPACE, note(`shared own${String(serial)}`));
      await embed(store, vectors, NAMESPACE, () => unit(-1, 0, 0));
      expect(await matchingRecords(store, NAMESPACE, `own${String(serial)}`)).toHaveLength(1);
      await searchVectors(store, NAMESPACE, vectors, unit(1, 1, 1), ALL_LIVE, 10);
      serial++;
    }
    expect(await Promise.all(ended)).toEqual(children.map(() => ({ code: 0, errors: '' })));
    const idsOfChildren = children.flatMap(({ lines }) => lines.flatMap(({ written }) => written ?? []));
    expect(idsOfChildren).toHaveLength(60);
    const all = await store.records.list(NAMESPACE, { scan: 'undeleted' }, { after: null, limit: 100_000 });
    expect(all.map(({ id }) => id)).toEqual(Array.from({ length: 60 + serial }, (_, i) => i + 1));
    const hits = await searchText(store, NAMESPACE, anyOf('shared'), ALL_LIVE, 100_000);
    expect(new Set(hits.map(({ record }) => record)).size).toBe(60 + serial);
    const near = await searchVectors(store, NAMESPACE, vectors, unit(1, 1, 1), ALL_LIVE, 100_000);
    expect(near).toHaveLength(60 + serial);
    expect(await verifyStore(store)).toEqual([]);
    await store.close();
  });

  it('returns correct results to readers while another process removes and sweeps', async () => {
    using folder = scratchFolder();
    const path = join(folder.path, 'store.db');
    const store = await openSqlite(path);
    const vectors = await addVectors(store);
    await write(store, NAMESPACE, note('steady'));
    await embed(store, vectors, NAMESPACE, () => unit(1, 0, 0));
    const child = startChild(path, NAMESPACE, 'churn');
    const running = new Set([child]);
    const ended = child.ended.finally(() => running.delete(child));
    while (running.size > 0) {
      const near = await searchVectors(store, NAMESPACE, vectors, unit(1, 0, 0), ALL_LIVE, 1000);
      expect(near[0]).toMatchObject({ record: 1, score: expect.closeTo(1, 2) as number });
      expect(new Set(near.map(({ passage }) => passage)).size).toBe(near.length);
      expect(await matchingRecords(store, NAMESPACE, 'steady')).toEqual([1]);
      expect(await verifyStore(store)).toEqual([]);
    }
    expect(await ended).toEqual({ code: 0, errors: '' });
    const left = child.lines.findLast((line) => line.remaining !== undefined)?.remaining ?? [];
    expect(left).toHaveLength(20);
    const near = await searchVectors(store, NAMESPACE, vectors, unit(1, 0, 0), ALL_LIVE, 1000);
    expect(new Set(near.map(({ record }) => record))).toEqual(new Set([1, ...left]));
    await store.close();
  });

  it('finds vectors that another connection adds, removes and adds again', async () => {
    using folder = scratchFolder();
    const path = join(folder.path, 'store.db');
    const [one, other] = [await openSqlite(path), await openSqlite(path)];
    const vectors = await addVectors(one);
    const records = async (): Promise<number[]> =>
      (await searchVectors(one, NAMESPACE, vectors, unit(1, 0, 0), ALL_LIVE, 10)).map(({ record }) => record);
    expect(await records()).toEqual([]);
    await write(other, NAMESPACE, note('a'), note('b'));
    await embed(other, vectors, NAMESPACE, (text) => (text === 'a' ? unit(1, 0, 0) : unit(1, 1, 0)));
    expect(await records()).toEqual([1, 2]);
    await other.admin.resetDerived(NAMESPACE, { text: true, vectors: true });
    expect(await records()).toEqual([]);
    await write(other, NAMESPACE, { ...note('a'), id: 2 });
    await embed(other, vectors, NAMESPACE, () => unit(1, 0, 0));
    expect(await records()).toEqual([1, 2]);
    await Promise.all([one.close(), other.close()]);
  });

  it('waits for a lock on a file that another process is creating', async () => {
    using folder = scratchFolder();
    const path = join(folder.path, 'store.db');
    createFile(path);
    const holder = new DatabaseSync(path);
    holder.exec('BEGIN IMMEDIATE');
    const opening = openSqlite(path);
    // The other thread takes a moment to start. 300 ms are enough for it to wait for the lock.
    setTimeout(() => {
      holder.close();
    }, 300);
    const store = await opening;
    expect(await write(store, NAMESPACE, note('a'))).toEqual([1]);
    await store.close();
  });

  it('throws store_busy when the other process does not finish in time', async () => {
    using folder = scratchFolder();
    const path = join(folder.path, 'store.db');
    const store = await openSqlite(path, { busyTimeoutMs: 50 });
    await write(store, NAMESPACE, note('a'));
    const holder = new DatabaseSync(path);
    holder.exec('BEGIN IMMEDIATE');
    await expect(write(store, NAMESPACE, note('b'))).rejects.toMatchObject({ code: 'store_busy' });
    // Readers never wait.
    expect(await matchingRecords(store, NAMESPACE, 'a')).toEqual([1]);
    holder.exec('ROLLBACK');
    holder.close();
    expect(await write(store, NAMESPACE, note('b'))).toEqual([2]);
    await store.close();
  });
});
