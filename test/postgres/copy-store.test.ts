import { join } from 'node:path';
import { expect, it } from 'vitest';
import { connectStore, openStore } from '../../src/store/registry.ts';
import { copyStore } from '../../src/store/sql/admin/copy-store.ts';
import { testDatabase } from './database.ts';
import { ADMIN_NAMESPACE } from '../../src/store/rules/admin-namespace.ts';
import { embed, note, unit, write } from '../contract/store-samples.ts';
import { fillNamespace } from '../contract/store-removal.ts';
import { temporaryFolder } from '../contract/engines.ts';
import { fillStore, NAMESPACES, readStore } from '../contract/filled-store.ts';

it('copies a store to PostgreSQL and back, whole, also after it was stopped', async () => {
  await using folder = await temporaryFolder();
  await using database = await testDatabase();
  const original = { path: join(folder.path, 'loci.db') };
  const copy = { path: join(folder.path, 'unused.db'), connectionString: database.url };
  const back = { path: join(folder.path, 'back.db') };
  await fillStore(original);
  const before = await readStore(original);
  for (const [from, to] of [
    [original, copy],
    [copy, back],
  ] as const) {
    const [source, target] = [
      await connectStore(from, { create: false }),
      await connectStore(to, { create: true }),
    ];
    const stopped = copyStore(source.driver, target.driver, 'source', {
      onProgress: ({ subject, done }) => {
        if (subject === NAMESPACES[1] && done > 0) throw new Error('stopped');
      },
    });
    await expect(stopped).rejects.toThrow('stopped');
    const copied = await copyStore(source.driver, target.driver, 'source', {});
    expect(copied.map(({ namespace }) => namespace)).toEqual(expect.arrayContaining(NAMESPACES));
    await expect(copyStore(source.driver, target.driver, 'source', {})).rejects.toThrow('finished copy');
    await expect(copyStore(source.driver, target.driver, 'other', {})).rejects.toThrow('not empty');
    await expect(copyStore(target.driver, source.driver, 'other', {})).rejects.toThrow('not empty');
    await source.close();
    await target.close();
    expect(await readStore(to)).toEqual(before);
  }
  // New rows get ids of their own.
  const store = await openStore(copy, { create: false });
  const [id] = await write(store, 'first', note('a new note'));
  expect(id).toBe(14);
  await write(store, 'third', note('a new namespace'));
  await store.close();
});

it('finds a vector of the copy that is not that of the store', async () => {
  await using folder = await temporaryFolder();
  await using database = await testDatabase();
  const original = { path: join(folder.path, 'loci.db') };
  const copy = { path: join(folder.path, 'unused.db'), connectionString: database.url };
  await fillStore(original);
  const source = await connectStore(original, { create: false });
  const target = await connectStore(copy, { create: true });
  await copyStore(source.driver, target.driver, 'source', {});
  // As if the copy had not ended.
  await target.driver.sql.run("UPDATE lease SET token = 0 WHERE name = 'copy'");
  await target.driver.sql.run(
    "UPDATE embedding SET vector = '[0.5,0.25,0.125]' WHERE id = (SELECT min(id) FROM embedding)",
  );
  await expect(copyStore(source.driver, target.driver, 'source', {})).rejects.toThrow(
    'the copy differs in the table embedding: rows are not the same',
  );
  await source.close();
  await target.close();
});

it('copies a store that was made on PostgreSQL into a file', async () => {
  await using folder = await temporaryFolder();
  await using database = await testDatabase();
  const original = { path: join(folder.path, 'unused.db'), connectionString: database.url };
  const store = await openStore(original, { create: true });
  const add = { provider: 'test', model: 'm', dimensions: 16 };
  const { id: generation } = await store.vectors.setGeneration(ADMIN_NAMESPACE, { add });
  await write(store, 'first', note('a note'), note('another one'));
  await embed(store, generation, 'first', (text) =>
    unit(...Array.from({ length: 16 }, (_, i) => Math.sin(i * 7 + text.length))),
  );
  // The administrative namespace is not the first one, as it is in a file.
  await fillNamespace(
    store,
    'second',
    (await store.vectors.setGeneration(ADMIN_NAMESPACE, { add: { ...add, dimensions: 3 } })).id,
  );
  await store.close();
  const source = await connectStore(original, { create: false });
  const target = await connectStore({ path: join(folder.path, 'copy.db') }, { create: true });
  const copied = await copyStore(source.driver, target.driver, 'source', {});
  expect(copied.map(({ namespace }) => namespace)).toEqual(['', 'first', 'second']);
  await source.close();
  await target.close();
});

it('refuses to copy a database to which only the direct connection leads', async () => {
  await using one = await testDatabase();
  await using other = await testDatabase();
  for (const { url } of [one, other])
    await (await openStore({ path: 'unused.db', connectionString: url }, { create: true })).close();
  await expect(
    connectStore(
      { path: 'unused.db', connectionString: one.url, directConnectionString: other.url },
      { create: false },
    ),
  ).rejects.toThrow('lead to two databases');
});
