import { isDeepStrictEqual } from 'node:util';
import { LociError } from '../../core/errors.ts';
import type { StoreSize } from '../admin-model.ts';
import { loadMigrations, type Migration, pendingMigrations } from '../rules/migrations.ts';
import type { NamespaceTable, Storage } from '../sql/driver.ts';
import { generations } from '../sql/generations.ts';
import type { PostgresSql } from './postgres-sql.ts';
import { isDenied } from './store-error.ts';
import { createVectorIndex, type PostgresVectorIndex, vectorIndexName } from './vector-index.ts';

/** Two faults that damaged indexes of vectors were fixed up to this version of pgvector. */
const SOUND_VECTOR = '0.8.4';

const INDEX = /^CREATE (?:UNIQUE )?INDEX (\w+) ON [^;]+/gm;
const TABLE = /^CREATE (?:UNLOGGED )?TABLE (\w+) \(([^;]+)/gm;
const KEY = /PRIMARY KEY \(([^)]+)\)|^\s*(\w+) .*PRIMARY KEY/m;

export class PostgresStorage implements Storage {
  readonly #sql: PostgresSql;
  readonly #owner: PostgresSql;
  readonly #vectors: PostgresVectorIndex;

  /** @param owner a connection of the user who owns the tables, and may make their indexes */
  constructor(sql: PostgresSql, owner: PostgresSql, vectors: PostgresVectorIndex) {
    this.#sql = sql;
    this.#owner = owner;
    this.#vectors = vectors;
  }

  async size(): Promise<StoreSize> {
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
    const missing = Array.from(await this.#missing(), ([name, statement]) => {
      return `the index ${name} is missing: run \`${statement};\``;
    });
    const invalid = (await this.#invalid()).map((name) => {
      return `the index ${name} is not valid: run \`REINDEX INDEX CONCURRENTLY ${name};\``;
    });
    return [...missing, ...invalid];
  }

  /** What the user of the tables may not make stays as it is, and is found by `verify`. */
  async repairIndexes(): Promise<void> {
    const [missing, invalid] = [await this.#missing(), await this.#invalid()];
    for (const statement of missing.values())
      await this.#owner.make(
        // Writes go on meanwhile.
        statement.replace(/^(CREATE (?:UNIQUE )?INDEX) (?!CONCURRENTLY)/, '$1 CONCURRENTLY IF NOT EXISTS '),
      );
    for (const name of invalid) await this.#owner.make(`REINDEX INDEX CONCURRENTLY ${name}`);
  }

  /** The statements that make missing indexes, by their names. */
  async #missing(): Promise<Map<string, string>> {
    const statements = expectedIndexes(loadMigrations(MIGRATIONS));
    for (const generation of await generations(this.#sql)) {
      const { id, dimensions } = generation;
      const statement = createVectorIndex(id, dimensions);
      if (statement !== null && (await this.#vectors.needsIndex(generation)))
        statements.set(vectorIndexName(id), statement);
    }
    const rows = await this.#sql.all(
      `SELECT value AS name FROM ${this.#sql.dialect.list('names', 'text')} AS expected WHERE to_regclass(value) IS NULL ORDER BY key`,
      { names: [...statements.keys()] },
    );
    return new Map(
      rows.map(({ name }) => [String(name), statements.get(String(name))!.replaceAll(/\s+/g, ' ')]),
    );
  }

  /** Without those that another connection is making. */
  async #invalid(): Promise<string[]> {
    const rows = await this.#sql.all(
      `SELECT i.indexrelid::regclass::text AS name FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indrelid
       WHERE c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'loci_store'::regclass) AND NOT i.indisvalid
         AND NOT EXISTS (SELECT 1 FROM pg_stat_progress_create_index AS p WHERE p.index_relid = i.indexrelid)
       ORDER BY name`,
    );
    return rows.map((row) => String(row['name']));
  }

  async namespaceTables(): Promise<NamespaceTable[]> {
    const rows = await this.#sql.all(
      `SELECT c.relname AS name, string_agg(a.attname, ', ' ORDER BY k.position) AS key FROM pg_class AS c
       JOIN pg_index AS i ON i.indrelid = c.oid AND i.indisprimary
       JOIN LATERAL unnest(i.indkey::int2[]) WITH ORDINALITY AS k(column_number, position) ON TRUE
       JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = k.column_number
       WHERE c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'loci_store'::regclass)
         AND EXISTS (SELECT 1 FROM pg_attribute AS n WHERE n.attrelid = c.oid AND n.attname = 'ns' AND NOT n.attisdropped)
       GROUP BY c.relname`,
    );
    return rows as unknown as NamespaceTable[];
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

const MIGRATIONS: URL = new URL('migrations/', import.meta.url);
/** The number of the advisory lock that migrations take: `loci` in ASCII. */
const LOCK = 0x6c6f6369;
/** Extensions that the tables need, with their oldest version. */
const EXTENSIONS = { vector: '0.8.0' };

/**
 * Brings the schema up to date in one transaction. Returns at once if it is current. Of two servers that start at the same time, the
 * second one waits and has nothing left to do.
 * @param owner the connection that makes the tables, which may be another one
 * @throws LociError `store_newer`; `store_older` for a store of before the first release; `store_failed` for a database without an extension; `store_not_found` for one without a store
 */
