import { describe, expect, it } from 'vitest';
import { MAX_BEARERS } from '../../src/store/rules/mention-names.ts';
import type { StoreFixture } from './store-contract.ts';
import { evict, note, write } from './store-samples.ts';
import { deleteRecords, restore } from './written-samples.ts';

export function describeMentionNames({ store, namespace }: StoreFixture): void {
  /** The ids of the records that have one of the names. */
  const named = async (ns: string, ...names: string[]): Promise<number[]> =>
    (await store().search.named(ns, names)).map(({ record }) => record);

  describe('the names by which a text may mention a record', () => {
    it('are those of notes and memories, each with the first passage', async () => {
      const ns = namespace();
      await write(
        store(),
        ns,
        note('a', {
          key: 'x/Oven costs.md',
          title: 'Oven (2026)',
          metadata: { aliases: ['the big stove', 7] },
        }),
        note('b', { origin: 'memory', title: 'Contractor quotes', key: null }),
        note('c', { origin: 'source', title: 'Todo list', key: 'todo' }),
      );
      for (const name of ['oven', 'oven 2026', 'oven costs']) expect(await named(ns, name)).toEqual([1]);
      const found = await store().search.named(ns, ['contractor quotes', 'oven', 'oven']);
      expect(found.map(({ name, record }) => [name, record])).toEqual([
        ['contractor quotes', 2],
        ['oven', 1],
      ]);
      const { passages } = await store().search.passages(
        ns,
        found.map(({ passage }) => passage),
        { now: 0 },
      );
      expect(passages.map(({ ordinal, record }) => [ordinal, record.id])).toEqual([
        [0, 2],
        [0, 1],
      ]);
      for (const name of ['todo list', 'the big stove', 'Oven', '7', ''])
        expect(await named(ns, name)).toEqual([]);
    });

    it('are left out if more records have the name than a mention could mean', async () => {
      const ns = namespace();
      const notes = Array.from({ length: MAX_BEARERS + 1 }, (_, i) =>
        note('x', { key: `${String(i)}/draft.md`, title: 'Draft' }),
      );
      await write(store(), ns, ...notes.slice(1));
      expect(await named(ns, 'draft')).toHaveLength(MAX_BEARERS);
      await write(store(), ns, notes[0]!);
      expect(await named(ns, 'draft')).toEqual([]);
    });

    it('are of one namespace and change with the record', async () => {
      const [ns, other] = [namespace(), namespace()];
      await write(store(), ns, note('a', { key: 'a.md', title: 'Old name' }));
      await write(store(), other, note('c', { key: 'c.md', title: 'New name' }));
      await write(store(), ns, { ...note('a', { key: 'a.md', title: 'New name' }), id: 1 });
      expect(await named(ns, 'old name', 'new name')).toEqual([1]);
      await deleteRecords(store(), ns, 1);
      expect(await named(ns, 'new name')).toEqual([]);
      await restore(store(), ns, 1, 'a');
      expect(await named(ns, 'new name')).toEqual([1]);
      await evict(store(), ns, 1);
      expect(await named(ns, 'new name')).toEqual([]);
      expect(await named(other, 'new name')).toEqual([1]);
    });

    it('are the same when derived data is rebuilt', async () => {
      const ns = namespace();
      await write(store(), ns, note('a', { key: 'a.md', title: 'Oven plan' }));
      await store().admin.resetDerived(ns, { drop: false, vectors: false });
      expect(await named(ns, 'oven plan')).toEqual([1]);
      expect((await store().admin.verify(ns)).filter((finding) => finding.includes('names'))).toEqual([]);
    });
  });
}
