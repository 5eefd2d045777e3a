import { describe, expect, it } from 'vitest';
import type { Store } from '../../src/store/store.ts';
import type { StoreFixture } from './store-contract.ts';
import { ALL_LIVE, evict, note, write } from './store-samples.ts';
import { ALL, deleteRecords, fact, idsOf, restore } from './written-samples.ts';

async function named(store: Store, namespace: string, noteName: string): Promise<number[]> {
  const filter = { ...ALL_LIVE, noteName };
  const ids = idsOf(await store.records.list(namespace, { filter }, ALL));
  expect(await store.records.count(namespace, filter)).toBe(ids.length);
  return ids;
}

export function describeNoteNames({ store, namespace }: StoreFixture): void {
  describe('the names of a note', () => {
    it('are its title, its aliases and the name of its file, in any case and Unicode form', async () => {
      const ns = namespace();
      const canvas = { key: 'Plugins/Canvas.md', title: 'Plans', metadata: { aliases: ['Pläne', 7, ' '] } };
      await write(store(), ns, note('a', canvas), note('b', { key: 'Other.md' }));
      for (const name of ['canvas', 'PLANS', ' plans ', 'PLÄNE'.normalize('NFD')])
        expect(await named(store(), ns, name)).toEqual([1]);
      for (const name of ['Canvas.md', 'Plugins/Canvas', 'plan', '7', '', ' '])
        expect(await named(store(), ns, name)).toEqual([]);
    });

    it('may belong to several notes, of one namespace', async () => {
      const ns = namespace();
      await write(store(), ns, note('a', { key: 'a.md' }), note('b', { key: 'b.md', title: 'A' }));
      await write(store(), namespace(), note('c', { key: 'x/a.md' }));
      expect(await named(store(), ns, 'a')).toEqual([2, 1]);
    });

    it('are those of notes alone', async () => {
      const ns = namespace();
      await write(
        store(),
        ns,
        fact('oven', 'c', 'hot'),
        note('a', { origin: 'memory', title: 'Oven', key: null }),
        note('b', { origin: 'source', title: 'Oven', key: 'oven' }),
      );
      expect(await named(store(), ns, 'oven')).toEqual([]);
    });

    it('change with the note', async () => {
      const ns = namespace();
      await write(store(), ns, note('a', { key: 'a.md', title: 'Old' }), note('b', { key: 'b.md' }));
      await write(store(), ns, { ...note('a', { key: 'a.md', title: 'New' }), id: 1 });
      expect([await named(store(), ns, 'old'), await named(store(), ns, 'new')]).toEqual([[], [1]]);
      await deleteRecords(store(), ns, 1);
      expect(await named(store(), ns, 'new')).toEqual([]);
      await restore(store(), ns, 1, 'a');
      expect(await named(store(), ns, 'new')).toEqual([1]);
      await evict(store(), ns, 1);
      expect([await named(store(), ns, 'new'), await named(store(), ns, 'b')]).toEqual([[], [2]]);
    });

    it('are the same when derived data is rebuilt', async () => {
      const ns = namespace();
      await write(store(), ns, note('a', { key: 'a.md', title: 'Oven' }));
      await store().admin.resetDerived(ns, { drop: true, vectors: false });
      expect(await named(store(), ns, 'oven')).toEqual([1]);
      expect((await store().admin.verify(ns)).filter((finding) => finding.includes('names'))).toEqual([]);
    });
  });
}