export async function migrate(
  sql: PostgresSql,
  owner: PostgresSql,
  where: string,
  create: boolean,
): Promise<void> {
  const migrations = loadMigrations(MIGRATIONS);
  const version = await schemaVersion(sql, where);
  if (pendingMigrations(migrations, version, where).length === 0) return;
  if (version === 0 && !create) throw new LociError('store_not_found', `there is no store in ${where}`);
  if (owner !== sql) await assertSameDatabase(sql, owner);
  await owner.transaction(async () => {
    await owner.run(`SELECT pg_advisory_xact_lock(${String(LOCK)})`);
    const current = await schemaVersion(owner, where);
    if (current === 0) await assertUsable(owner, where);
    for (const migration of pendingMigrations(migrations, current, where)) {
      await owner.script(migration.sql);
      await owner.run('UPDATE loci_store SET version = :version', { version: migration.version });
    }
  });
}

/** A mistake in one of two connection strings makes no tables elsewhere. */
export async function assertSameDatabase(sql: PostgresSql, owner: PostgresSql): Promise<void> {
  const database = 'SELECT current_database() AS name, pg_postmaster_start_time()::text AS started';
  if (!isDeepStrictEqual(await sql.get(database), await owner.get(database)))
    throw new LociError(
      'invalid_config',
      'store.connectionString and store.directConnectionString lead to two databases',
    );
}

/**
 * 0 if the database has no store. The tables are looked for in `pg_class`, because `to_regclass` may answer from the cache of the
 * connection, which does not have the tables that another server has made while this one waited for it.
 */
async function schemaVersion(sql: PostgresSql, where: string): Promise<number> {
  const tables = await sql.all(
    "SELECT relname AS name FROM pg_class WHERE relname IN ('loci_store', 'loci_schema', 'namespace_state') AND pg_table_is_visible(oid)",
  );
  const names = new Set(tables.map(({ name }) => name));
  const version = names.has('loci_store')
    ? Number((await sql.get('SELECT version FROM loci_store'))?.['version'])
    : 0;
  if (names.has('loci_schema') || (version === 1 && !names.has('namespace_state')))
    throw new LociError('store_older', `${where} was written by a version of Loci before its first release`);
  return version;
}

/** The columns that the memories of ShadowDB have had in all versions. A store may be beside them: `loci import` reads them. */
const SHADOWDB = `SELECT attrelid FROM pg_attribute WHERE attname IN ('content', 'category', 'fts') GROUP BY attrelid HAVING count(*) = 3`;

async function assertUsable(sql: PostgresSql, where: string): Promise<void> {
  const row = await sql.get(
    `SELECT current_setting('server_encoding') AS encoding, (
       SELECT string_agg(relname, ', ' ORDER BY relname) FROM (
         SELECT relname FROM pg_class AS c WHERE relkind IN ('r', 'p') AND relnamespace = current_schema()::regnamespace
           AND NOT EXISTS (SELECT 1 FROM pg_depend WHERE objid = c.oid AND deptype = 'e')
           AND NOT EXISTS (${SHADOWDB}) ORDER BY relname LIMIT 3) AS tables) AS tables`,
  );
  if (row?.['encoding'] !== 'UTF8')
    throw new LociError(
      'store_failed',
      `${where} has the encoding ${String(row?.['encoding'])}, but a store needs UTF8`,
      {
        hint: 'Create another database: `CREATE DATABASE loci ENCODING UTF8 TEMPLATE template0`.',
      },
    );
  if (row['tables'] !== null)
    throw new LociError('store_failed', `${where} has tables of another program: ${String(row['tables'])}`, {
      hint: 'Create a database for Loci: `CREATE DATABASE loci ENCODING UTF8 TEMPLATE template0`.',
    });
  for (const [name, oldest] of Object.entries(EXTENSIONS)) await requireExtension(sql, where, name, oldest);
}

function isOlder(version: string, other: string): boolean {
  return version.localeCompare(other, 'en', { numeric: true }) < 0;
}

async function requireExtension(
  sql: PostgresSql,
  where: string,
  name: string,
  oldest: string,
): Promise<void> {
  const found = await sql.get(
    `SELECT a.default_version AS available, e.extversion AS installed FROM pg_available_extensions AS a
     LEFT JOIN pg_extension AS e ON e.extname = a.name WHERE a.name = :name`,
    { name },
  );
  const fail = (what: string, hint: string): never => {
    throw new LociError('store_failed', `${where}: ${what}`, { hint });
  };
  if (found === undefined)
    return fail(
      `the server has no extension ${name}`,
      `Install ${name} ${oldest} or newer on the server, then run \`CREATE EXTENSION ${name};\``,
    );
  if (found['installed'] !== null) {
    if (isOlder(String(found['installed']), oldest))
      fail(
        `the extension ${name} has version ${String(found['installed'])}, but a store needs ${oldest}`,
        `Run \`ALTER EXTENSION ${name} UPDATE;\` as its owner.`,
      );
    return;
  }
  await sql.run(`CREATE EXTENSION IF NOT EXISTS ${name}`).catch((error: unknown) => {
    if (!isDenied(error)) throw error;
    throw new LociError(
      'store_failed',
      `${where}: the extension ${name} is missing, and this user may not create it`,
      {
        cause: error,
        hint: `Run \`CREATE EXTENSION ${name};\` in this database as a user who may.`,
      },
    );
  });
}
