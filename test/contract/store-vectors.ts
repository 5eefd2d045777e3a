import { describe, expect, it } from 'vitest';
import type { RecordWrite } from '../../src/store/model.ts';
import { ADMIN_NAMESPACE } from '../../src/store/rules/admin-namespace.ts';
import type { PassageScore } from '../../src/store/search-model.ts';
import { cosinesOf, passagesOf, searchVectors } from './queries.ts';
import type { StoreFixture } from './store-contract.ts';
import {
  ALL_LIVE,
  anyOf,
  draft,
  embed,
  evict,
  matchingPassages,
  note,
  NOW,
  passage,
  pendingEmbeddings,
  unit,
  write,
} from './store-samples.ts';

const EAST: Float32Array = unit(1, 0, 0);
const NORTH: Float32Array = unit(0, 1, 0);

/** A unit vector near `EAST`; a greater `step` makes it more distant. */
function nearEast(step: number): Float32Array {
  return unit(1, step / 10, 0);
}

export function describeVectors({ store, namespace, generation }: StoreFixture): void {
  const records = (scores: readonly PassageScore[]): number[] => scores.map(({ record }) => record);

  describe('vector search', () => {
    it('returns the nearest first, with their cosine', async () => {
      const [ns, vectors] = [namespace(), await generation(3)];
      await write(store, ns, note('3'), note('1'), note('2'));
      await embed(store, vectors, ns, (text) => nearEast(Number(text)));
      const scores = await searchVectors(store, ns, vectors, EAST, ALL_LIVE, 10);
      expect(records(scores)).toEqual([2, 3, 1]);
      for (const [i, { score }] of scores.entries()) expect(score).toBeCloseTo(nearEast(i + 1)[0]!, 2);
      expect(records(await searchVectors(store, ns, vectors, EAST, ALL_LIVE, 2))).toEqual([2, 3]);
      expect(records(await searchVectors(store, ns, vectors, unit(-1, 0, 0), ALL_LIVE, 1))).toEqual([1]);
      expect(await searchVectors(store, ns, vectors, EAST, ALL_LIVE, 0)).toEqual([]);
    });

    it('returns the vectors of passages, also of those that share one, and none of another namespace or generation', async () => {
      const [ns, vectors] = [namespace(), await generation(3)];
      await write(store, ns, note('north'), note('east'), note('bare'));
      const [north, east, bare] = await pendingEmbeddings(store, vectors, ns);
      const directions = [NORTH, EAST].map((vector, i) => ({ hash: [north!, east!][i]!.hash, vector }));
      await store.vectors.put(ns, vectors, directions);
      const [fourth = 0] = await write(store, ns, note('east'));
      const query = { by: 'text', text: anyOf('east'), filter: ALL_LIVE, limit: 10 } as const;
      const { lists } = await store.search.retrieve(ns, { queries: [query] });
      const { passage: twin } = lists[0]!.scores.find(({ record }) => record === fourth)!;
      const ids = [bare!.passage, east!.passage, north!.passage, twin, 1_000_000];
      const found = await store.vectors.ofPassages(ns, vectors, ids);
      const rounded = Array.from(found, ([id, vector]) => [id, [...vector].map(Math.round)]);
      expect(Object.fromEntries(rounded)).toEqual({
        [north!.passage]: [0, 1, 0],
        [east!.passage]: [1, 0, 0],
        [twin]: [1, 0, 0],
      });
      expect((await store.vectors.ofPassages(ns, await generation(3), ids)).size).toBe(0);
      expect((await store.vectors.ofPassages(ns, vectors, [])).size).toBe(0);
      expect((await store.vectors.ofPassages(namespace(), vectors, ids)).size).toBe(0);
    });

    it('compares all passages of records, in this order, up to a limit', async () => {
      const [ns, vectors] = [namespace(), await generation(3)];
      await write(store, ns, note(['east', 'north']), note('bare'), note(['north', 'east']));
      const pending = await pendingEmbeddings(store, vectors, ns);
      const directions = { north: NORTH, east: EAST };
      await store.vectors.put(
        ns,
        vectors,
        pending.flatMap(({ hash, text }) =>
          text === 'bare' ? [] : [{ hash, vector: directions[text as keyof typeof directions] }],
        ),
      );
      const cosines = { generation: vectors, vector: EAST };
      const compare = async (
        records: readonly number[],
        limit: number,
        of = ns,
        query: { cosines?: typeof cosines } = { cosines },
      ): Promise<unknown[]> => {
        const request = { queries: [], ...query, records: { ids: records, limit } };
        const { compared } = await store.search.retrieve(of, request);
        const ids = [...compared.values()].flat().map(({ passage }) => passage);
        const texts = new Map((await passagesOf(store, of, ids, ALL_LIVE)).map(({ id, text }) => [id, text]));
        return [...compared].map(([id, ofRecord]) => [
          id,
          ofRecord.map(({ passage, startLine, length, cosine }) => {
            expect(texts.get(passage)).toHaveLength(length);
            return [startLine, cosine === null ? null : Math.round(cosine)];
          }),
        ]);
      };
      const [first, third] = [[1, [[1, 1], [2, 0]]], [3, [[1, 0], [2, 1]]]]; // prettier-ignore
      expect(await compare([3, 2, 99, 1], 10)).toEqual([third, [2, [[1, null]]], first]);
      expect(await compare([1, 3], 3)).toEqual([first, [3, [[1, 0]]]]);
      expect(await compare([3], 10, ns, {})).toEqual([[3, [[1, null], [2, null]]]]); // prettier-ignore
      expect(await compare([], 10)).toEqual([]);
      expect(await compare([1], 10, namespace())).toEqual([]);
      const wrong = { generation: vectors, vector: unit(1, 0) };
      await expect(
        store.search.retrieve(ns, { queries: [], cosines: wrong, records: { ids: [1], limit: 1 } }),
      ).rejects.toMatchObject({ code: 'embedding_mismatch' });
    });

    it('breaks ties by passage', async () => {
      const [ns, vectors] = [namespace(), await generation(3)];
      await write(store, ns, note('c'), note('a'), note('b'));
      const pending = await pendingEmbeddings(store, vectors, ns);
      for (const { hash } of pending.toReversed()) {
        await store.vectors.put(ns, vectors, [{ hash, vector: NORTH }]);
      }
      expect(records(await searchVectors(store, ns, vectors, EAST, ALL_LIVE, 10))).toEqual([1, 2, 3]);
      expect(records(await searchVectors(store, ns, vectors, NORTH, ALL_LIVE, 1))).toEqual([1]);
    });

    it.each([1, 3, 384, 768, 1000])('accepts vectors of %i dimensions', async (dimensions) => {
      const [ns, vectors] = [namespace(), await generation(dimensions)];
      await write(store, ns, ...Array.from({ length: 5 }, (_, i) => note(String(i))));
      const vectorOf = (seed: number): Float32Array =>
        unit(...Array.from({ length: dimensions }, (_, i) => Math.sin(seed + 1 + i * (seed + 2))));
      await embed(store, vectors, ns, (text) => vectorOf(Number(text)));
      const [best] = await searchVectors(store, ns, vectors, vectorOf(3), ALL_LIVE, 5);
      expect(best).toMatchObject({ score: expect.closeTo(1, 2) as number });
      if (dimensions > 1) expect(best?.record).toBe(4);
    });

    it('never compares vectors of two generations', async () => {
      const [ns, one, other] = [namespace(), await generation(3), await generation(3)];
      await write(store, ns, note('a'), note('b'));
      const [first, second] = await pendingEmbeddings(store, one, ns);
      await store.vectors.put(ns, one, [{ hash: first!.hash, vector: EAST }]);
      await store.vectors.put(ns, other, [{ hash: second!.hash, vector: EAST }]);
      for (const [vectors, record] of [
        [one, 1],
        [other, 2],
      ] as const) {
        expect(records(await searchVectors(store, ns, vectors, EAST, ALL_LIVE, 10))).toEqual([record]);
        expect(records(await cosinesOf(store, ns, vectors, EAST, anyOf('a', 'b')))).toEqual([record]);
      }
    });

    it('rejects vectors of another length or with NaN, and unknown generations', async () => {
      const [ns, vectors] = [namespace(), await generation(3)];
      await write(store, ns, note('a'));
      const [{ hash } = { hash: '' }] = await pendingEmbeddings(store, vectors, ns);
      const calls = (id: number, vector: Float32Array): (() => Promise<unknown>)[] => [
        () => store.vectors.put(ns, id, [{ hash, vector }]),
        () => searchVectors(store, ns, id, vector, ALL_LIVE, 5),
        () => cosinesOf(store, ns, id, vector, anyOf('a')),
      ];
      for (const call of calls(vectors, unit(1, 0)))
        await expect(call()).rejects.toMatchObject({ code: 'embedding_mismatch' });
      for (const call of calls(vectors, Float32Array.of(NaN, 0, 0)))
        await expect(call()).rejects.toMatchObject({ code: 'invalid_input' });
      for (const call of calls(1_000_000, EAST))
        await expect(call()).rejects.toMatchObject({ code: 'not_found' });
      const mixed = [
        { hash, vector: EAST },
        { hash: '00', vector: unit(1, 0) },
      ];
      await expect(store.vectors.put(ns, vectors, mixed)).rejects.toThrow();
      expect(await pendingEmbeddings(store, vectors, ns)).toHaveLength(1);
    });

    it('removes a generation with its vectors in all namespaces, but not the active one', async () => {
      const [ns, other, kept, removed] = [namespace(), namespace(), await generation(3), await generation(3)];
      for (const each of [ns, other]) {
        await write(store, each, note('1'), note('2'));
        for (const vectors of [kept, removed])
          await embed(store, vectors, each, (text) => nearEast(Number(text)));
      }
      await searchVectors(store, ns, removed, EAST, ALL_LIVE, 10);
      expect(await store.vectors.setGeneration(ADMIN_NAMESPACE, { remove: removed })).toMatchObject({
        removedVectors: 4,
      });
      for (const each of [ns, other])
        expect(records(await searchVectors(store, each, kept, EAST, ALL_LIVE, 10))).toEqual([1, 2]);
      await expect(searchVectors(store, ns, removed, EAST, ALL_LIVE, 10)).rejects.toMatchObject({
        code: 'not_found',
      });
      // A process that still works with the removed one must not write into another.
      const next = await generation(3);
      expect(next).toBeGreaterThan(removed);
      await expect(store.vectors.put(ns, removed, [{ hash: '00', vector: EAST }])).rejects.toMatchObject({
        code: 'not_found',
      });
      expect(await searchVectors(store, ns, next, EAST, ALL_LIVE, 10)).toEqual([]);
      expect((await store.vectors.pending(ns, next, { totals: true })).texts).toBe(2);
      expect(await store.admin.verify(ns)).toEqual([]);
      await expect(store.vectors.setGeneration(ADMIN_NAMESPACE, { remove: 123_456 })).rejects.toMatchObject({
        code: 'not_found',
      });
      const before = (await store.vectors.generations(ADMIN_NAMESPACE)).find(({ active }) => active);
      await store.vectors.setGeneration(ADMIN_NAMESPACE, { activate: kept });
      await expect(store.vectors.setGeneration(ADMIN_NAMESPACE, { remove: kept })).rejects.toMatchObject({
        code: 'conflict',
      });
      if (before !== undefined) await store.vectors.setGeneration(ADMIN_NAMESPACE, { activate: before.id });
    });

    it('stores the vector of a content once, and finds all passages with this content', async () => {
      const [ns, vectors] = [namespace(), await generation(3)];
      await write(store, ns, note('same'), note('other'), note('same'));
      await embed(store, vectors, ns, (text) => (text === 'same' ? EAST : NORTH));
      expect(records(await searchVectors(store, ns, vectors, EAST, ALL_LIVE, 10))).toEqual([1, 3, 2]);
      expect(records(await searchVectors(store, ns, vectors, EAST, ALL_LIVE, 1))).toEqual([1]);
      await evict(store, ns, 1);
      expect(records(await searchVectors(store, ns, vectors, EAST, ALL_LIVE, 10))).toEqual([3, 2]);
      await write(store, ns, note('same'));
      expect(await pendingEmbeddings(store, vectors, ns)).toEqual([]);
      expect(records(await searchVectors(store, ns, vectors, EAST, ALL_LIVE, 10))).toEqual([3, 4, 2]);
    });

    it('does not replace the vector of a content', async () => {
      const [ns, vectors] = [namespace(), await generation(3)];
      await write(store, ns, note('a'));
      const [{ hash } = { hash: '' }] = await pendingEmbeddings(store, vectors, ns);
      for (const vector of [EAST, NORTH]) await store.vectors.put(ns, vectors, [{ hash, vector }]);
      const [score] = await cosinesOf(store, ns, vectors, EAST, anyOf('a'));
      expect(score?.score).toBeCloseTo(1, 2);
    });

    it('returns the cosines of the passages with a vector that only text queries found', async () => {
      const [ns, vectors] = [namespace(), await generation(3)];
      await write(store, ns, note('word a'), note('word b'), note('word c'), note('other'));
      await embed(store, vectors, ns, (text) => (text === 'word b' ? NORTH : EAST));
      await write(store, ns, note('word d'));
      const [a, b, c] = await matchingPassages(store, ns, 'word');
      const vector = { generation: vectors, vector: EAST };
      const { lists, cosines } = await store.search.retrieve(ns, {
        queries: [
          { by: 'text', text: anyOf('word'), filter: ALL_LIVE, limit: 10 },
          { by: 'vector', vector, filter: ALL_LIVE, limit: 1 },
          { by: 'time', filter: ALL_LIVE, limit: 10 },
        ],
        cosines: vector,
      });
      expect(lists.map(({ scores }) => scores.length)).toEqual([4, 1, 5]);
      const rounded = cosines.map(({ passage, record, score }) => [passage, record, Math.round(score)]);
      expect(records(lists[1]!.scores)).toEqual([1]);
      expect(a).toBe(lists[1]!.scores[0]!.passage);
      expect(rounded.toSorted(([p = 0], [q = 0]) => p - q)).toEqual([
        [b, 2, 0],
        [c, 3, 1],
      ]);
    });

    it('returns the cosines of given passages too, each once, whatever found them', async () => {
      const [ns, vectors] = [namespace(), await generation(3)];
      await write(store, ns, note('word a'), note('other b'), note('other c'), note('other d'));
      await embed(store, vectors, ns, (text) => (text === 'other c' ? NORTH : EAST));
      await write(store, ns, note('no vector'));
      const idOf = async (word: string): Promise<number> => (await matchingPassages(store, ns, word))[0]!;
      const [a, c, d, bare] = [await idOf('word'), await idOf('c'), await idOf('d'), await idOf('vector')];
      const vector = { generation: vectors, vector: EAST };
      const { cosines } = await store.search.retrieve(ns, {
        queries: [{ by: 'text', text: anyOf('word'), filter: ALL_LIVE, limit: 10 }],
        cosines: vector,
        compared: [d, c, a, c, bare, 999_999],
      });
      const rounded = cosines.map(({ passage, record, score }) => [passage, record, Math.round(score)]);
      expect(rounded.toSorted(([p = 0], [q = 0]) => p - q)).toEqual([
        [a, 1, 1],
        [c, 3, 0],
        [d, 4, 1],
      ]);
    });

    it('finds the passages that pass a filter even if many others are nearer', async () => {
      const [ns, vectors] = [namespace(), await generation(3)];
      const many = Array.from({ length: 1500 }, (_, i) => note(`near ${String(i)}`, { project: 'near' }));
      const few = [
        note('far 1', { project: 'far' }),
        note('far 2', { project: 'far', expiresAt: NOW }),
        note('far 3', { project: 'far' }),
      ];
      await write(store, ns, ...many, ...few);
      await embed(store, vectors, ns, (text) =>
        text.startsWith('near') ? EAST : unit(-1, Number(text.slice(4)), 0),
      );
      const scores = await searchVectors(store, ns, vectors, EAST, { now: NOW, project: 'far' }, 10);
      expect(records(scores)).toEqual([1503, 1501]);
    });

    it('finds live passages even if many expired or removed ones are nearer', async () => {
      const [ns, vectors] = [namespace(), await generation(3)];
      const expired = Array.from({ length: 500 }, (_, i) => note(`near ${String(i)}`, { expiresAt: NOW }));
      await write(store, ns, ...expired, note('far'));
      await embed(store, vectors, ns, (text) => (text === 'far' ? NORTH : EAST));
      const removed = Array.from({ length: 6000 }, (_, i) => i.toString(16).padStart(32, '0'));
      await store.vectors.put(
        ns,
        vectors,
        removed.map((hash) => ({ hash, vector: EAST })),
      );
      expect(records(await searchVectors(store, ns, vectors, EAST, ALL_LIVE, 10))).toEqual([501]);
      await store.admin.compact(ns);
      expect(records(await searchVectors(store, ns, vectors, EAST, ALL_LIVE, 10))).toEqual([501]);
    });

    it('reflects additions and removals between searches', async () => {
      const [ns, vectors] = [namespace(), await generation(3)];
      const search = async (): Promise<number[]> =>
        records(await searchVectors(store, ns, vectors, EAST, ALL_LIVE, 10));
      expect(await search()).toEqual([]);
      await write(store, ns, note('1'), note('2'));
      expect(await search()).toEqual([]);
      await embed(store, vectors, ns, (text) => nearEast(Number(text)));
      expect(await search()).toEqual([1, 2]);
      await write(store, ns, note('0'));
      await embed(store, vectors, ns, (text) => nearEast(Number(text)));
      expect(await search()).toEqual([3, 1, 2]);
      await evict(store, ns, 1);
      expect(await search()).toEqual([3, 2]);
      await store.admin.compact(ns);
      expect(await search()).toEqual([3, 2]);
      await store.admin.resetDerived(ns, { text: true, vectors: true });
      expect(await search()).toEqual([]);
    });
  });
}

