import { describe, expect, it } from 'vitest';
import type { Subject } from './store-contract.ts';
import {
  ALL_LIVE,
  anyOf,
  cutOf,
  draft,
  embed,
  evict,
  note,
  NOW,
  passageIds,
  unit,
  write,
} from './store-samples.ts';

export function describeIsolation({ store, namespace, generation }: Subject): void {
  describe('namespaces', () => {
    it('change nothing for each other, scores included', async () => {
      const [ours, theirs] = [namespace(), namespace()];
      const vectors = await generation(3);
      const { uuid } = draft();
      const session = { session: 's', speaker: 'Ada' };
      await write(
        store(),
        ours,
        note(['marble worktop', 'and a sink'], { uuid, key: 'k', metadata: session }),
        note('a granite worktop', { metadata: session }),
      );
      await embed(store(), vectors, ours, (text) => unit(1, text.length, 2));
      const look = async (): Promise<unknown> => {
        const ids = await passageIds(store(), ours, 'worktop');
        return {
          text: await store().searchText(ours, anyOf('marble', 'worktop'), ALL_LIVE, 10),
          near: await store().searchVectors(ours, vectors, unit(1, 2, 3), ALL_LIVE, 10),
          scored: await store().scoreVectors(ours, vectors, unit(1, 2, 3), ids),
          terms: await store().lookUpTerms(ours, ['worktop', 'wrktop', 'secret']),
          beside: await store().neighbours(ours, ids, { before: 5, after: 5 }),
          passages: await store().passages(ours, ids, ALL_LIVE),
          records: await store().scanRecords(ours, { after: null, limit: 10 }),
          byKey: await store().recordsByKey(ours, 'k', NOW),
          entries: await store().sourceEntries(ours, 'notes', { after: null, limit: 10 }),
          stats: (await store().stats()).namespaces.find(({ namespace: name }) => name === ours),
        };
      };
      const before = await look();

      const many = Array.from({ length: 50 }, (_, i) =>
        note(`marble worktop secret worktops ${'pad '.repeat(i)}`, { metadata: session }),
      );
      await write(store(), theirs, note('marble worktop', { uuid, key: 'k' }), ...many);
      await embed(store(), vectors, theirs, (text) => unit(1, text.length, 2));
      expect(await look()).toEqual(before);
      await evict(store(), theirs, 1, 3, 5);
      await store().markStale(theirs, { vectors: true });
      expect(await look()).toEqual(before);
      await store().dropDerived(theirs, { vectors: true });
      await store().sweep();
      expect(await look()).toEqual(before);
    });

    it('do not give out what another one holds, by whatever id', async () => {
      const [ours, theirs] = [namespace(), namespace()];
      const vectors = await generation(3);
      await write(store(), ours, note('ours'));
      const shared = note(['secret', 'secret too'], { metadata: { session: 's' } });
      await write(store(), theirs, shared, note('secret three', { metadata: { session: 's' } }));
      const hidden = await passageIds(store(), theirs, 'secret');
      expect(hidden).toHaveLength(3);
      await embed(store(), vectors, theirs, () => unit(1, 0, 0));
      expect(await store().passages(ours, hidden, ALL_LIVE)).toEqual([]);
      expect(await store().neighbours(ours, hidden, { before: 3, after: 3 })).toEqual([]);
      expect(await store().scoreVectors(ours, vectors, unit(1, 0, 0), hidden)).toEqual([]);
      expect(await store().records(ours, [2, 3], NOW)).toEqual([]);
      expect(await store().passagesOf(ours, [2])).toEqual(new Map([[2, []]]));
      expect(await store().lookUpTerms(ours, ['secret', 'secrt'])).toEqual([
        { word: 'secret', passages: 0, near: [] },
        { word: 'secrt', passages: 0, near: [] },
      ]);
      const secret = (await store().scanRecords(theirs, { after: 1, limit: 1 }))[0];
      await store().putPassages(ours, 'other', new Map([[2, cutOf(secret, [])]]));
      expect(await passageIds(store(), theirs, 'secret')).toEqual(hidden);
    });

    it('do not share vectors, even of the same content', async () => {
      const [ours, theirs] = [namespace(), namespace()];
      const vectors = await generation(3);
      const both = note('the same words');
      await write(store(), ours, both);
      await write(store(), theirs, both);
      const [{ hash } = { hash: '' }] = (await store().passagesOf(ours, [1])).get(1) ?? [];
      await store().putVectors(vectors, [{ namespace: theirs, hash, vector: unit(1, 0, 0) }]);
      expect(await store().searchVectors(ours, vectors, unit(1, 0, 0), ALL_LIVE, 5)).toEqual([]);
      expect(await store().searchVectors(theirs, vectors, unit(1, 0, 0), ALL_LIVE, 5)).toHaveLength(1);
    });

    it('may have any name', async () => {
      for (const name of ['', ' ', '../x', "'; DROP TABLE record; --", '__proto__', 'Ünïcode 名', 'A', 'a']) {
        const ns = `${namespace()}${name}`;
        await write(store(), ns, note('text'));
        expect(await store().namespaces()).toContain(ns);
        expect(await passageIds(store(), ns, 'text')).toHaveLength(1);
      }
    });

    it('that nobody has written to answer with nothing', async () => {
      const ns = namespace();
      const vectors = await generation(3);
      const all = { after: null, limit: 10 };
      expect(await store().records(ns, [1], NOW)).toEqual([]);
      expect(await store().recordsByKey(ns, 'k', NOW)).toEqual([]);
      expect(await store().countByKey(ns, ['k'], NOW)).toEqual([0]);
      expect(await store().sourceEntries(ns, 's', all)).toEqual([]);
      expect(await store().searchText(ns, anyOf('x'), ALL_LIVE, 5)).toEqual([]);
      expect(await store().searchVectors(ns, vectors, unit(1, 0, 0), ALL_LIVE, 5)).toEqual([]);
      expect(await store().scoreVectors(ns, vectors, unit(1, 0, 0), [1])).toEqual([]);
      expect(await store().lookUpTerms(ns, ['word'])).toEqual([{ word: 'word', passages: 0, near: [] }]);
      expect(await store().neighbours(ns, [1], { before: 1, after: 1 })).toEqual([]);
      expect(await store().passages(ns, [1], ALL_LIVE)).toEqual([]);
      expect(await store().staleRecords(ns, 'c', all)).toEqual([]);
      expect(await store().scanRecords(ns, all)).toEqual([]);
      expect(await store().passagesOf(ns, [1])).toEqual(new Map([[1, []]]));
      await store().markStale(ns, { vectors: true });
      await store().dropDerived(ns, { vectors: true });
      expect(await store().namespaces()).not.toContain(ns);
    });
  });
}
