import { statSync } from 'node:fs';
import type { StoreStats } from '../../admin-model.ts';
import type { Storage } from '../../sql/driver.ts';
import { loadMigrations } from '../../rules/migrations.ts';
import type { Database } from '../database/database.ts';
import { MIGRATIONS } from './migrate.ts';

/**
 * The migrations that make nothing but tables and indexes of the graph, names and sentences, and the one that changes some of these.
 */
const DERIVED_TABLES = [18, 19, 25, 28, 38];

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
    for (const { version, sql } of loadMigrations(MIGRATIONS))
      if (DERIVED_TABLES.includes(version))
        this.#db.exec(
          sql
            .replaceAll(/^CREATE (TABLE|INDEX) /gm, 'CREATE $1 IF NOT EXISTS ')
            // Its name since schema 41.
            .replaceAll('REFERENCES vector ', 'REFERENCES embedding '),
        );
    // Its rows are items since schema 37.
    this.#db.exec('DROP TABLE IF EXISTS concept_change');
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
