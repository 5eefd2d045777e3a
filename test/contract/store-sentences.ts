import { ADMIN_NAMESPACE } from '../../src/store/rules/admin-namespace.ts';
import { describe, expect, it } from 'vitest';
import type { StoreFixture } from './store-contract.ts';
import { searchVectors } from './queries.ts';
import { ALL_LIVE, embed, evict, note, pendingEmbeddings, unit, write } from './store-samples.ts';

const EAST: Float32Array = unit(1, 0, 0);
const NORTH: Float32Array = unit(0, 1, 0);

export function describeSentences({ store, namespace, generation }: StoreFixture): void {
  describe('vectors of sentences', () => {
    /** A namespace with one embedded note, and the hash of its content. */
    async function filled(vectors: number): Promise<{ readonly ns: string; readonly hash: string }> {
      const ns = namespace();
      await write(store(), ns, note('far'));
      const [{ hash } = { hash: '' }] = await pendingEmbeddings(store(), vectors, ns);
      await embed(store(), vectors, ns, () => unit(0, 0, 1));
      return { ns, hash };
    }
    const stored = async (ns: string, vectors: number, hash: string): Promise<number[][] | undefined> => {
      const found = (await store().vectors.sentences(ns, vectors, [hash, '00'])).get(hash);
      return found?.map((vector) => [...vector].map((component) => Math.round(component * 50) / 50));
    };

    it('are returned in order, for the contents that have some, and retrieved by no search', async () => {
      const vectors = await generation(3);
      const { ns, hash } = await filled(vectors);
      expect(await stored(ns, vectors, hash)).toBeUndefined();
      await store().vectors.put(ns, vectors, [], new Map([[hash, [NORTH, EAST]]]));
      expect(await stored(ns, vectors, hash)).toEqual([
        [0, 1, 0],
        [1, 0, 0],
      ]);
      const [found] = await searchVectors(store(), ns, vectors, EAST, ALL_LIVE, 10);
      expect(found!.score).toBeCloseTo(0, 2);
      expect(await stored(ns, await generation(3), hash)).toBeUndefined();
      expect(await stored(namespace(), vectors, hash)).toBeUndefined();
    });

    it('are compared with a query, by the passages of their contents', async () => {
      const vectors = await generation(3);
      const { ns, hash } = await filled(vectors);
      // The second note has the same content as the first one.
      await write(store(), ns, note('far'), note('near'));
      await embed(store(), vectors, ns, () => NORTH);
      const { passages } = await store().vectors.pending(ns, 0, { limit: 9 });
      const far = passages.filter(({ text }) => text === 'far').map(({ passage }) => passage);
      const wanted = [...passages.map(({ passage }) => passage), 1_000_000];
      const compare = async (where: string, id = vectors): Promise<unknown> =>
        Array.from(
          await store().vectors.sentenceCosines(where, { generation: id, vector: unit(0.6, 0.8, 0) }, wanted),
          ([passage, cosine]) => [passage, Math.round(cosine * 50) / 50],
        ).sort();
      expect(await compare(ns)).toEqual([]);
      await store().vectors.put(ns, vectors, [], new Map([[hash, [EAST, NORTH, unit(0, 0, 1)]]]));
      expect(far).toHaveLength(2);
      expect(await compare(ns)).toEqual(far.map((passage) => [passage, 0.8]).sort());
      expect(await compare(ns, await generation(3))).toEqual([]);
      expect(await compare(namespace())).toEqual([]);
    });

    it('are kept when they are stored again, also if there are none', async () => {
      const vectors = await generation(3);
      const { ns, hash } = await filled(vectors);
      for (const sentences of [[], [EAST]])
        await store().vectors.put(ns, vectors, [], new Map([[hash, sentences]]));
      expect(await stored(ns, vectors, hash)).toEqual([]);
    });

    it('are not stored for contents without a vector, and for other namespaces', async () => {
      const vectors = await generation(3);
      const { ns, hash } = await filled(vectors);
      const other = namespace();
      for (const each of [other, ns])
        await store().vectors.put(each, vectors, [], new Map([[each === ns ? '00' : hash, [EAST]]]));
      expect(await stored(ns, vectors, hash)).toBeUndefined();
      expect((await store().vectors.sentences(ns, vectors, ['00'])).size).toBe(0);
      expect((await store().vectors.sentences(other, vectors, [hash])).size).toBe(0);
    });

    it('are removed with the vector of the content', async () => {
      const vectors = await generation(3);
      const removals: ((ns: string) => Promise<unknown>)[] = [
        (ns) => store().admin.resetDerived(ns, { drop: false, vectors: true }),
        async (ns) => {
          await evict(store(), ns, 1);
          await store().admin.compact(ns);
        },
      ];
      for (const remove of removals) {
        const { ns, hash } = await filled(vectors);
        await store().vectors.put(ns, vectors, [], new Map([[hash, [EAST]]]));
        await remove(ns);
        await store().vectors.put(ns, vectors, [{ hash, vector: EAST }]);
        expect(await stored(ns, vectors, hash)).toBeUndefined();
      }
      const { ns, hash } = await filled(vectors);
      await store().vectors.put(ns, vectors, [], new Map([[hash, [EAST]]]));
      expect(await store().vectors.setGeneration(ADMIN_NAMESPACE, { remove: vectors })).toMatchObject({
        removedVectors: 2 + 1,
      });
      await expect(stored(ns, vectors, hash)).rejects.toMatchObject({ code: 'not_found' });
    });

    it('of a removed content do not stay as long as its vector may', async () => {
      const vectors = await generation(3);
      const { ns, hash } = await filled(vectors);
      await write(store(), ns, ...Array.from({ length: 30 }, (_, i) => note(`wall ${String(i)}`)));
      await embed(store(), vectors, ns, () => NORTH);
      await store().vectors.put(ns, vectors, [], new Map([[hash, [EAST]]]));
      await evict(store(), ns, 1);
      // One unused vector of 31 stays.
      await store().admin.compact(ns);
      expect(await stored(ns, vectors, hash)).toBeUndefined();
    });

    it('must have the dimensions of their generation', async () => {
      const vectors = await generation(3);
      const { ns, hash } = await filled(vectors);
      const put = (id: number, vector: Float32Array): Promise<void> =>
        store().vectors.put(ns, id, [], new Map([[hash, [EAST, vector]]]));
      await expect(put(vectors, unit(1, 0))).rejects.toMatchObject({ code: 'embedding_mismatch' });
      await expect(put(1_000_000, EAST)).rejects.toMatchObject({ code: 'not_found' });
      expect(await stored(ns, vectors, hash)).toBeUndefined();
    });
  });
}
