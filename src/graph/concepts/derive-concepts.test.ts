import { expect, it } from 'vitest';
import { openSqliteInMemory } from '../../../test/contract/sqlite-in-memory.ts';
import { note, NOW, write } from '../../../test/contract/store-samples.ts';
import { TaskThread } from '../../core/threads/task-thread.ts';
import type { Store } from '../../store/store.ts';
import { deriveConcepts, isConceptsCurrent, withWords } from './derive-concepts.ts';

const THREAD = new TaskThread().ownedBy('concepts');

/**
 * Derives what has changed. Returns the records whose names or mentions were derived.
 * @param maxCommits the process dies after as many commits
 */
async function derive(store: Store, maxCommits = Infinity): Promise<number[]> {
  const derived = new Set<number>();
  let commits = 0;
  const commit: Store['records']['commit'] = (namespace, batch, ...rest) => {
    if (++commits > maxCommits) throw new Error('killed');
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

it('continues the derivation of all records that was interrupted, and then follows what changed meanwhile', async () => {
  const store = openSqliteInMemory();
  const firm = (i: number): ReturnType<typeof note> =>
    note(`We asked Firm ${String(i + 1)}.`, {
      origin: 'vault',
      key: `${String(i)}.md`,
      title: `Firm ${String(i)}`,
    });
  await write(store, 'n', ...Array.from({ length: 200 }, (_, i) => firm(i)));
  // The commits are: the beginning, four of names, then two of mentions.
  await expect(derive(store, 7)).rejects.toThrow('killed');
  expect(isConceptsCurrent(await store.graph.state('n'))).toBe(false);
  await write(store, 'n', { ...firm(6), draft: { ...firm(0).draft, content: 'We asked Firm 7.' }, id: 1 });
  const derived = await derive(store);
  expect(derived.filter((record) => record > 1 && record <= 128)).toEqual([]);
  expect(derived).toHaveLength(200 - 128 + 1);
  expect(isConceptsCurrent(await store.graph.state('n'))).toBe(true);
  const mentions = await store.graph.recordConcepts('n', [1, 2, 200]);
  expect([...mentions.values()].map((each) => each.mentions.map(({ key }) => key))).toEqual([
    ['firm 7'],
    ['firm 2'],
    [],
  ]);
  await store.close();
});

it('looks in a text only for names all of whose words it has', () => {
  const keys = [
    'meeting',
    'meeting ada',
    'meeting ada lovelace',
    'meeting bob',
    'berlin | germany',
    'meeting',
  ];
  const names = keys.map((key) => ({ key }));
  const words = new Set(['ada', 'meeting', 'germany', 'berlin']);
  expect(withWords(names, words)).toEqual(['meeting', 'meeting ada', 'berlin | germany']);
});
