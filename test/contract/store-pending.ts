import { ADMIN_NAMESPACE } from '../../src/store/rules/admin-namespace.ts';
import { describe, expect, it } from 'vitest';
import type { RecordWrite } from '../../src/store/model.ts';
import type { StoreFixture } from './store-contract.ts';
import { NOW, draft, embed, note, passage, pendingEmbeddings, unit, write } from './store-samples.ts';

export function describePendingEmbeddings({ store, namespace, generation }: StoreFixture): void {
  describe('pending embeddings', () => {
    it('are the passages whose content has no vector, with the parts of the text to embed', async () => {
      const [ns, vectors] = [namespace(), await generation(3)];
      const written = passage('words', { headings: ['A', 'B'], context: 'Kitchen' });
      const metadata = { speaker: 'Ada' };
      await write(store(), ns, { id: null, draft: draft({ title: 'Title', metadata }), passages: [written] });
      const [pending] = await pendingEmbeddings(store(), vectors, ns);
      const { hash, headings, text } = written;
      expect(pending).toEqual({
        passage: pending?.passage,
        record: 1,
        ordinal: 0,
        hash,
        headings,
        text,
        context: 'Kitchen',
        title: 'Title',
        metadata,
      });
    });

    it('begin with the first passages of the last updated records', async () => {
      const [ns, other, vectors] = [namespace(), namespace(), await generation(3)];
      const updated = (texts: string[], updatedAt: number): RecordWrite => ({
        ...note(texts),
        draft: draft({ updatedAt }),
      });
      await write(store(), ns, updated(['a', 'b', 'c'], NOW));
      await write(store(), other, updated(['a', 'b'], NOW));
      await write(store(), ns, updated(['d'], NOW + 1), updated(['e', 'f'], NOW + 1));
      const found = (await store().vectors.pending(ns, vectors, { limit: 10 })).passages;
      expect(found.map(({ record, ordinal, text }) => [record, ordinal, text])).toEqual([
        [2, 0, 'd'],
        [3, 0, 'e'],
        [1, 0, 'a'],
        [3, 1, 'f'],
        [1, 1, 'b'],
        [1, 2, 'c'],
      ]);
      expect((await store().vectors.pending(ns, vectors, { limit: 2 })).passages).toEqual(found.slice(0, 2));
    });

    it('are counted once for each content', async () => {
      const [ns, vectors] = [namespace(), await generation(3)];
      const before = (await store().vectors.pending(ns, vectors, { totals: true })).texts;
      await write(store(), ns, note('same'), note('same'), note('other'));
      expect((await store().vectors.pending(ns, vectors, { totals: true })).texts - before).toBe(2);
      expect((await store().vectors.pending(ns, vectors, { totals: true })).bytes).toBe('sameother'.length);
      await embed(store(), vectors, ns, () => unit(1, 0, 0));
      expect((await store().vectors.pending(ns, vectors, { totals: true })).texts).toBe(before);
      expect(await pendingEmbeddings(store(), vectors, ns)).toEqual([]);
    });

    it('are separate for each generation', async () => {
      const [ns, one, other] = [namespace(), await generation(3), await generation(3)];
      await write(store(), ns, note('a'));
      await embed(store(), one, ns, () => unit(1, 0, 0));
      expect(await pendingEmbeddings(store(), one, ns)).toHaveLength(0);
      expect(await pendingEmbeddings(store(), other, ns)).toHaveLength(1);
    });
  });

  describe('generations', () => {
    it('are unique by provider, model and dimensions, and at most one is active', async () => {
      const spec = { provider: 'p', model: 'm', dimensions: 3 };
      const added = await store().vectors.setGeneration(ADMIN_NAMESPACE, { add: spec });
      expect(added).toEqual({ ...spec, id: added.id, active: false, removedVectors: 0 });
      expect(await store().vectors.setGeneration(ADMIN_NAMESPACE, { add: spec })).toEqual(added);
      const wider = await store().vectors.setGeneration(ADMIN_NAMESPACE, { add: { ...spec, dimensions: 4 } });
      expect(wider.id).not.toBe(added.id);
      for (const { id } of [added, wider, added]) {
        await store().vectors.setGeneration(ADMIN_NAMESPACE, { activate: id });
        const active = (await store().vectors.generations(ADMIN_NAMESPACE)).filter(({ active }) => active);
        expect(active.map((each) => each.id)).toEqual([id]);
      }
      expect(await store().vectors.setGeneration(ADMIN_NAMESPACE, { add: spec })).toMatchObject({
        id: added.id,
        active: true,
      });
      await expect(
        store().vectors.setGeneration(ADMIN_NAMESPACE, { activate: 1_000_000 }),
      ).rejects.toMatchObject({
        code: 'not_found',
      });
      expect(
        (await store().vectors.generations(ADMIN_NAMESPACE)).filter(({ active }) => active),
      ).toHaveLength(1);
    });
  });
}
