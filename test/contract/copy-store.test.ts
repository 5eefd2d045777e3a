import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Config } from '../../src/config/schema.ts';
import { ADMIN_NAMESPACE } from '../../src/store/rules/admin-namespace.ts';
import { connectStore, openStore } from '../../src/store/registry.ts';
import { copyStore } from '../../src/store/sql/admin/copy-store.ts';
import { testDatabase } from '../postgres/database.ts';
import { anyOf, draft, EQUAL_WEIGHTS, note, NOW, passage, write } from './store-samples.ts';
import { temporaryFolder } from './engines.ts';

const NAMESPACES = ['first', 'second'];

/** Fills a store with rows of many tables. */
async function fill(settings: Config['store']): Promise<void> {
  const store = await openStore(settings, { create: true });
  const { id } = await store.vectors.setGeneration(ADMIN_NAMESPACE, {
    add: { provider: 'test', model: 'm', dimensions: 3 },
  });
  for (const namespace of NAMESPACES) {
    const notes = Array.from({ length: 12 }, (_, i) =>
      note([`${namespace} text ${String(i)} of the bakery`, 'a second passage \0 with \\u0000'], {
        metadata: { session: 's', aliases: [`alias ${String(i)}`], zero: 'a\0b' },
        tags: ['Bread', `tag/${String(i)}`],
        source: 'notes',
        origin: 'vault',
        key: `${String(i)}.md`,
      }),
    );
    await write(store, namespace, ...notes);
    await store.records.commit(namespace, {
      writes: [{ id: null, draft: draft({ title: 'audited' }), passages: [passage('audited')] }],
      evictions: [],
      chunking: 'test/1',
      audit: [
        {
          at: NOW,
          actor: 'me',
          surface: 'cli',
          action: 'write',
          subject: 'record/13',
          diff: { title: [null, 'x'] },
        },
      ],
    });
    const { passages } = await store.vectors.pending(namespace, id, { limit: 100 });
    const vectors = passages.map(({ hash }, i) => ({ hash, vector: unit(i) }));
    await store.vectors.put(namespace, id, vectors, new Map([[vectors[0]!.hash, [unit(1), unit(2)]]]));
  }
  await store.close();
}

function unit(i: number): Float32Array {
  return Float32Array.of(Math.cos(i), Math.sin(i), 0);
}

/** What a reader of the store sees. */
async function seen(settings: Config['store']): Promise<unknown> {
  const store = await openStore(settings, { create: false });
  const all = [];
  for (const namespace of NAMESPACES) {
    const records = await store.records.list(
      namespace,
      { filter: { now: NOW } },
      { after: null, limit: 100 },
    );
    const { lists } = await store.search.retrieve(namespace, {
      queries: [
        { by: 'text', text: { ...anyOf('bakeri'), weights: EQUAL_WEIGHTS }, filter: { now: NOW }, limit: 5 },
      ],
    });
    const { faults } = await store.admin.audit(namespace, { faults: true });
    all.push({
      records,
      found: lists[0]!.scores.map(({ passage: id }) => id),
      faults,
      damage: await store.admin.verify(namespace),
    });
  }
  await store.close();
  return all;
}

it('copies a store to PostgreSQL and back, whole, also after it was stopped', async () => {
  await using folder = await temporaryFolder();
  await using database = await testDatabase();
  const original = { path: join(folder.path, 'loci.db') };
  const copy = { path: join(folder.path, 'unused.db'), connectionString: database.url };
  const back = { path: join(folder.path, 'back.db') };
  await fill(original);
  const before = await seen(original);
  for (const [from, to] of [
    [original, copy],
    [copy, back],
  ] as const) {
    const [source, target] = [
      await connectStore(from, { create: false }),
      await connectStore(to, { create: true }),
    ];
    const stopped = copyStore(source.driver, target.driver, {
      onProgress: ({ subject, done }) => {
        if (subject === NAMESPACES[1] && done > 0) throw new Error('stopped');
      },
    });
    await expect(stopped).rejects.toThrow('stopped');
    const copied = await copyStore(source.driver, target.driver, {});
    expect(copied.map(({ namespace }) => namespace)).toEqual(expect.arrayContaining(NAMESPACES));
    await source.close();
    await target.close();
    expect(await seen(to)).toEqual(before);
  }
  // New rows get ids of their own.
  const store = await openStore(copy, { create: false });
  const [id] = await write(store, 'first', note('a new note'));
  expect(id).toBe(14);
  await write(store, 'third', note('a new namespace'));
  await store.close();
});
