import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createMissingIndex } from '../../src/ingest/embed.ts';
import { openStore } from '../../src/store/registry.ts';
import type { Store } from '../../src/store/store.ts';
import { ADMIN_NAMESPACE } from '../../src/store/rules/admin-namespace.ts';
import { addManyVectors, runStatements, testDatabase } from './database.ts';

const ADD = { provider: 'test', model: 'm', dimensions: 3 };

it('several servers that make the index of a model at once make one valid index, which is repaired when it is not', async () => {
  await using database = await testDatabase();
  const settings = { path: '', connectionString: database.url };
  const stores = await Promise.all(Array.from({ length: 4 }, () => openStore(settings, { create: true })));
  const [{ vectors }] = stores as [Store];
  const { id: index } = await vectors.setGeneration(ADMIN_NAMESPACE, { add: ADD });
  await Promise.all(stores.map((store) => store.vectors.setGeneration(ADMIN_NAMESPACE, { index })));
  const isValid = (): Promise<unknown[]> =>
    runStatements(
      database.url,
      "SELECT indisvalid FROM pg_index WHERE indexrelid::regclass::text LIKE 'embedding_near_%'",
    );
  expect(await isValid()).toEqual([{ indisvalid: true }]);
  await runStatements(
    database.url,
    "UPDATE pg_index SET indisvalid = FALSE WHERE indexrelid::regclass::text LIKE 'embedding_near_%'",
  );
  await vectors.setGeneration(ADMIN_NAMESPACE, { index });
  expect(await isValid()).toEqual([{ indisvalid: true }]);
  for (const store of stores) await store.close();
});

it('vectors are stored as PostgreSQL would read them from text', async () => {
  await using database = await testDatabase();
  const store = await openStore({ path: '', connectionString: database.url }, { create: true });
  const values = fc.float({ noNaN: true, min: -65_000, max: 65_000 });
  // In the middle of two numbers of half precision, and the least ones.
  const edges = [1 + 2 ** -11, 1 + 3 * 2 ** -11, 2 ** -24, 2 ** -25, 3 * 2 ** -26, 0, 65_504];
  const components = fc
    .sample(fc.oneof(values, fc.constantFrom(...edges)), { numRuns: 3000, seed: 1 })
    // A text has no negative zero.
    .map((each) => each + 0);
  const vectors = Array.from({ length: 1000 }, (_, i) => ({
    hash: i.toString(16).padStart(4, '0'),
    vector: Float32Array.from(components.slice(3 * i, 3 * i + 3)),
  }));
  const { id } = await store.vectors.setGeneration(ADMIN_NAMESPACE, { add: ADD });
  await store.vectors.put('n', id, vectors);
  const texts = JSON.stringify(vectors.map(({ hash, vector }) => ({ hash, text: `[${vector.join(',')}]` })));
  const stored = await runStatements(
    database.url,
    `SELECT count(*)::int AS n FROM embedding AS e JOIN jsonb_to_recordset('${texts}') AS given(hash text, text text)
       ON e.hash = decode(given.hash, 'hex') AND e.vector::text = given.text::halfvec::text`,
  );
  expect(stored).toEqual([{ n: 1000 }]);
  await store.close();
});

it('the index is made after the vectors, once there are many, by the next process if one was stopped', async () => {
  await using database = await testDatabase();
  const store = await openStore({ path: '', connectionString: database.url }, { create: true });
  const { id } = await store.vectors.setGeneration(ADMIN_NAMESPACE, { add: ADD });
  const made = async (): Promise<string[]> => {
    const stages: string[] = [];
    await createMissingIndex(store, id, { onProgress: ({ stage }) => stages.push(stage) });
    return stages;
  };
  const faults = (): Promise<string[]> => store.admin.verify(ADMIN_NAMESPACE);
  expect([await made(), await faults()]).toEqual([[], []]);
  await addManyVectors(database.url, id);
  expect(await faults()).toMatchObject([expect.stringMatching(/^the index embedding_near_1 is missing/)]);
  expect([await made(), await made(), await faults()]).toEqual([['indexing'], [], []]);
  // What a process leaves that was killed while it made the index.
  await runStatements(
    database.url,
    "UPDATE pg_index SET indisvalid = FALSE WHERE indexrelid = 'embedding_near_1'::regclass",
  );
  expect([await made(), await faults()]).toEqual([['indexing'], []]);
  await store.close();
});
