import { ADMIN_NAMESPACE } from '../../src/store/rules/admin-namespace.ts';
import { openStore, type StoreSettings } from '../../src/store/registry.ts';
import { anyOf, draft, EQUAL_WEIGHTS, note, NOW, passage, write } from './store-samples.ts';

export const NAMESPACES = ['first', 'second'];

/** Fills a store with rows of many tables. */
export async function fillStore(settings: StoreSettings): Promise<void> {
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
export async function readStore(settings: StoreSettings): Promise<unknown> {
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
