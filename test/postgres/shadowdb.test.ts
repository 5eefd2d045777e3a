import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importMemory } from '../../src/engine/portable/import.ts';
import { openEngine as openStoreEngine } from '../../src/engine/open.ts';
import { settings, temporaryFolder } from '../contract/engines.ts';
import { openEngine } from '../contract/export-samples.ts';
import { type Shadowdb, shadowdb } from '../contract/shadowdb-tables.ts';

const ROLE = `shadowdb_reader_${String(process.pid)}`;
const GRANTS = {
  none: '',
  schema: `GRANT USAGE ON SCHEMA memory TO ${ROLE}`,
  tables: `GRANT USAGE ON SCHEMA memory TO ${ROLE}; GRANT SELECT ON ALL TABLES IN SCHEMA memory TO ${ROLE}`,
};

describe('a user who may only read', () => {
  let db: Shadowdb;
  let reader = '';

  const grant = (grants: keyof typeof GRANTS): Promise<unknown> =>
    db.client.query(`DROP OWNED BY ${ROLE}; ${GRANTS[grants]}`);

  beforeAll(async () => {
    db = await shadowdb();
    await db.reset(
      'last',
      `INSERT INTO memories (content, tags) VALUES ('The oven is gas', '{kitchen}');
       INSERT INTO primer (key, content) VALUES ('soul', 'Be brief.');
       CREATE ROLE ${ROLE}; ALTER SCHEMA public RENAME TO memory`,
    );
    reader = `${db.url}?options=${encodeURIComponent(`-c role=${ROLE}`)}`;
  });
  afterAll(async () => {
    await db.client.query(`DROP OWNED BY ${ROLE}; DROP ROLE ${ROLE}`);
    await db[Symbol.asyncDispose]();
  });

  it.each([
    ['none', /may not read memory\.memories|permission denied for schema memory/],
    ['schema', /permission denied for table/],
  ] as const)('gets an error that says what to grant: %s', async (grants, message) => {
    await grant(grants);
    const context = await openEngine();
    const error: unknown = await importMemory(context, { path: reader, table: 'memory.memories' }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({
      code: 'unreadable',
      message: expect.stringMatching(message),
      hint: expect.stringContaining('GRANT SELECT ON'),
    });
    expect((await context.store.records.bounds('default')).highestId).toBe(0);
  });

  it('needs no other right', async () => {
    await grant('tables');
    const report = await importMemory(await openEngine(), { path: reader, table: 'memory.memories' });
    expect([report.records.added, report.startup.added]).toEqual([1, 1]);
  });
});

it('a ShadowDB is imported into a store in the same database, where its settings were pasted', async () => {
  await using db = await shadowdb();
  await db.reset(
    'documented',
    `INSERT INTO memories (content) SELECT 'text ' || n FROM generate_series(1, 250) AS n`,
  );
  const rows = async (): Promise<unknown> => (await db.client.query('SELECT xmin, * FROM memories')).rows;
  const before = await rows();
  await using folder = await temporaryFolder();
  const store = { path: `${folder.path}/loci.db`, connectionString: db.url };
  const context = await openStoreEngine(settings(folder.path, { store }), { create: true });
  expect((await importMemory(context, { path: db.url })).records.added).toBe(250);
  expect((await importMemory(context, { path: db.url })).records.unchanged).toBe(250);
  await context.close();
  expect(await rows()).toEqual(before);
});

it('an import from a server that does not answer is an error after some seconds', async () => {
  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const path = `postgres://me:hunter2@127.0.0.1:${String(port)}/db`;
  await expect(importMemory(await openEngine(), { path })).rejects.toThrow(/connection to PostgreSQL failed/);
  silent.close();
});
