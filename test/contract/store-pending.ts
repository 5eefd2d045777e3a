import { describe, expect, it } from 'vitest';
import type { PendingEmbedding } from '../../src/store/embeddings.ts';
import type { Subject } from './store-contract.ts';
import { draft, embed, note, passage, pendingOf, unit, write } from './store-samples.ts';

export function describePendingEmbeddings({ store, namespace, generation }: Subject): void {
  describe('pending embeddings', () => {
    it('are the passages whose content has no vector, with what is embedded', async () => {
      const [ns, vectors] = [namespace(), await generation(3)];
      const piece = passage('words', { headings: ['A', 'B'] });
      const metadata = { speaker: 'Ada' };
      await write(store(), ns, { id: null, draft: draft({ title: 'Title', metadata }), passages: [piece] });
      const [one] = await pendingOf(store(), vectors, ns);
      const { hash, headings, text } = piece;
      expect(one).toEqual({
        passage: one?.passage,
        namespace: ns,
        hash,
        headings,
        text,
        title: 'Title',
        metadata,
      });
    });

    it('come page by page, by id, each once, over all namespaces', async () => {
      const [ns, other, vectors] = [namespace(), namespace(), await generation(3)];
      await write(store(), ns, note(['a', 'b', 'c']));
      await write(store(), other, note(['a', 'b']));
      await write(store(), ns, note('d'));
      const seen: PendingEmbedding[] = [];
      for (let after: number | null = null; ;) {
        const page: PendingEmbedding[] = await store().pendingEmbeddings(vectors, { after, limit: 4 });
        expect(page.length).toBeLessThanOrEqual(4);
        seen.push(...page);
        const last = page.at(-1);
        if (last === undefined) break;
        after = last.passage;
      }
      const ids = seen.map(({ passage: id }) => id);
      expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b));
      const mine = seen.filter(({ namespace: name }) => name === ns || name === other);
      expect(mine.map(({ namespace: name, text }) => [name, text])).toEqual([
        [ns, 'a'],
        [ns, 'b'],
        [ns, 'c'],
        [other, 'a'],
        [other, 'b'],
        [ns, 'd'],
      ]);
    });

    it('are counted by content', async () => {
      const [ns, vectors] = [namespace(), await generation(3)];
      const before = await store().countPending(vectors);
      await write(store(), ns, note('same'), note('same'), note('other'));
      expect((await store().countPending(vectors)) - before).toBe(2);
      await embed(store(), vectors, ns, () => unit(1, 0, 0));
      expect(await store().countPending(vectors)).toBe(before);
      expect(await pendingOf(store(), vectors, ns)).toEqual([]);
    });

    it('are those of each generation', async () => {
      const [ns, one, other] = [namespace(), await generation(3), await generation(3)];
      await write(store(), ns, note('a'));
      await embed(store(), one, ns, () => unit(1, 0, 0));
      expect(await pendingOf(store(), one, ns)).toHaveLength(0);
      expect(await pendingOf(store(), other, ns)).toHaveLength(1);
    });
  });

  describe('generations', () => {
    it('are one for each model, and at most one is active', async () => {
      const spec = { provider: 'p', model: 'm', dimensions: 3 };
      const one = await store().addGeneration(spec);
      expect(one).toEqual({ ...spec, id: one.id, active: false });
      expect(await store().addGeneration(spec)).toEqual(one);
      const wider = await store().addGeneration({ ...spec, dimensions: 4 });
      expect(wider.id).not.toBe(one.id);
      for (const { id } of [one, wider, one]) {
        await store().activateGeneration(id);
        const active = (await store().generations()).filter((held) => held.active);
        expect(active.map((held) => held.id)).toEqual([id]);
      }
      expect(await store().addGeneration(spec)).toMatchObject({ id: one.id, active: true });
      await expect(store().activateGeneration(1_000_000)).rejects.toMatchObject({ code: 'not_found' });
      expect((await store().generations()).filter((held) => held.active)).toHaveLength(1);
    });
  });
}
