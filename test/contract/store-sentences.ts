import { describe, expect, it } from 'vitest';
import type { RecordWrite } from '../../src/store/model.ts';
import { ADMIN_NAMESPACE } from '../../src/store/rules/admin-namespace.ts';
import type { SearchFilter } from '../../src/store/search-model.ts';
import { nearestInTime, neighboursOf, passagesOf, searchVectors } from './queries.ts';
import type { StoreFixture } from './store-contract.ts';
import {
  ALL_LIVE,
  embed,
  evict,
  matchingPassages,
  note,
  NOW,
  pendingEmbeddings,
  unit,
  write,
} from './store-samples.ts';

const EAST: Float32Array = unit(1, 0, 0);
const NORTH: Float32Array = unit(0, 1, 0);

export function describeSentences({ store, namespace, generation }: StoreFixture): void {
  describe('vectors of sentences', () => {
    /** A namespace with one embedded note, and the hash of its content. */
    async function filled(vectors: number): Promise<{ readonly ns: string; readonly hash: string }> {
      const ns = namespace();
      await write(store, ns, note('far'));
      const [{ hash } = { hash: '' }] = await pendingEmbeddings(store, vectors, ns);
      await embed(store, vectors, ns, () => unit(0, 0, 1));
      return { ns, hash };
    }
    const stored = async (ns: string, vectors: number, hash: string): Promise<number[][] | undefined> => {
      const found = (await store.vectors.sentences(ns, vectors, [hash, '00'])).get(hash);
      return found?.map((vector) => [...vector].map((component) => Math.round(component * 50) / 50));
    };

    it('are returned in order, for the contents that have some, and retrieved by no search', async () => {
      const vectors = await generation(3);
      const { ns, hash } = await filled(vectors);
      expect(await stored(ns, vectors, hash)).toBeUndefined();
      await store.vectors.put(ns, vectors, [], new Map([[hash, [NORTH, EAST]]]));
      expect(await stored(ns, vectors, hash)).toEqual([
        [0, 1, 0],
        [1, 0, 0],
      ]);
      const [found] = await searchVectors(store, ns, vectors, EAST, ALL_LIVE, 10);
      expect(found!.score).toBeCloseTo(0, 2);
      expect(await stored(ns, await generation(3), hash)).toBeUndefined();
      expect(await stored(namespace(), vectors, hash)).toBeUndefined();
    });

    it('are compared with a query, by the passages of their contents', async () => {
      const vectors = await generation(3);
      const { ns, hash } = await filled(vectors);
      // The second note has the same content as the first one.
      await write(store, ns, note('far'), note('near'));
      await embed(store, vectors, ns, () => NORTH);
      const { passages } = await store.vectors.pending(ns, 0, { limit: 9 });
      const far = passages.filter(({ text }) => text === 'far').map(({ passage }) => passage);
      const wanted = [...passages.map(({ passage }) => passage), 1_000_000];
      const compare = async (where: string, id = vectors): Promise<unknown> =>
        Array.from(
          await store.vectors.sentenceCosines(where, { generation: id, vector: unit(0.6, 0.8, 0) }, wanted),
          ([passage, cosine]) => [passage, Math.round(cosine * 50) / 50],
        ).sort();
      expect(await compare(ns)).toEqual([]);
      await store.vectors.put(ns, vectors, [], new Map([[hash, [EAST, NORTH, unit(0, 0, 1)]]]));
      expect(far).toHaveLength(2);
      expect(await compare(ns)).toEqual(far.map((passage) => [passage, 0.8]).sort());
      expect(await compare(ns, await generation(3))).toEqual([]);
      expect(await compare(namespace())).toEqual([]);
    });

    it('are kept when they are stored again, also if there are none', async () => {
      const vectors = await generation(3);
      const { ns, hash } = await filled(vectors);
      for (const sentences of [[], [EAST]])
        await store.vectors.put(ns, vectors, [], new Map([[hash, sentences]]));
      expect(await stored(ns, vectors, hash)).toEqual([]);
    });

    it('are not stored for contents without a vector, and for other namespaces', async () => {
      const vectors = await generation(3);
      const { ns, hash } = await filled(vectors);
      const other = namespace();
      for (const each of [other, ns])
        await store.vectors.put(each, vectors, [], new Map([[each === ns ? '00' : hash, [EAST]]]));
      expect(await stored(ns, vectors, hash)).toBeUndefined();
      expect((await store.vectors.sentences(ns, vectors, ['00'])).size).toBe(0);
      expect((await store.vectors.sentences(other, vectors, [hash])).size).toBe(0);
    });

    it('are removed with the vector of the content', async () => {
      const vectors = await generation(3);
      const removals: ((ns: string) => Promise<unknown>)[] = [
        (ns) => store.admin.resetDerived(ns, { text: false, vectors: true }),
        async (ns) => {
          await evict(store, ns, 1);
          await store.admin.compact(ns);
        },
      ];
      for (const remove of removals) {
        const { ns, hash } = await filled(vectors);
        await store.vectors.put(ns, vectors, [], new Map([[hash, [EAST]]]));
        await remove(ns);
        await store.vectors.put(ns, vectors, [{ hash, vector: EAST }]);
        expect(await stored(ns, vectors, hash)).toBeUndefined();
      }
      const { ns, hash } = await filled(vectors);
      await store.vectors.put(ns, vectors, [], new Map([[hash, [EAST]]]));
      expect(await store.vectors.setGeneration(ADMIN_NAMESPACE, { remove: vectors })).toMatchObject({
        removedVectors: 2 + 1,
      });
      await expect(stored(ns, vectors, hash)).rejects.toMatchObject({ code: 'not_found' });
    });

    it('of a removed content do not stay as long as its vector may', async () => {
      const vectors = await generation(3);
      const { ns, hash } = await filled(vectors);
      await write(store, ns, ...Array.from({ length: 30 }, (_, i) => note(`wall ${String(i)}`)));
      await embed(store, vectors, ns, () => NORTH);
      await store.vectors.put(ns, vectors, [], new Map([[hash, [EAST]]]));
      await evict(store, ns, 1);
      // One unused vector of 31 stays.
      await store.admin.compact(ns);
      expect(await stored(ns, vectors, hash)).toBeUndefined();
    });

    it('must have the dimensions of their generation', async () => {
      const vectors = await generation(3);
      const { ns, hash } = await filled(vectors);
      const put = (id: number, vector: Float32Array): Promise<void> =>
        store.vectors.put(ns, id, [], new Map([[hash, [EAST, vector]]]));
      await expect(put(vectors, unit(1, 0))).rejects.toMatchObject({ code: 'embedding_mismatch' });
      await expect(put(1_000_000, EAST)).rejects.toMatchObject({ code: 'not_found' });
      expect(await stored(ns, vectors, hash)).toBeUndefined();
    });
  });
}

