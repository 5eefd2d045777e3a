import { closeSync, openSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { LociError } from '../../../core/errors.ts';
import type { StoreSize } from '../../admin-model.ts';
import { loadMigrations, type Migration, pendingMigrations } from '../../rules/migrations.ts';
import type { NamespaceTable, Storage } from '../../sql/driver.ts';
import { APPLICATION_ID, type Database, OLDER_APPLICATION_ID } from './database.ts';
import { SqliteSql } from './sqlite-sql.ts';

/** What makes a table that holds only what is derived from records, and its indexes. */
const DERIVED_TABLES =
  /^CREATE (?:UNIQUE )?(?:TABLE|INDEX) (?:graph|concept|name|sentence)(?:_\w+)? [^;]+;/gm;

/** The file of a store, with its journals. */
export class SqliteFile implements Storage {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async size(): Promise<StoreSize> {
    let bytes = 0;
    for (const suffix of ['', '-wal'])
      bytes += statSync(this.#db.path + suffix, { throwIfNoEntry: false })?.size ?? 0;
    return {
      bytes,
      schemaVersion: Number(this.#db.prepare('PRAGMA user_version').get()?.['user_version']),
      warning: null,
    };
  }

  /** The pages and rows of the file, and the structure of the full-text indexes. */
  async verify(): Promise<string[]> {
    const orphans = this.#db
      .prepare('PRAGMA foreign_key_check')
      .all()
      .map((row) => `a row of ${String(row['table'])} refers to a missing ${String(row['parent'])}`);
    return [...this.#brokenPages().map((what) => `file: ${what}`), ...orphans];
  }

  #brokenPages(): string[] {
    const rows = this.#db.prepare('PRAGMA integrity_check(20)').all();
    return rows.map((row) => String(row['integrity_check'])).filter((what) => what !== 'ok');
  }

  async repairIndexes(): Promise<void> {
    if (this.#brokenPages().length > 0) this.#db.exec('REINDEX');
  }

  async namespaceTables(): Promise<NamespaceTable[]> {
    return this.#db
      .prepare(
        `SELECT name, (
           SELECT group_concat(name, ', ' ORDER BY pk) FROM pragma_table_info(t.name) WHERE pk > 0) AS key
         FROM sqlite_schema AS t WHERE type = 'table' AND sql LIKE 'CREATE TABLE%'
           AND EXISTS (SELECT 1 FROM pragma_table_info(t.name) WHERE name = 'ns')`,
      )
      .all() as unknown as NamespaceTable[];
  }

  async createMissingTables(): Promise<boolean> {
    const before = this.#tables();
    for (const { sql } of loadMigrations(MIGRATIONS))
      for (const [statement] of sql.matchAll(DERIVED_TABLES))
        this.#db.exec(statement.replace(/(TABLE|INDEX) /, '$1 IF NOT EXISTS '));
    return this.#tables() > before;
  }

  #tables(): number {
    return Number(this.#db.prepare('SELECT count(*) AS n FROM sqlite_schema').get()?.['n']);
  }

  async afterCopy(): Promise<void> {
    // SQLite remembers the highest id of every table itself.
  }

  async reclaim(): Promise<void> {
    this.#db.truncateWal();
  }
}

export const MIGRATIONS = new URL('../migrations/', import.meta.url);

/**
 * Brings the schema up to date in one transaction, after copying the store to a backup. Returns at once if the schema is
 * current. Two processes may call it at the same time: the second one waits and has nothing left to do.
 * @throws LociError `store_newer`; `store_older` for a store of before the first release; `store_corrupt` for a database that is not a
 *   Loci store. They leave it untouched.
 */
export async function migrate(
  db: Database,
  migrations: readonly Migration[] = loadMigrations(MIGRATIONS),
): Promise<void> {
  const pending = (): Migration[] => pendingMigrations(migrations, schemaVersion(db), db.path);
  // A snapshot, because another process may be creating the store.
  const { outdated, version } = db.snapshot(() => {
    assertLociStore(db);
    return { outdated: pending().length > 0, version: schemaVersion(db) };
  });
  if (outdated && db.isReadOnly)
    throw new LociError(
      'unreadable',
      `${db.path} is of an older version, and cannot be upgraded where it is read-only`,
      {
        hint: 'Copy the folder of the store to where you may write, and set store.path or --home to the copy.',
      },
    );
  if (!db.isReadOnly) db.enableWal();
  if (!outdated) return;
  // A new store, which another process may have finished meanwhile, has nothing to keep.
  if (version > 0) backUp(db);
  // A migration that recreates a table drops the old one first. This pragma has no effect within a transaction.
  db.exec('PRAGMA foreign_keys = OFF');
  try {
    await new SqliteSql(db).transaction(async () => {
      for (const migration of pending()) {
        db.exec(migration.sql);
        db.exec(`PRAGMA user_version = ${String(migration.version)}`);
      }
      db.exec(`PRAGMA application_id = ${String(APPLICATION_ID)}`);
    });
  } finally {
    db.exec('PRAGMA foreign_keys = ON');
  }
}

function schemaVersion(db: Database): number {
  return Number(db.prepare('PRAGMA user_version').get()?.['user_version']);
}

function hasTable(db: Database, name: string): boolean {
  return db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(name) !== undefined;
}

function assertLociStore(db: Database): void {
  const id = Number(db.prepare('PRAGMA application_id').get()?.['application_id']);
  const isCurrent = id === APPLICATION_ID && (schemaVersion(db) !== 1 || hasTable(db, 'namespace_state'));
  if (isCurrent) return;
  if (id === OLDER_APPLICATION_ID || id === APPLICATION_ID)
    throw new LociError(
      'store_older',
      `${db.path} was written by a version of Loci before its first release`,
    );
  const tables = Number(db.prepare('SELECT count(*) AS n FROM sqlite_schema').get()?.['n']);
  if (id !== 0 || tables > 0) {
    throw new LociError('store_corrupt', `${db.path} is a SQLite database, but not a Loci store`, {
      hint: 'Set store.path to another file.',
    });
  }
}

/**
 * The copy has the permissions of the store, and its final name once it is complete. Two processes that migrate at the
 * same time make a copy each.
 */
function backUp(db: Database): void {
  const stamp = new Date().toISOString().replaceAll(/[:.]/g, '-');
  const copy = `${db.path}.v${String(schemaVersion(db))}-${stamp}-${String(process.pid)}.backup`;
  const partial = `${copy}.partial`;
  removeAbandoned(db.path);
  try {
    closeSync(openSync(partial, 'a', 0o600));
    db.prepare('VACUUM INTO ?').run(partial);
    renameSync(partial, copy);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
}

/** A copy takes minutes at most. A process that was killed leaves a part of one. */
const ABANDONED_AFTER_MS = 60 * 60 * 1000;

function removeAbandoned(path: string): void {
  const folder = dirname(path);
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    const isPart = name.startsWith(`${basename(path)}.v`) && name.endsWith('.backup.partial');
    if (isPart && Date.now() - statSync(file).mtimeMs > ABANDONED_AFTER_MS) rmSync(file, { force: true });
  }
}
