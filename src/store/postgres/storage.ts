import type { StoreStats } from '../admin-model.ts';
import type { Storage } from '../sql/driver.ts';
import { loadMigrations, type Migration } from '../rules/migrations.ts';
import { generations } from '../sql/generations.ts';
import { isOlder, MIGRATIONS } from './migrate.ts';
import type { PostgresSql } from './postgres-sql.ts';
import { createVectorIndex, vectorIndexName } from './vectors/vector-index.ts';

/** Two faults that damaged indexes of vectors were fixed up to this version of pgvector. */
const SOUND_VECTOR = '0.8.4';

const INDEX = /^CREATE (?:UNIQUE )?INDEX (\w+) ON [^;]+/gm;
const TABLE = /^CREATE TABLE (\w+) \(([^;]+)/gm;
const KEY = /PRIMARY KEY \(([^)]+)\)|^\s*(\w+) .*PRIMARY KEY/m;

export class PostgresStorage implements Storage {
  readonly #sql: PostgresSql;

  constructor(sql: PostgresSql) {
    this.#sql = sql;
  }

  async size(): Promise<Omit<StoreStats, 'namespaces'>> {
    const row = await this.#sql.get(
      `SELECT (SELECT version FROM loci_store) AS version,
         (SELECT extversion FROM pg_extension WHERE extname = 'vector') AS vector, sum(pg_total_relation_size(oid)) AS bytes FROM pg_class
       WHERE relkind = 'r' AND relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'loci_store'::regclass)`,
    );
    return {
      bytes: Number(row?.['bytes']),
      schemaVersion: Number(row?.['version']),
      warning: isOlder(String(row?.['vector']), SOUND_VECTOR)
        ? `pgvector ${String(row?.['vector'])} has faults that can damage indexes: install ${SOUND_VECTOR} or newer, and run \`ALTER EXTENSION vector UPDATE;\``
        : null,
    };
  }

  /** Indexes that a restore or a failed `CREATE INDEX CONCURRENTLY` left out or invalid. */
  async verify(): Promise<string[]> {
    const rows = await this.#sql.all(
      `SELECT i.indexrelid::regclass::text AS name FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indrelid
       WHERE c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'loci_store'::regclass) AND NOT i.indisvalid
       ORDER BY name`,
    );
    const invalid = rows.map((row) => {
      const name = String(row['name']);
      return `the index ${name} is not valid: run \`REINDEX INDEX CONCURRENTLY ${name};\``;
    });
    return [...(await this.#missing()), ...invalid];
  }

  async #missing(): Promise<string[]> {
    const statements = expectedIndexes(loadMigrations(MIGRATIONS));
    for (const { id, dimensions } of await generations(this.#sql)) {
      const statement = createVectorIndex(id, dimensions);
      if (statement !== null) statements.set(vectorIndexName(id), statement);
    }
    const rows = await this.#sql.all(
      `SELECT value AS name FROM ${this.#sql.dialect.list('names', 'text')} AS expected WHERE to_regclass(value) IS NULL ORDER BY key`,
      { names: [...statements.keys()] },
    );
    return rows.map(({ name }) => {
      const statement = statements.get(String(name))!.replaceAll(/\s+/g, ' ');
      return `the index ${String(name)} is missing: run \`${statement};\``;
    });
  }

  async createMissingTables(): Promise<boolean> {
    return false;
  }

  async afterCopy(): Promise<void> {
    for (const [sequence, table] of [
      ['passage_id', 'passage'],
      ['embedding_id', 'embedding'],
      ['audit_attachment_id', 'audit_attachment'],
      ["pg_get_serial_sequence('namespace', 'id')", 'namespace'],
      ["pg_get_serial_sequence('generation', 'id')", 'generation'],
    ] as const)
      await this.#sql.run(
        `SELECT setval(${sequence.includes('(') ? sequence : `'${sequence}'`}, greatest(1, (SELECT max(id) FROM ${table})))`,
      );
    // Without figures about the new rows, the plans of searches are bad until autovacuum comes.
    await this.#sql.script('ANALYZE');
  }

  async reclaim(): Promise<void> {
    // Autovacuum does it.
  }
}

/** The indexes that the migrations make, by name, with the statement that makes one again which a restore has left out. */
function expectedIndexes(migrations: readonly Migration[]): Map<string, string> {
  const statements = new Map<string, string>();
  for (const { sql } of migrations) {
    for (const [statement, name] of sql.matchAll(INDEX)) statements.set(name!, statement);
    for (const [, table, columns] of sql.matchAll(TABLE)) {
      const [, several, one] = KEY.exec(columns!) ?? [];
      const key = several ?? one;
      if (key !== undefined)
        statements.set(`${table!}_pkey`, `ALTER TABLE ${table!} ADD PRIMARY KEY (${key})`);
    }
  }
  return statements;
}
