import { ADMIN_NAMESPACE } from '../../src/store/rules/admin-namespace.ts';
import { describe, expect, it } from 'vitest';
import type { StoreFixture } from './store-contract.ts';
import { replacePassages } from './written-samples.ts';
import { cosinesOf, neighboursOf, passagesOf, searchText, searchVectors } from './queries.ts';
import {
  ALL_LIVE,
  anyOf,
  chunkedRecord,
  countNotesWithKeys,
  draft,
  embed,
  evict,
  matchingPassages,
  note,
  notesWithKey,
  NOW,
  statsOf,
  unit,
  write,
} from './store-samples.ts';

export function describeIsolation({ store, namespace, generation }: StoreFixture): void {
  describe('namespaces', () => {
    it('do not affect each other’s results and scores', async () => {
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
      const readAll = async (): Promise<unknown> => {
        const ids = await matchingPassages(store(), ours, 'worktop');
        return {
          text: await searchText(store(), ours, anyOf('marble', 'worktop'), ALL_LIVE, 10),
          vectors: await searchVectors(store(), ours, vectors, unit(1, 2, 3), ALL_LIVE, 10),
          cosines: await cosinesOf(store(), ours, vectors, unit(1, 2, 3), anyOf('worktop')),
          terms: (await store().search.terms(ours, ['worktop', 'wrktop', 'secret'])).terms,
          neighbours: await neighboursOf(store(), ours, ids, { before: 5, after: 5 }),
          passages: await passagesOf(store(), ours, ids, ALL_LIVE),
          records: await store().records.list(ours, { scan: 'undeleted' }, { after: null, limit: 10 }),
          byKey: await notesWithKey(store(), ours, 'k'),
          entries: await store().records.sourceEntries(ours, 'notes', { after: null, limit: 10 }),
          timeline: await store().records.timeline(ours, {
            filter: ALL_LIVE,
            around: { record: 1 },
            before: 50,
            after: 50,
          }),
          table: await store().records.table(
            ours,
            { filter: ALL_LIVE, sort: 'title', descending: false },
            { after: null, limit: 50 },
          ),
          histogram: await store().records.histogram(ours, ALL_LIVE, [0, NOW * 2]),
          stats: await statsOf(store(), ours),
        };
      };
      const before = await readAll();

      const similar = Array.from({ length: 50 }, (_, i) =>
        note(`marble worktop secret worktops ${'pad '.repeat(i)}`, { metadata: session }),
      );
      await write(store(), theirs, note('marble worktop', { uuid, key: 'k' }), ...similar);
      await embed(store(), vectors, theirs, (text) => unit(1, text.length, 2));
      expect(await readAll()).toEqual(before);
      await evict(store(), theirs, 1, 3, 5);
      await store().admin.resetDerived(theirs, { drop: false, vectors: true });
      expect(await readAll()).toEqual(before);
      await store().admin.resetDerived(theirs, { drop: true, vectors: true });
      await store().admin.compact(theirs);
      expect(await readAll()).toEqual(before);
    });

    it('do not return data of another namespace, whatever the id', async () => {
      const [ours, theirs] = [namespace(), namespace()];
      const vectors = await generation(3);
      await write(store(), ours, note('ours'));
      const shared = note(['secret', 'secret too'], { metadata: { session: 's' } });
      await write(store(), theirs, shared, note('secret three', { metadata: { session: 's' } }));
      const foreign = await matchingPassages(store(), theirs, 'secret');
      expect(foreign).toHaveLength(3);
      await embed(store(), vectors, theirs, () => unit(1, 0, 0));
      expect(await passagesOf(store(), ours, foreign, ALL_LIVE)).toEqual([]);
      expect(await neighboursOf(store(), ours, foreign, { before: 3, after: 3 })).toEqual([]);
      const mix = { passage: foreign[0]!, share: 1 };
      const query = { by: 'vector' as const, vector: { generation: vectors, vector: unit(0, 1, 0) }, mix };
      await embed(store(), vectors, ours, () => unit(0, 1, 0));
      const { lists } = await store().search.retrieve(ours, {
        queries: [{ ...query, filter: ALL_LIVE, limit: 5 }],
      });
      expect(lists[0]?.scores).toMatchObject([{ record: 1, score: expect.closeTo(1, 2) as number }]);
      expect(await store().records.get(ours, [2, 3], { liveAt: NOW })).toEqual([]);
      expect(await store().records.passagesOf(ours, [2])).toEqual(new Map([[2, []]]));
      expect((await store().search.terms(ours, ['secret', 'secrt'])).terms).toEqual([
        { word: 'secret', passages: 0, near: [] },
        { word: 'secrt', passages: 0, near: [] },
      ]);
      const secret = (await store().records.list(theirs, { scan: 'undeleted' }, { after: 1, limit: 1 }))[0];
      await replacePassages(store(), ours, 'other', new Map([[2, chunkedRecord(secret, [])]]));
      expect(await matchingPassages(store(), theirs, 'secret')).toEqual(foreign);
    });

    it('do not share vectors, even of the same content', async () => {
      const [ours, theirs] = [namespace(), namespace()];
      const vectors = await generation(3);
      const shared = note('the same words');
      await write(store(), ours, shared);
      await write(store(), theirs, shared);
      const [{ hash } = { hash: '' }] = (await store().records.passagesOf(ours, [1])).get(1) ?? [];
      await store().vectors.put(theirs, vectors, [{ hash, vector: unit(1, 0, 0) }]);
      expect(await searchVectors(store(), ours, vectors, unit(1, 0, 0), ALL_LIVE, 5)).toEqual([]);
      expect(await searchVectors(store(), theirs, vectors, unit(1, 0, 0), ALL_LIVE, 5)).toHaveLength(1);
    });

    it('may have any name', async () => {
      for (const name of ['', ' ', '../x', "'; DROP TABLE record; --", '__proto__', 'Ünïcode 名', 'A', 'a']) {
        const ns = `${namespace()}${name}`;
        await write(store(), ns, note('text'));
        expect(await store().admin.namespaces(ADMIN_NAMESPACE)).toContain(ns);
        expect(await matchingPassages(store(), ns, 'text')).toHaveLength(1);
      }
    });

    it('return empty results if they are empty', async () => {
      const ns = namespace();
      const vectors = await generation(3);
      const all = { after: null, limit: 10 };
      expect(await store().records.get(ns, [1], { liveAt: NOW })).toEqual([]);
      expect(await notesWithKey(store(), ns, 'k')).toEqual([]);
      expect(await countNotesWithKeys(store(), ns, ['k'])).toEqual([0]);
      expect(await store().records.sourceEntries(ns, 's', all)).toEqual([]);
      expect(await searchText(store(), ns, anyOf('x'), ALL_LIVE, 5)).toEqual([]);
      expect(await searchVectors(store(), ns, vectors, unit(1, 0, 0), ALL_LIVE, 5)).toEqual([]);
      expect(await cosinesOf(store(), ns, vectors, unit(1, 0, 0), anyOf('x'))).toEqual([]);
      expect((await store().search.terms(ns, ['word'])).terms).toEqual([
        { word: 'word', passages: 0, near: [] },
      ]);
      expect(await neighboursOf(store(), ns, [1], { before: 1, after: 1 })).toEqual([]);
      expect(await passagesOf(store(), ns, [1], ALL_LIVE)).toEqual([]);
      expect(await store().records.list(ns, { scan: 'stale', chunking: 'c' }, all)).toEqual([]);
      expect(await store().records.list(ns, { scan: 'undeleted' }, all)).toEqual([]);
      expect(await store().records.passagesOf(ns, [1])).toEqual(new Map([[1, []]]));
      await store().admin.resetDerived(ns, { drop: false, vectors: true });
      await store().admin.resetDerived(ns, { drop: true, vectors: true });
      expect(await store().admin.namespaces(ADMIN_NAMESPACE)).not.toContain(ns);
    });
  });
}
