import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { loadMigrations } from '../../src/store/rules/migrations.ts';
import { Database, OLDER_APPLICATION_ID } from '../../src/store/sqlite/database/database.ts';
import { migrate, MIGRATIONS } from '../../src/store/sqlite/database/storage.ts';
import { matchingRecords, note, verifyStore, write } from '../contract/store-samples.ts';
import { openSqlite, scratchFolder } from './store-processes.ts';

const CHILD = fileURLToPath(new URL('./migration-child.ts', import.meta.url));
const NAMESPACE = 'n';
const RELEASED = loadMigrations(MIGRATIONS);
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

  it.each([
    `PRAGMA application_id = ${String(OLDER_APPLICATION_ID)}; PRAGMA user_version = 42`,
    'PRAGMA foreign_keys = OFF; DROP TABLE namespace_state',
  ])('refuses a store of before the first release, and says how to bring it over: %s', async (sql) => {
    using folder = scratchFolder();
    const path = join(folder.path, 'store.db');
    await storeWithNote(path);
    const db = new DatabaseSync(path);
    db.exec(sql);
    db.close();
    const before = readFileSync(path);
    await expect(openSqlite(path)).rejects.toMatchObject({
      code: 'store_older',
      hint: expect.stringMatching(/`loci export .*`loci import /) as string,
    });
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(readdirSync(folder.path)).toEqual(['store.db']);
  });

  it('that is killed before any of its statements changes nothing, and the next one does all of it', async () => {
    using folder = scratchFolder();
    const path = join(folder.path, 'store.db');
    await storeWithNote(path);
    const sql = `CREATE TABLE mood (record INTEGER PRIMARY KEY, mood TEXT NOT NULL) STRICT;
INSERT INTO mood SELECT id, 'calm' FROM record;
ALTER TABLE record ADD COLUMN mood TEXT;
UPDATE record SET mood = (SELECT m.mood FROM mood AS m WHERE m.record = record.id);
DROP TABLE mood;
`;
    let step = 1;
    for (; ; step++) {
      const { signal, status, stderr } = spawnSync(process.execPath, [CHILD, path, String(step), sql], {
        encoding: 'utf8',
      });
      for (const name of readdirSync(folder.path))
        if (name.includes('.backup')) rmSync(join(folder.path, name));
      if (signal === null) {
        expect([status, stderr]).toEqual([0, '']);
        break;
      }
      expect(signal).toBe('SIGKILL');
      // The last statements come after the transaction.
      if (versionOf(path) === NEXT) continue;
      const unchanged = await openSqlite(path);
      expect(await matchingRecords(unchanged, NAMESPACE, 'kept')).toEqual([1]);
      expect(await verifyStore(unchanged)).toEqual([]);
      await unchanged.close();
    }
    expect(step).toBeGreaterThan(8);
    using db = new DatabaseSync(path);
    expect(db.prepare('SELECT mood FROM record').all()).toEqual([{ mood: 'calm' }]);
    expect(versionOf(path)).toBe(NEXT);
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
});