function describeTimeQueries({ store, namespace }: StoreFixture): void {
  describe('a query by time', () => {
    it('returns the first passage of each record that passes the filter, the newest first', async () => {
      const ns = namespace();
      const noteAt = (text: string, createdAt: number): RecordWrite =>
        note([text, `${text} goes on`], { createdAt });
      await write(
        store,
        ns,
        noteAt('old', 1),
        noteAt('new', 9),
        noteAt('gone', 8),
        noteAt('as new', 9),
        noteAt('mid', 5),
      );
      await evict(store, ns, 3);
      const newest = async (filter: Partial<SearchFilter>, limit: number): Promise<[number, number][]> => {
        const scores = await nearestInTime(store, ns, { ...ALL_LIVE, ...filter }, limit);
        const found = await passagesOf(
          store,
          ns,
          scores.map(({ passage }) => passage),
          ALL_LIVE,
        );
        expect(found.map(({ ordinal }) => ordinal)).toEqual(found.map(() => 0));
        return scores.map(({ record, score }) => [record, score]);
      };
      expect(await newest({}, 3)).toEqual([
        [2, 9],
        [4, 9],
        [5, 5],
      ]);
      expect(await newest({ from: 2, until: 9 }, 10)).toEqual([[5, 5]]);
      expect(await newest({ project: 'none' }, 10)).toEqual([]);
      expect(await nearestInTime(store, namespace(), ALL_LIVE, 10)).toEqual([]);
    });

    it('orders records by the distance of their time from now, in the past and the future', async () => {
      const ns = namespace();
      const offsets = [-9, 5, -5, 40, 0, 5, -1000, 1, 41, -40];
      await write(store, ns, ...offsets.map((offset) => note('a', { createdAt: NOW + offset })));
      const nearest = async (limit: number, filter: Partial<SearchFilter> = {}): Promise<number[]> =>
        (await nearestInTime(store, ns, { ...ALL_LIVE, ...filter }, limit)).map(({ score }) => score - NOW);
      // Ties are in the order of the writes.
      expect(await nearest(20)).toEqual([0, 1, 5, -5, 5, -9, 40, -40, 41, -1000]);
      for (const limit of [0, 1, 3, 4, 7]) expect(await nearest(limit)).toHaveLength(limit);
      expect(await nearest(4)).toEqual([0, 1, 5, -5]);
      expect(await nearest(7)).toEqual([0, 1, 5, -5, 5, -9, 40]);
      expect(await nearest(20, { from: NOW + 2, until: NOW + 41 })).toEqual([5, 5, 40]);
      expect(await nearest(20, { from: NOW - 40, until: NOW })).toEqual([-5, -9, -40]);
      expect(await nearest(20, { from: NOW - 5, until: NOW + 2 })).toEqual([0, 1, -5]);
      expect(await nearest(3, { now: NOW + 100 })).toEqual([41, 40, 5]);
      expect(await nearest(3, { now: NOW - 2000 })).toEqual([-1000, -40, -9]);
    });
  });
}

