import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LociError } from '../../src/core/errors.ts';
import { openStore } from '../../src/store/registry.ts';
import { ADMIN_NAMESPACE } from '../../src/store/rules/admin-namespace.ts';
import type { Store } from '../../src/store/store.ts';
import { embed, note, unit, write } from '../contract/store-samples.ts';
import { addManyVectors, runStatements, testDatabase } from './database.ts';

const server = process.env['LOCI_TEST_POSTGRES_URL']!;
const resources = new AsyncDisposableStack();
/** May read and write the tables that the owner makes, and no more. */
const user = `loci_${randomUUID().replaceAll('-', '').slice(0, 12)}`;

async function emptyDatabase(): Promise<{ readonly direct: string; readonly url: string }> {
  const { url: direct } = resources.use(await testDatabase());
  const rights = 'ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT';
  await runStatements(
    direct,
    `${rights} SELECT, INSERT, UPDATE, DELETE ON TABLES TO ${user}`,
    `${rights} USAGE ON SEQUENCES TO ${user}`,
  );
  const url = new URL(direct);
  url.username = user;
  return { direct, url: url.href };
}

const open = (connectionString: string, directConnectionString: string): Promise<Store> =>
  openStore({ path: 'loci.db', connectionString, directConnectionString }, { create: true });

const add = (store: Store, model: string) =>
  store.vectors.setGeneration(ADMIN_NAMESPACE, { add: { provider: 'test', model, dimensions: 3 } });

const index = (store: Store, id: number) => store.vectors.setGeneration(ADMIN_NAMESPACE, { index: id });

const vectorIndexes = async (url: string): Promise<unknown[]> =>
  (
    await runStatements(url, `SELECT relname FROM pg_class WHERE relname LIKE 'embedding_near_%' ORDER BY 1`)
  ).map(({ relname }) => relname);

beforeAll(() => runStatements(server, `CREATE ROLE ${user} LOGIN`));
afterAll(async () => {
  await resources.disposeAsync();
  await runStatements(server, `DROP ROLE ${user}`);
});

describe('a direct connection', () => {
  it('makes the tables and the indexes of vectors that the user may not make, and removes them', async () => {
    const { direct, url } = await emptyDatabase();
    const store = await open(url, direct);
    expect(await write(store, 'notes', note('a kettle'))).toEqual([1]);
    const { id } = await add(store, 'first');
    await embed(store, id, 'notes', () => unit(1, 2, 3));
    expect(await store.vectors.needsIndex(ADMIN_NAMESPACE, id)).toBe(false);
    await addManyVectors(direct, id);
    expect(await store.vectors.needsIndex(ADMIN_NAMESPACE, id)).toBe(true);
    await index(store, id);
    expect(await vectorIndexes(direct)).toEqual([`embedding_near_${String(id)}`]);
    const removed = await store.vectors.setGeneration(ADMIN_NAMESPACE, { remove: id });
    expect([removed.removedVectors, await vectorIndexes(direct)]).toEqual([10_002, []]);
    await store.close();
  });

  it('is named where it is missing, with the statement that the owner may run instead', async () => {
    const { direct, url } = await emptyDatabase();
    await (await open(url, direct)).close();
    const store = await openStore({ path: 'loci.db', connectionString: url }, { create: false });
    const { id } = await add(store, 'first');
    const error: unknown = await index(store, id).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: 'unreadable',
      message: expect.stringMatching(/only the owner/) as string,
    });
    const [, statement] = /directConnectionString.*`(CREATE INDEX.*;)`/s.exec((error as LociError).hint)!;
    await runStatements(direct, statement!);
    expect((await index(store, id)).dimensions).toBe(3);
    await store.close();
  });

  it('stops no write while it makes an index', async () => {
    const { direct, url } = await emptyDatabase();
    const store = await open(url, direct);
    await write(store, 'notes', note('a kettle'));
    const { id } = await add(store, 'first');
    const other = new Client({ connectionString: direct });
    await other.connect();
    await other.query('BEGIN; LOCK TABLE embedding IN ROW EXCLUSIVE MODE');
    const second = index(store, (await add(store, 'second')).id);
    const waiting = `SELECT 1 FROM pg_stat_activity WHERE query LIKE 'CREATE INDEX%' AND wait_event_type = 'Lock' AND datname = current_database()`;
    while ((await runStatements(direct, waiting)).length === 0) await new Promise(setImmediate);
    await embed(store, id, 'notes', () => unit(1, 2, 3));
    await other.query('COMMIT');
    await other.end();
    expect(await vectorIndexes(direct)).toContain(`embedding_near_${String((await second).id)}`);
    await store.close();
  });

  it('to another database is refused, and nothing is made', async () => {
    const [one, other] = [await emptyDatabase(), await emptyDatabase()];
    await expect(open(one.url, other.direct)).rejects.toThrow(/lead to two databases/);
    for (const { direct } of [one, other])
      expect(await runStatements(direct, `SELECT 1 WHERE to_regclass('loci_store') IS NOT NULL`)).toEqual([]);
  });

  it('is named by an error about its URL', async () => {
    const { url } = await emptyDatabase();
    await expect(open(url, 'db.example.org')).rejects.toThrow(/store\.directConnectionString is no URL/);
  });
});
