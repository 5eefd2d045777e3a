import { readdirSync, utimesSync, writeFileSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { loadMigrations } from '../../src/store/rules/migrations.ts';
import { Database } from '../../src/store/sqlite/database/database.ts';
import { migrate } from '../../src/store/sqlite/admin/migrate.ts';
import { matchingRecords, note, verifyStore, write } from '../contract/store-samples.ts';
import { openSqlite, scratchFolder } from './store-processes.ts';

const NAMESPACE = 'n';
const RELEASED = loadMigrations(new URL('../../src/store/sqlite/migrations/', import.meta.url));
const NEWEST = RELEASED.at(-1)!.version;
const NEXT = NEWEST + 1;

async function storeWithNote(path: string): Promise<void> {
  const store = await openSqlite(path);
  await write(store, NAMESPACE, note('kept'));
  await store.close();
}

function versionOf(path: string): unknown {
  const db = new DatabaseSync(path);
  try {
    return db.prepare('PRAGMA user_version').get()?.['user_version'];
  } finally {
    db.close();
  }
}

/** Opens the store like a version of Loci with one more migration. */
async function migrateToNext(path: string, sql: string): Promise<void> {
  const db = new Database(path, { busyTimeoutMs: 0 });
  try {
    await migrate(db, [...RELEASED, { version: NEXT, name: 'next', sql }]);
  } finally {
    db.close();
  }
}

describe('migration', () => {
  it('refuses a store of a newer schema and does not change it', async () => {
    using folder = scratchFolder();
    const path = join(folder.path, 'store.db');
    await storeWithNote(path);
    await migrateToNext(path, 'CREATE TABLE later (a TEXT) STRICT');
    const before = readFileSync(path);
    const files = readdirSync(folder.path);
    for (const create of [true, false]) {
      await expect(openSqlite(path, { create })).rejects.toMatchObject({
        code: 'store_newer',
        message: expect.stringContaining(
          `schema ${String(NEXT)}; this Loci knows up to ${String(NEWEST)}`,
        ) as string,
      });
    }
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(readdirSync(folder.path)).toEqual(files);
  });

  it('makes a private copy of an older store before it changes it', async () => {
    using folder = scratchFolder();
    const path = join(folder.path, 'store.db');
    await storeWithNote(path);
    // Parts of copies: of a process that was killed, and of one that may still run.
    const [abandoned, current] = ['store.db.v1-a.backup.partial', 'store.db.v1-b.backup.partial'];
    for (const name of [abandoned, current]) writeFileSync(join(folder.path, name), '');
    utimesSync(join(folder.path, abandoned), 0, 0);
    await migrateToNext(path, 'ALTER TABLE record ADD COLUMN mood TEXT');
    expect(versionOf(path)).toBe(NEXT);
    expect(readdirSync(folder.path).filter((name) => name.endsWith('.partial'))).toEqual([current]);
    const backups = readdirSync(folder.path).filter((name) => name.endsWith('.backup'));
    expect(backups).toEqual([expect.stringMatching(`^store\\.db\\.v${String(NEWEST)}-`)]);
    const copy = join(folder.path, backups[0]!);
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    expect(versionOf(copy)).toBe(NEWEST);
    const restored = await openSqlite(copy, { create: false });
    expect(await matchingRecords(restored, NAMESPACE, 'kept')).toEqual([1]);
    expect(await verifyStore(restored)).toEqual([]);
    await restored.close();
  });

  it('that fails changes nothing', async () => {
    using folder = scratchFolder();
    const path = join(folder.path, 'store.db');
    await storeWithNote(path);
    const failing = "DELETE FROM passage; UPDATE record SET content = ''; SELECT nonsense FROM nowhere";
    await expect(migrateToNext(path, failing)).rejects.toMatchObject({ code: 'store_failed' });
    expect(versionOf(path)).toBe(NEWEST);
    const store = await openSqlite(path);
    expect(await matchingRecords(store, NAMESPACE, 'kept')).toEqual([1]);
    expect(await verifyStore(store)).toEqual([]);
    await store.close();
  });

  it('does nothing to a store that is up to date', async () => {
    using folder = scratchFolder();
    const path = join(folder.path, 'store.db');
    await storeWithNote(path);
    await storeWithNote(path);
    expect(readdirSync(folder.path)).toEqual(['store.db']);
    expect(versionOf(path)).toBe(NEWEST);
  });
});
