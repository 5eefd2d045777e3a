import { randomUUID } from 'node:crypto';
import { Client } from 'pg';

/** An empty database, which is removed when its scope ends. */
export interface TestDatabase extends AsyncDisposable {
  readonly url: string;
}

/** A database of the server of the tests: see `setup.ts`. */
export async function testDatabase(): Promise<TestDatabase> {
  const server = process.env['LOCI_TEST_POSTGRES_URL'] ?? '';
  return server === '' ? pgliteDatabase() : serverDatabase(server);
}

/** A database of a server. @param options of `CREATE DATABASE` */
export async function serverDatabase(server: string, options = ''): Promise<TestDatabase> {
  const name = `loci_test_${randomUUID().replaceAll('-', '')}`;
  await runStatements(server, `CREATE DATABASE ${name} ENCODING 'UTF8' TEMPLATE template0 ${options}`);
  return {
    url: new URL(`/${name}`, server).href,
    [Symbol.asyncDispose]: async () => {
      await runStatements(server, `DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}

/** Runs statements on a connection of their own. Returns the rows of the last one. */
export async function runStatements(
  url: string,
  ...statements: readonly string[]
): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    let rows: Record<string, unknown>[] = [];
    for (const statement of statements) ({ rows } = await client.query<Record<string, unknown>>(statement));
    return rows;
  } finally {
    await client.end();
  }
}

/** More vectors of three dimensions than searches compare without an index. */
export async function addManyVectors(url: string, generation: number): Promise<void> {
  await runStatements(
    url,
    "INSERT INTO namespace (name) VALUES ('many vectors') ON CONFLICT DO NOTHING",
    `INSERT INTO embedding (ns, generation, hash, vector)
     SELECT id, ${String(generation)}, sha256(n::text::bytea), ARRAY[n, 1, 1]::float4[]::vector::halfvec
     FROM namespace, generate_series(1, 10001) AS n WHERE name = 'many vectors'`,
  );
}

/** A database of its own in this process. Its connections take turns. */
async function pgliteDatabase(): Promise<TestDatabase> {
  const { PGlite } = await import('@electric-sql/pglite');
  const { vector } = await import('@electric-sql/pglite-pgvector');
  const { PGLiteSocketServer } = await import('@electric-sql/pglite-socket');
  const db = await PGlite.create({ extensions: { vector } });
  const server = new PGLiteSocketServer({ db, host: '127.0.0.1', port: 0, maxConnections: 100 });
  await server.start();
  const port = server.getServerConn().split(':').at(-1)!;
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    [Symbol.asyncDispose]: async () => {
      await server.stop();
      await db.close();
    },
  };
}
