import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importMemory } from '../../src/engine/portable/import.ts';
import { openEngine } from '../contract/export-samples.ts';
import { SHADOWDB_TABLES } from '../contract/shadowdb-tables.ts';
import { testDatabase } from './database.ts';

const ROLE = `shadowdb_reader_${String(process.pid)}`;
const GRANTS = {
  none: '',
  schema: `GRANT USAGE ON SCHEMA memory TO ${ROLE}`,
  columns: `GRANT USAGE ON SCHEMA memory TO ${ROLE}; GRANT SELECT (id, content) ON memory.memories TO ${ROLE}`,
  tables: `GRANT USAGE ON SCHEMA memory TO ${ROLE}; GRANT SELECT ON ALL TABLES IN SCHEMA memory TO ${ROLE}`,
};

describe('a user who may only read', () => {
  const resources = new AsyncDisposableStack();
  let client: Client;
  let reader = '';

  beforeAll(async () => {
    const { url } = resources.use(await testDatabase());
    client = new Client({ connectionString: url });
    await client.connect();
    resources.defer(async () => {
      await client.query(`DROP OWNED BY ${ROLE}; DROP ROLE ${ROLE}`);
      await client.end();
    });
    await client.query(
      `CREATE EXTENSION vector; CREATE ROLE ${ROLE}; CREATE SCHEMA memory; SET search_path = memory, public`,
    );
    await client.query(`${SHADOWDB_TABLES.last};
      INSERT INTO memories (content, tags) VALUES ('The oven is gas', '{kitchen}');
      INSERT INTO primer (key, content) VALUES ('soul', 'Be brief.')`);
    reader = `${url}?options=${encodeURIComponent(`-c role=${ROLE}`)}`;
  });
  afterAll(() => resources.disposeAsync());

  it.each([
    ['none', /may not read memory\.memories|permission denied for schema memory/],
    ['schema', /the user of the connection string may not read memory\.memories/],
  ] as const)('gets an error that says what to grant: %s', async (grants, message) => {
    await client.query(`DROP OWNED BY ${ROLE}; ${GRANTS[grants]}`);
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

  it('imports the columns that it may read, and names the others', async () => {
    await client.query(`DROP OWNED BY ${ROLE}; ${GRANTS.columns}`);
    const report = await importMemory(await openEngine(), { path: reader, table: 'memory.memories' });
    expect([report.records.added, report.startup.added]).toEqual([1, 0]);
    expect(report.problems.map(({ message }) => message)).toContain(
      'the column tags, which this user may not read',
    );
  });

  it('needs no other right', async () => {
    await client.query(`DROP OWNED BY ${ROLE}; ${GRANTS.tables}`);
    const report = await importMemory(await openEngine(), { path: reader, table: 'memory.memories' });
    expect([report.records.added, report.startup.added]).toEqual([1, 1]);
  });
});
