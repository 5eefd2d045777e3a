import { describe, expect, it } from 'vitest';
import type { BelongsToProgress, NoteOfDocument } from '../../src/store/graph-model.ts';
import type { StoreFixture } from './store-contract.ts';
import { note, NOW, write } from './store-samples.ts';
import { commit, deleteRecords } from './written-samples.ts';

export function describeBelongsTo({ store, namespace }: StoreFixture): void {
  /** Two notes, 1 and 2, and two documents, 3 and 4. */
  async function filled(): Promise<string> {
    const ns = namespace();
    const document = { origin: 'source', source: 'tasks' } as const;
    await write(
      store(),
      ns,
      note('tiles'),
      note('kitchen'),
      note(['buy tiles', 'soon'], document),
      note('call', document),
    );
    return ns;
  }
  const edge = (to: number, share: number): NoteOfDocument => ({
    note: to,
    share,
    confidence: share / 2,
  });
  const upTo = (change: number): BelongsToProgress => ({ upTo: change, excludedSources: [], pass: null });
  const notesOf = async (ns: string, document: number): Promise<number[]> =>
    (await store().records.belongsTo(ns, { documents: [document] })).map((each) => each.note);

  describe('the edges from documents to notes', () => {
    it('are returned by note and by document, with the first passage of the document', async () => {
      const ns = await filled();
      expect(await store().records.belongsTo(ns, { notes: [1, 2] })).toEqual([]);
      const edges = new Map([
        [3, [edge(1, 1), edge(2, 0.5)]],
        [4, [edge(2, 1)]],
      ]);
      await commit(store(), ns, { belongsTo: { edges, progress: upTo(4) } });
      const all = await store().records.belongsTo(ns, { documents: [4, 3, 9] });
      expect(all).toMatchObject([
        { document: 3, position: 1, note: 1, share: 1, confidence: 0.5 },
        { document: 3, position: 2, note: 2, share: 0.5, confidence: 0.25 },
        { document: 4, position: 1, note: 2, share: 1, confidence: 0.5 },
      ]);
      expect(await store().records.belongsTo(ns, { notes: [2] })).toEqual(all.slice(1));
      const { passages } = await store().search.passages(ns, [all[0]!.passage], { now: NOW });
      expect(passages).toMatchObject([{ record: { id: 3 }, text: 'buy tiles' }]);
      expect(await store().records.bounds(ns)).toMatchObject({ lastChange: 4, belongsTo: upTo(4) });
    });

    it('include those to the notes that a note links to', async () => {
      const ns = namespace();
      await write(
        store(),
        ns,
        note('tiles', { key: 'tiles.md', title: 'Tiles' }),
        note('kitchen', {
          key: 'kitchen.md',
          metadata: { links: [{ target: 'tiles' }, { target: 'nothing' }, { target: 'hall' }] },
        }),
        note('buy tiles', { origin: 'source', source: 'tasks' }),
        note('hall', { key: 'hall.md' }),
      );
      await commit(store(), ns, { belongsTo: { edges: new Map([[3, [edge(1, 1)]]]), progress: upTo(3) } });
      expect(await store().records.belongsTo(ns, { notes: [2, 1] })).toMatchObject([
        { document: 3, note: 1, noteTitle: 'Tiles', via: 1, links: 0 },
        { document: 3, note: 1, noteTitle: 'Tiles', via: 2, links: 2 },
      ]);
    });

    it('replace those that the document had, and others stay', async () => {
      const ns = await filled();
      const first = new Map([
        [3, [edge(1, 1)]],
        [4, [edge(1, 1)]],
      ]);
      await commit(store(), ns, { belongsTo: { edges: first, progress: upTo(4) } });
      await commit(store(), ns, { belongsTo: { edges: new Map([[3, [edge(2, 1)]]]), progress: upTo(3) } });
      expect([await notesOf(ns, 3), await notesOf(ns, 4)]).toEqual([[2], [1]]);
      expect((await store().records.bounds(ns)).belongsTo).toEqual(upTo(3));
      await commit(store(), ns, { belongsTo: { edges: new Map([[3, []]]), progress: upTo(5) } });
      expect(await notesOf(ns, 3)).toEqual([]);
    });

    it('end with the note or the document, and are not made with records that are gone', async () => {
      const ns = await filled();
      const edges = new Map([
        [3, [edge(1, 1), edge(2, 0.5)]],
        [4, [edge(2, 1)]],
      ]);
      await commit(store(), ns, { belongsTo: { edges, progress: upTo(4) } });
      await deleteRecords(store(), ns, 1);
      expect(await notesOf(ns, 3)).toEqual([2]);
      await commit(store(), ns, { evictions: [4] });
      expect((await store().records.belongsTo(ns, { notes: [2] })).map(({ document }) => document)).toEqual([
        3,
      ]);
      await commit(store(), ns, { belongsTo: { edges, progress: upTo(6) } });
      expect([await notesOf(ns, 3), await notesOf(ns, 4)]).toEqual([[2], []]);
    });

    it('are committed with how far a pass over all documents is, and what it leaves out', async () => {
      const ns = await filled();
      const progress = { upTo: 1, excludedSources: ['Work', 'Old'], pass: { upTo: 4, document: 3 } };
      await commit(store(), ns, { belongsTo: { edges: new Map([[3, [edge(1, 1)]]]), progress } });
      expect((await store().records.bounds(ns)).belongsTo).toEqual(progress);
      await store().admin.resetDerived(ns, { drop: false, vectors: false });
      expect((await store().records.bounds(ns)).belongsTo).toEqual(upTo(0));
    });

    it('are discarded with the other derived data', async () => {
      const ns = await filled();
      await commit(store(), ns, { belongsTo: { edges: new Map([[3, [edge(1, 1)]]]), progress: upTo(4) } });
      await store().admin.resetDerived(ns, { drop: false, vectors: false });
      expect(await notesOf(ns, 3)).toEqual([]);
      expect((await store().records.bounds(ns)).belongsTo).toEqual(upTo(0));
    });

    it('belong to their namespace', async () => {
      const [ours, theirs] = [await filled(), await filled()];
      await commit(store(), ours, { belongsTo: { edges: new Map([[3, [edge(1, 1)]]]), progress: upTo(4) } });
      expect(await store().records.belongsTo(theirs, { notes: [1] })).toEqual([]);
      expect((await store().records.bounds(theirs)).belongsTo).toEqual(upTo(0));
    });
  });
}
