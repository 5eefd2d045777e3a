import { readFileSync } from 'node:fs';
import { Client } from 'pg';
import { expect, it } from 'vitest';
import { openStore } from '../../src/store/registry.ts';
import { ADMIN_NAMESPACE } from '../../src/store/rules/admin-namespace.ts';
import { note, NOW, write } from '../contract/store-samples.ts';
import { deleteRecords } from '../contract/written-samples.ts';
import { testDatabase } from './database.ts';

/** The functions of Citus as the script calls them. The extension is in no package that tests can install. */
const FUNCTIONS = `
  CREATE TABLE distributed (name TEXT);
  CREATE FUNCTION create_reference_table(name TEXT) RETURNS VOID LANGUAGE SQL AS 'INSERT INTO distributed SELECT name';
  CREATE FUNCTION create_distributed_table(name TEXT, by TEXT, colocate_with TEXT DEFAULT 'default')
    RETURNS VOID LANGUAGE SQL AS 'INSERT INTO distributed SELECT name';`;

it('deploy/citus.sql distributes every table, and each key has the namespace', async () => {
  await using database = await testDatabase();
  const options = { path: '', connectionString: database.url };
  await (await openStore(options, { create: true })).close();
  const client = new Client({ connectionString: database.url });
  await client.connect();
  const namesOf = async (statement: string): Promise<string[]> =>
    (await client.query<{ name: string }>(statement)).rows.map(({ name }) => name);
  const tables = await namesOf(
    `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
     AND relname NOT IN ('lease', 'loci_store') ORDER BY 1`,
  );
  const columnsOfViews = (): Promise<string[]> =>
    namesOf(
      `SELECT table_name || ' ' || column_name || ' ' || data_type AS name FROM information_schema.columns
       JOIN information_schema.views USING (table_schema, table_name) WHERE table_schema = 'public' ORDER BY table_name, ordinal_position`,
    );
  const columns = await columnsOfViews();
  await client.query(FUNCTIONS);
  await client.query(readFileSync(new URL('../../deploy/citus.sql', import.meta.url), 'utf8'));
  expect(await namesOf('SELECT name FROM distributed ORDER BY 1')).toEqual(tables);
  const keysWithoutNamespace = await namesOf(
    `SELECT c.relname AS name FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indrelid
     WHERE i.indisunique AND c.relname = ANY(SELECT name FROM distributed) AND c.relname NOT IN ('namespace', 'generation')
     AND NOT EXISTS (SELECT 1 FROM pg_attribute AS a WHERE a.attrelid = i.indrelid AND a.attname = 'ns' AND a.attnum = ANY(i.indkey))`,
  );
  expect(keysWithoutNamespace).toEqual([]);
  expect(await columnsOfViews()).toEqual(columns);
  await client.end();
  // Nothing that the script makes again is missing.
  const store = await openStore(options, { create: false });
  expect(await store.admin.namespaces(ADMIN_NAMESPACE)).toEqual([]);
  await write(store, 'tenant', note(['one', 'two']), note('three', { expiresAt: NOW }));
  await deleteRecords(store, 'tenant', 1);
  expect(await store.admin.totals(ADMIN_NAMESPACE)).toMatchObject({ records: 1, passages: 1 });
  expect(await store.admin.recordCounts(ADMIN_NAMESPACE, NOW - 1)).toEqual([
    { namespace: 'tenant', records: 1 },
  ]);
  expect(await store.vectors.allPending(ADMIN_NAMESPACE, 0)).toMatchObject([
    { namespace: 'tenant', texts: 1 },
  ]);
  for (const times of [
    { deletedBefore: NOW + 1, expiredBy: 0 },
    { deletedBefore: 0, expiredBy: NOW },
  ])
    expect(await store.admin.dueNamespaces(ADMIN_NAMESPACE, times)).toEqual(['tenant']);
  await store.close();
});