export function describeNeighbours(fixture: StoreFixture): void {
  const { store, namespace } = fixture;
  describeTimeQueries(fixture);
  describe('neighbours', () => {
    it('are the other passages of the record, the nearest first, up to the reach', async () => {
      const ns = namespace();
      const session = { metadata: { session: 's' } };
      const other = note('word of another', { metadata: { session: 't' } });
      await write(store, ns, note(['word 0', 'word 1', 'word 2', 'word 3'], session), other);
      const [p0 = 0, p1 = 0, p2 = 0, p3 = 0, single = 0] = await matchingPassages(store, ns, 'word');
      expect(await neighboursOf(store, ns, [p2, p0, single], { before: 2, after: 1 })).toEqual([
        { passage: p2, before: [p1, p0], after: [p3] },
        { passage: p0, before: [], after: [p1] },
        { passage: single, before: [], after: [] },
      ]);
      expect(await neighboursOf(store, ns, [p2], { before: 0, after: 0 })).toEqual([
        { passage: p2, before: [], after: [] },
      ]);
    });

    it('include the turns before and after the record in its session', async () => {
      const ns = namespace();
      const turn = (text: string | string[], session: string | number): ReturnType<typeof note> =>
        note(text, { metadata: { session } });
      await write(
        store,
        ns,
        turn(['word 1a', 'word 1b'], 's'),
        turn('word elsewhere', 't'),
        turn(['word 2a', 'word 2b', 'word 2c'], 's'),
        turn('word 3', 's'),
        turn('word 4', 's'),
      );
      const [a1 = 0, , elsewhere = 0, a2 = 0, b2 = 0, c2 = 0, t3 = 0, t4 = 0] = await matchingPassages(
        store,
        ns,
        'word',
      );
      expect(await neighboursOf(store, ns, [b2, a2, t4, elsewhere], { before: 3, after: 3 })).toEqual([
        { passage: b2, before: [a2, a1], after: [c2, t3, t4] },
        { passage: a2, before: [a1], after: [b2, c2, t3] },
        { passage: t4, before: [t3, a2, a1], after: [] },
        { passage: elsewhere, before: [], after: [] },
      ]);
      await evict(store, ns, 4);
      expect(await neighboursOf(store, ns, [t4], { before: 1, after: 1 })).toEqual([
        { passage: t4, before: [a2], after: [] },
      ]);
    });

    it('are empty for missing passages and for passages without a session', async () => {
      const ns = namespace();
      await write(store, ns, note(['word', 'word']));
      const [first = 0] = await matchingPassages(store, ns, 'word');
      expect(await neighboursOf(store, ns, [first], { before: 1, after: 1 })).toEqual([]);
      expect(await neighboursOf(store, ns, [1_000_000], { before: 1, after: 1 })).toEqual([]);
    });

    it('are loaded with the passages, each once and only if the filter admits it, also in later calls', async () => {
      const ns = namespace();
      const turn = (text: string, project = 'p'): ReturnType<typeof note> =>
        note(text, { project, metadata: { session: 's' } });
      await write(store, ns, turn('word 1'), turn('word 2'), turn('word 3', 'hidden'));
      const [first = 0, second = 0, third = 0] = await matchingPassages(store, ns, 'word');
      const load = async (): Promise<number[][]> => {
        const filter = { ...ALL_LIVE, project: 'p' };
        const loaded = await store.search.passages(ns, [second, first], filter, { before: 1, after: 1 });
        expect(loaded.neighbourhoods[0]).toEqual({ passage: second, before: [first], after: [third] });
        return [loaded.passages.map(({ id }) => id), loaded.passages.map(({ record }) => record.id)];
      };
      for (let i = 0; i < 2; i++)
        expect(await load()).toEqual([
          [second, first],
          [2, 1],
        ]);
      const loaded = await store.search.passages(ns, [first], ALL_LIVE, { before: 1, after: 2 });
      expect(loaded.passages.map(({ text }) => text)).toEqual(['word 1', 'word 2', 'word 3']);
      await write(store, ns, turn('word 4'));
      const later = await store.search.passages(ns, [third], ALL_LIVE, { before: 0, after: 1 });
      expect(later.passages.map(({ text }) => text)).toEqual(['word 3', 'word 4']);
    });
  });
}
