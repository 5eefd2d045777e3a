import type { StoreStats } from '../admin-model.ts';
import type { Storage } from '../sql/driver.ts';
import type { PostgresSql } from './postgres-sql.ts';

export class PostgresStorage implements Storage {
  readonly #sql: PostgresSql;

  constructor(sql: PostgresSql) {
    this.#sql = sql;
  }

  async size(): Promise<Pick<StoreStats, 'bytes' | 'schemaVersion'>> {
    const row = await this.#sql.get(
      `SELECT (SELECT version FROM loci_schema) AS version, sum(pg_total_relation_size(oid)) AS bytes FROM pg_class
       WHERE relkind = 'r' AND relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'loci_schema'::regclass)`,
    );
    return { bytes: Number(row?.['bytes']), schemaVersion: Number(row?.['version']) };
  }

  /** Indexes that a restore or a failed `CREATE INDEX CONCURRENTLY` left invalid. */
  async verify(): Promise<string[]> {
    const rows = await this.#sql.all(
      `SELECT i.indexrelid::regclass::text AS name FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indrelid
       WHERE c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'loci_schema'::regclass) AND NOT i.indisvalid
       ORDER BY name`,
    );
    return rows.map((row) => {
      const name = String(row['name']);
      return `the index ${name} is not valid: run \`REINDEX INDEX CONCURRENTLY ${name};\``;
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
  }

  async reclaim(): Promise<void> {
    // Autovacuum does it.
  }
}
