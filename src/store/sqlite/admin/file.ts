import { statSync } from 'node:fs';
import type { StoreStats } from '../../admin-model.ts';
import type { Storage } from '../../sql/driver.ts';
import { loadMigrations } from '../../rules/migrations.ts';
import type { Database } from '../database/database.ts';
import { MIGRATIONS } from './migrate.ts';

/** What makes a table that holds only what is derived from records, and its indexes. */
const DERIVED_TABLES =
  /^CREATE (?:UNIQUE )?(?:TABLE|INDEX) (?:graph|concept|name|sentence)(?:_\w+)? [^;]+;/gm;

/** The file of a store, with its journals. */
export class SqliteFile implements Storage {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async size(): Promise<Omit<StoreStats, 'namespaces'>> {
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
    const broken = this.#db
      .prepare('PRAGMA integrity_check(20)')
      .all()
      .map((row) => String(row['integrity_check']))
      .filter((what) => what !== 'ok');
    const orphans = this.#db
      .prepare('PRAGMA foreign_key_check')
      .all()
      .map((row) => `a row of ${String(row['table'])} refers to a missing ${String(row['parent'])}`);
    return [...broken.map((what) => `file: ${what}`), ...orphans];
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
