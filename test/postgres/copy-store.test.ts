import { join } from 'node:path';
import { expect, it } from 'vitest';
import { connectStore, openStore } from '../../src/store/registry.ts';
import { copyStore } from '../../src/store/sql/admin/copy-store.ts';
import { testDatabase } from './database.ts';
import { note, write } from '../contract/store-samples.ts';
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
