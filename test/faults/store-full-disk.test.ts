import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LociError } from '../../src/core/errors.ts';
import type { Store } from '../../src/store/store.ts';
import { searchText } from '../contract/queries.ts';
import { ALL_LIVE, anyOf, note, NOW, verifyStore, write } from '../contract/store-samples.ts';
import {
  ALL,
  auditDraft,
  auditEntries,
  commit,
  deleteRecords,
  purgeRequest,
  verifyAudit,
  purge,
} from '../contract/written-samples.ts';
import { fillUp, smallDisk } from './small-disk.ts';
import { openSqlite } from './store-processes.ts';

const NAMESPACE = 'n';

describe('a store on a disk that fills up', () => {
  const { path: folder, unmountable } = smallDisk('6m');

  /**
   * Writes until the disk is full. Returns the ids of the confirmed writes. A later call may find space again, because SQLite
   * reuses its journal.
   */
  async function writeUntilRefused(store: Store, size: number): Promise<number[]> {
    const ids: number[] = [];
    for (;;) {
      try {
        ids.push(
          ...(await write(store, NAMESPACE, note(`common note${String(ids.length)} ${'x'.repeat(size)}`))),
        );
      } catch (error) {
        expect(error).toBeInstanceOf(LociError);
        expect(error).toMatchObject({ code: 'store_full' });
        return ids;
      }
    }
  }

  async function expectStored(store: Store, ids: readonly number[]): Promise<void> {
    expect((await store.records.get(NAMESPACE, ids, { liveAt: NOW })).map(({ id }) => id)).toEqual(ids);
    const hits = await searchText(store, NAMESPACE, anyOf('common'), ALL_LIVE, 100_000);
    expect(hits.map(({ record }) => record).toSorted((a, b) => a - b)).toEqual(ids);
    expect(await verifyStore(store)).toEqual([]);
  }

  /** The system may return the space of removed files after the disk was filled, so that the store can be opened once more. */
  async function expectRefused(path: string, ballast: string): Promise<void> {
    for (let attempt = 0; attempt < 5; attempt++) {
      fillUp(ballast);
      const opened = await openSqlite(path).catch((error: unknown) => error);
      if (opened instanceof Error) {
        expect(opened).toMatchObject({ code: 'store_full' });
        return;
      }
      await (opened as Store).close();
    }
    expect.unreachable('the store is opened although the disk is full');
  }

  it('throws store_full, keeps confirmed writes, and works again once there is space', async (context) => {
    if (unmountable !== '') context.skip(unmountable);
    const ballast = join(folder, 'ballast');
    writeFileSync(ballast, Buffer.alloc(2_500_000));
    const path = join(folder, 'store.db');
    const store = await openSqlite(path);
    const ids = await writeUntilRefused(store, 60_000);
    expect(ids.length).toBeGreaterThan(3);
    await expectStored(store, ids);
    fillUp(ballast);
    ids.push(...(await writeUntilRefused(store, 1000)));
    await expectStored(store, ids);
    await store.close();

    rmSync(ballast);
    const reopened = await openSqlite(path, { create: false });
    await expectStored(reopened, ids);
    ids.push(...(await write(reopened, NAMESPACE, note('common again'))));
    fillUp(ballast);
    ids.push(...(await writeUntilRefused(reopened, 10)));
    rmSync(ballast);
    // The same connection still works, and rejected writes left nothing behind.
    const [next = 0] = await write(reopened, NAMESPACE, note('common room'));
    expect(next).toBe(Math.max(...ids) + 1);
    await expectStored(reopened, [...ids, next]);
    await reopened.close();
  });

  it('logs exactly the confirmed changes, and purges a record completely or not at all', async (context) => {
    if (unmountable !== '') context.skip(unmountable);
    const ballast = join(folder, 'ballast');
    writeFileSync(ballast, Buffer.alloc(3_000_000));
    const store = await openSqlite(join(folder, 'store.db'));
    const confirmed: string[] = [];
    const repeatUntilFull = async (work: (subject: string) => Promise<unknown>): Promise<void> => {
      for (let i = 0; ; i++) {
        const subject = `${String(confirmed.length)}-${String(i)}`;
        try {
          await work(subject);
          confirmed.push(subject);
        } catch (error) {
          expect(error).toMatchObject({ code: 'store_full' });
          return;
        }
      }
    };
    const expectConsistent = async (): Promise<number[]> => {
      const log = await auditEntries(store, NAMESPACE, {}, ALL);
      expect(log.flatMap(({ action, subject }) => (action === 'write' ? [subject] : [])).reverse()).toEqual(
        confirmed,
      );
      expect(await verifyAudit(store, NAMESPACE)).toEqual([]);
      expect(await verifyStore(store)).toEqual([]);
      return (await store.records.list(NAMESPACE, { scan: 'undeleted' }, ALL)).map(({ id }) => id);
    };
    const writing = (subject: string): Promise<unknown> => {
      const diff = { content: `secret${subject} ${'y'.repeat(20_000)}` };
      const writes = [note(`common word${subject} ${'x'.repeat(20_000)}`)];
      const idempotencyKey = { key: subject, fingerprint: 'f', at: NOW, expiresAt: NOW + 1000 };
      return commit(store, NAMESPACE, { writes, audit: [auditDraft({ subject, diff })], idempotencyKey });
    };
    await repeatUntilFull(writing);
    expect(confirmed.length).toBeGreaterThan(3);
    fillUp(ballast);
    await repeatUntilFull(writing);
    const [first = 0, ...others] = await expectConsistent();
    // There is no space for a deletion or purge either: each is either rejected or complete.
    const deletion = await deleteRecords(store, NAMESPACE, first).catch((error: unknown) => error);
    if (deletion !== undefined) expect(deletion).toMatchObject({ code: 'store_full' });
    expect(await expectConsistent()).toEqual(deletion === undefined ? others : [first, ...others]);
    rmSync(ballast);
    await deleteRecords(store, NAMESPACE, ...(deletion === undefined ? [] : [first]), ...others);
    fillUp(ballast);
    const purged = await purge(store.records, NAMESPACE, purgeRequest()).catch((error: unknown) => error);
    if (typeof purged !== 'number') expect(purged).toMatchObject({ code: 'store_full' });
    expect(await expectConsistent()).toEqual([]);
    rmSync(ballast);
    const ids = [first, ...others];
    expect(await store.records.get(NAMESPACE, ids, 'any')).toHaveLength(
      typeof purged === 'number' ? 0 : ids.length,
    );
    await purge(store.records, NAMESPACE, purgeRequest());
    expect(await store.records.get(NAMESPACE, ids, 'any')).toEqual([]);
    await expectConsistent();
    await store.close();
  });

  it('cannot be created or opened when the disk is full, and no unusable file is left', async (context) => {
    if (unmountable !== '') context.skip(unmountable);
    const ballast = join(folder, 'ballast');
    const path = join(folder, 'new', 'store.db');
    await expectRefused(path, ballast);
    rmSync(ballast);
    const store = await openSqlite(path);
    expect(await write(store, NAMESPACE, note('a'))).toEqual([1]);
    await store.close();
    await expectRefused(path, ballast);
    rmSync(ballast);
    const reopened = await openSqlite(path);
    expect(await write(reopened, NAMESPACE, note('b'))).toEqual([2]);
    expect(await verifyStore(reopened)).toEqual([]);
    await reopened.close();
  });
});