export function describePendingEmbeddings({ store, namespace, generation }: StoreFixture): void {
  describe('pending embeddings', () => {
    it('are the passages whose content has no vector, with the parts of the text to embed', async () => {
      const [ns, vectors] = [namespace(), await generation(3)];
      const written = passage('words', { headings: ['A', 'B'], context: 'Kitchen' });
      const metadata = { speaker: 'Ada' };
      await write(store, ns, { id: null, draft: draft({ title: 'Title', metadata }), passages: [written] });
      const [pending] = await pendingEmbeddings(store, vectors, ns);
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
      await write(store, ns, updated(['a', 'b', 'c'], NOW));
      await write(store, other, updated(['a', 'b'], NOW));
      await write(store, ns, updated(['d'], NOW + 1), updated(['e', 'f'], NOW + 1));
      const found = (await store.vectors.pending(ns, vectors, { limit: 10 })).passages;
      expect(found.map(({ record, ordinal, text }) => [record, ordinal, text])).toEqual([
        [2, 0, 'd'],
        [3, 0, 'e'],
        [1, 0, 'a'],
        [3, 1, 'f'],
        [1, 1, 'b'],
        [1, 2, 'c'],
      ]);
      expect((await store.vectors.pending(ns, vectors, { limit: 2 })).passages).toEqual(found.slice(0, 2));
    });

    it('are counted once for each content', async () => {
      const [ns, vectors] = [namespace(), await generation(3)];
      const before = (await store.vectors.pending(ns, vectors, { totals: true })).texts;
      await write(store, ns, note('same'), note('same'), note('other'));
      expect((await store.vectors.pending(ns, vectors, { totals: true })).texts - before).toBe(2);
      expect((await store.vectors.pending(ns, vectors, { totals: true })).bytes).toBe('sameother'.length);
      await embed(store, vectors, ns, () => unit(1, 0, 0));
      expect((await store.vectors.pending(ns, vectors, { totals: true })).texts).toBe(before);
      expect(await pendingEmbeddings(store, vectors, ns)).toEqual([]);
    });

    it('are separate for each generation', async () => {
      const [ns, one, other] = [namespace(), await generation(3), await generation(3)];
      await write(store, ns, note('a'));
      await embed(store, one, ns, () => unit(1, 0, 0));
      expect(await pendingEmbeddings(store, one, ns)).toHaveLength(0);
      expect(await pendingEmbeddings(store, other, ns)).toHaveLength(1);
    });
  });

  describe('generations', () => {
    it('are unique by provider, model and dimensions, and at most one is active', async () => {
      const spec = { provider: 'p', model: 'm', dimensions: 3 };
      const added = await store.vectors.setGeneration(ADMIN_NAMESPACE, { add: spec });
      expect(added).toEqual({ ...spec, id: added.id, active: false, removedVectors: 0 });
      expect(await store.vectors.setGeneration(ADMIN_NAMESPACE, { add: spec })).toEqual(added);
      const wider = await store.vectors.setGeneration(ADMIN_NAMESPACE, { add: { ...spec, dimensions: 4 } });
      expect(wider.id).not.toBe(added.id);
      for (const { id } of [added, wider, added]) {
        await store.vectors.setGeneration(ADMIN_NAMESPACE, { activate: id });
        const active = (await store.vectors.generations(ADMIN_NAMESPACE)).filter(({ active }) => active);
        expect(active.map((each) => each.id)).toEqual([id]);
      }
      expect(await store.vectors.setGeneration(ADMIN_NAMESPACE, { add: spec })).toMatchObject({
        id: added.id,
        active: true,
      });
      await expect(
        store.vectors.setGeneration(ADMIN_NAMESPACE, { activate: 1_000_000 }),
      ).rejects.toMatchObject({
        code: 'not_found',
      });
      expect((await store.vectors.generations(ADMIN_NAMESPACE)).filter(({ active }) => active)).toHaveLength(
        1,
      );
    });
  });
}
