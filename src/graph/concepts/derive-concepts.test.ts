import { expect, it } from 'vitest';
import { openSqliteInMemory } from '../../../test/contract/sqlite-in-memory.ts';
import { note, NOW, write } from '../../../test/contract/store-samples.ts';
import { TaskThread } from '../../core/threads/task-thread.ts';
import type { Store } from '../../store/store.ts';
import { deriveConcepts } from './derive-concepts.ts';

const THREAD = new TaskThread().ownedBy('concepts');

/** Derives what has changed. Returns the records whose names or mentions were derived. */
async function derive(store: Store): Promise<number[]> {
  const derived = new Set<number>();
  const commit: Store['records']['commit'] = (namespace, batch, ...rest) => {
    const { names = new Map(), mentions = new Map() } = 'purge' in batch ? {} : (batch.concepts ?? {});
    for (const record of [...names.keys(), ...mentions.keys()]) derived.add(record as number);
    return store.records.commit(namespace, batch, ...rest);
  };
  const watched = { ...store, records: { ...store.records, commit } };
  await deriveConcepts({ store: watched, namespace: 'n', now: NOW, thread: THREAD });
  return [...derived].sort((a, b) => a - b);
}

it('derives one note again that loses a phrase which all notes have', async () => {
  const store = openSqliteInMemory();
  const text = (i: number): string => `We asked Miller Brothers about ${'x'.repeat(i + 1)}.`;
  await write(store, 'n', ...Array.from({ length: 40 }, (_, i) => note(text(i))));
  expect(await derive(store)).toHaveLength(40);
  const [first] = await store.records.get('n', [1], { liveAt: NOW });
  await write(store, 'n', { ...note('We asked nobody.'), id: first!.id });
  expect(await derive(store)).toEqual([1]);
  await store.close();
});

it('derives all notes again that have a phrase when it becomes a title', async () => {
  const store = openSqliteInMemory();
  await write(store, 'n', note('We asked Miller Brothers.'), note('Why ask Miller Brothers?'));
  await derive(store);
  await write(store, 'n', note('A firm.', { origin: 'vault', key: 'm.md', title: 'Miller Brothers' }));
  expect(await derive(store)).toEqual([1, 2, 3]);
  await store.close();
});
