import { Client } from 'pg';
import { expect, it } from 'vitest';
import { openStore } from '../../src/store/registry.ts';
import { ADMIN_NAMESPACE } from '../../src/store/rules/admin-namespace.ts';
import { testDatabase } from './database.ts';

it('several servers that add the same model at once make one valid index, which is repaired when it is not', async () => {
  await using database = await testDatabase();
  const settings = { path: '', connectionString: database.url };
  const stores = await Promise.all(Array.from({ length: 4 }, () => openStore(settings, { create: true })));
  const add = { provider: 'test', model: 'm', dimensions: 3 };
  await Promise.all(stores.map(({ vectors }) => vectors.setGeneration(ADMIN_NAMESPACE, { add })));
  const client = new Client({ connectionString: database.url });
  await client.connect();
  const isValid = async (): Promise<unknown[]> =>
    (
      await client.query<{ indisvalid: boolean }>(
        "SELECT indisvalid FROM pg_index WHERE indexrelid::regclass::text LIKE 'embedding_near_%'",
      )
    ).rows;
  expect(await isValid()).toEqual([{ indisvalid: true }]);
  await client.query(
    "UPDATE pg_index SET indisvalid = FALSE WHERE indexrelid::regclass::text LIKE 'embedding_near_%'",
  );
  await stores[0]!.vectors.setGeneration(ADMIN_NAMESPACE, { add });
  expect(await isValid()).toEqual([{ indisvalid: true }]);
  await client.end();
  for (const store of stores) await store.close();
});
