import { idsOf, replacePassages } from './written-samples.ts';
import { describe, expect, it } from 'vitest';
import { MAX_PAGE_CHARACTERS } from '../../src/store/rules/record-page.ts';
import type { LociRecord } from '../../src/core/types.ts';
import type { Page, RecordDraft } from '../../src/store/model.ts';
import { layoutChanges, storedLayout } from '../../src/store/items/kinds.ts';
import type { StoreFixture } from './store-contract.ts';
import { searchText, searchVectors } from './queries.ts';
import {
  ALL_LIVE,
  anyOf,
  chunkCurrentRecords,
  chunkedRecord,
  CHUNKING,
  draft,
  embed,
  evict,
  matchingPassages,
  matchingRecords,
  note,
  NOW,
  passage,
  pendingEmbeddings,
  statsOf,
  unit,
  write,
} from './store-samples.ts';

export function describeMaintenance({ store, namespace, generation }: StoreFixture): void {
  const undeleted = async (ns: string, page: Page<number>): Promise<number[]> =>
    idsOf(await store.records.list(ns, { scan: 'undeleted' }, page));
  const staleRecords = (ns: string): Promise<LociRecord[]> =>
    store.records.list(ns, { scan: 'stale', chunking: CHUNKING }, { after: null, limit: 99 });
  const staleIds = async (ns: string, chunking: string, page: Page<number>): Promise<number[]> =>
    idsOf(await store.records.list(ns, { scan: 'stale', chunking }, page));

  describe('stats', () => {
    it('count records, passages and vectors', async () => {
      const [ns, vectors] = [namespace(), await generation(3)];
      const sources = ['a', 'constructor', '__proto__', 'a'];
      const notes = sources.map((source, i) =>
        note(`word${String(i)} common`, { source, origin: i === 1 ? 'memory' : 'vault' }),
      );
      await write(store, ns, ...notes);
      await embed(store, vectors, ns, () => unit(1, 0, 0));
      await evict(store, ns, 4);
      expect(await statsOf(store, ns)).toEqual({
        records: 3,
        deleted: 0,
        passages: 3,
        terms: 4,
        vectors: 4,
        texts: 3,
        embedded: new Map([[vectors, 3]]),
        byOrigin: { vault: 2, memory: 1 },
        bySource: JSON.parse('{"a": 1, "constructor": 1, "__proto__": 1}') as Record<string, number>,
      });
    });
  });

  describe('maintenance', () => {
    it('scans records in pages', async () => {
      const ns = namespace();
      await write(
        store,
        ns,
        ...Array.from({ length: 5 }, (_, i) => note(String(i), { expiresAt: i === 1 ? NOW : null })),
      );
      await evict(store, ns, 3);
      expect(await undeleted(ns, { after: null, limit: 2 })).toEqual([1, 2]);
      expect(await undeleted(ns, { after: 2, limit: 2 })).toEqual([4, 5]);
      expect(await store.records.list(ns, { scan: 'undeleted' }, { after: 5, limit: 2 })).toEqual([]);
    });

    it('limits the length of the contents in a page, which has at least one record', async () => {
      const ns = namespace();
      const half = 'x'.repeat(MAX_PAGE_CHARACTERS / 2);
      const contents = [`${half}${half}x`, half, half, 'short', half];
      await write(
        store,
        ns,
        ...contents.map((content) => ({ id: null, draft: draft({ content }), passages: [] })),
      );
      const page = async (after: number): Promise<number[][]> => [
        await undeleted(ns, { after, limit: 9 }),
        await staleIds(ns, 'new', { after, limit: 9 }),
      ];
      expect(await page(0)).toEqual([[1], [1]]);
      expect(await page(1)).toEqual([
        [2, 3],
        [2, 3],
      ]);
      expect(await page(3)).toEqual([
        [4, 5],
        [4, 5],
      ]);
      expect(await page(5)).toEqual([[], []]);
    });

    it('finds records whose passages were made by another chunking', async () => {
      const ns = namespace();
      await write(store, ns, note('1'), note('2'));
      await store.records.commit(ns, { writes: [note('3')], chunking: 'other' });
      expect(await staleIds(ns, CHUNKING, { after: null, limit: 9 })).toEqual([3]);
      expect(await staleIds(ns, 'new', { after: 1, limit: 1 })).toEqual([2]);
      const { draft: changed } = note('1', { title: 'renamed' });
      await store.records.commit(ns, {
        writes: [{ id: 1, draft: changed, passages: 'keep' }],
        chunking: 'other',
      });
      expect(await staleIds(ns, 'other', { after: null, limit: 9 })).toEqual([1, 2]);
    });

    it('replaces passages', async () => {
      const ns = namespace();
      await write(store, ns, note(['marble', 'granite'], { title: 'Worktop' }), note('lamp'));
      const replacement = [
        passage('marble and', { endLine: 3 }),
        passage('steel', { ordinal: 1, startLine: 4, endLine: 9 }),
      ];
      await replacePassages(
        store,
        ns,
        'new',
        await chunkCurrentRecords(store, ns, new Map([[1, replacement]])),
      );
      expect(await store.records.passagesOf(ns, [2, 1, 99])).toEqual(
        new Map([
          [2, [passage('lamp')]],
          [1, replacement],
          [99, []],
        ]),
      );
      expect(await staleIds(ns, 'new', { after: null, limit: 9 })).toEqual([2]);
      expect(await matchingRecords(store, ns, 'granite')).toEqual([]);
      expect(await matchingRecords(store, ns, 'steel')).toEqual([1]);
      expect(await matchingRecords(store, ns, 'worktop')).toEqual([1, 1]);
    });

    it('marks all passages as stale, which are found until they are replaced', async () => {
      const [ns, vectors] = [namespace(), await generation(3)];
      const written = await write(store, ns, note(['marble', 'granite']), note('lamp'), note('steel'));
      await embed(store, vectors, ns, () => unit(1, 0, 0));
      const readPassages = (): Promise<number[][]> =>
        Promise.all(['marble', 'granite', 'lamp', 'steel'].map((word) => matchingPassages(store, ns, word)));
      const before = await readPassages();
      expect(before.map((found) => found.length)).toEqual([1, 1, 1, 1]);
      await store.admin.resetDerived(ns, { text: false, vectors: false });
      expect(await staleIds(ns, CHUNKING, { after: null, limit: 9 })).toEqual(written);
      expect(await readPassages()).toEqual(before);
      expect(await pendingEmbeddings(store, vectors, ns)).toEqual([]);
      const passages = await store.records.passagesOf(ns, written);
      await replacePassages(
        store,
        ns,
        CHUNKING,
        await chunkCurrentRecords(store, ns, new Map([...passages].slice(0, 2))),
      );
      expect(await staleIds(ns, CHUNKING, { after: null, limit: 9 })).toEqual([3]);
      expect(await readPassages()).toEqual(before);
      await store.admin.resetDerived(ns, { text: false, vectors: true });
      expect((await statsOf(store, ns))?.vectors).toBe(0);
      expect(await pendingEmbeddings(store, vectors, ns)).toHaveLength(4);
      expect(await store.admin.verify(ns)).toEqual([]);
    });

    it('forgets the positions of the graph, which belong to a namespace, and keeps those of few audiences', async () => {
      const [ns, other] = [namespace(), namespace()];
      const layout = { graph: 'a'.repeat(64), ids: ['n_1', 'n_2'], x: [-0.5, 12], y: [0, 3.1] };
      for (let at = 1; at <= 9; at++)
        await store.records.commit(ns, { items: layoutChanges(String(at), at, layout) });
      expect(await storedLayout(store.records, ns, '9')).toEqual(layout);
      expect(await storedLayout(store.records, ns, '1')).toBeNull();
      expect(await storedLayout(store.records, other, '9')).toBeNull();
      await store.records.commit(other, { items: layoutChanges('9', 1, layout) });
      await store.admin.resetDerived(ns, { text: false, vectors: false });
      expect(await storedLayout(store.records, ns, '9')).toBeNull();
      expect(await storedLayout(store.records, other, '9')).toEqual(layout);
    });

    it('does not replace passages of a record that was written since it was found stale', async () => {
      const ns = namespace();
      await store.records.commit(ns, { writes: [note('former text')], chunking: 'old' });
      const [stale] = await staleRecords(ns);
      const replacements = new Map([
        [1, chunkedRecord(stale, [passage(stale!.content)])],
        [99, chunkedRecord(stale, [passage('unknown')])],
      ]);
      await write(store, ns, { ...note('newer text'), id: 1 });
      await replacePassages(store, ns, CHUNKING, replacements);
      expect(await matchingRecords(store, ns, 'newer')).toEqual([1]);
      expect(await matchingRecords(store, ns, 'former', 'unknown')).toEqual([]);
    });

    it('leaves a record stale if it changed after its passages were cut', async () => {
      const ns = namespace();
      const changes: Partial<RecordDraft>[] = [
        { content: 'newer text' },
        { title: 'newer title' },
        { metadata: { speaker: 'Tove' } },
        { tags: ['newer'] },
        { origin: 'source', tags: ['newer'] },
        { origin: 'source', project: 'newer' },
      ];
      const written = await write(
        store,
        ns,
        ...changes.map(({ origin = 'vault' }) => note('former text', { origin })),
      );
      await store.admin.resetDerived(ns, { text: false, vectors: false });
      const stale = await staleRecords(ns);
      const replacements = new Map(
        stale.map((record) => [record.id, chunkedRecord(record, [passage('replaced text')])]),
      );
      await write(
        store,
        ns,
        ...changes.map((fields, i) => ({
          ...note(fields.content ?? 'former text', fields),
          id: written[i]!,
        })),
      );
      // Another reindex begins before the passages of the first are stored.
      await store.admin.resetDerived(ns, { text: false, vectors: false });
      await replacePassages(store, ns, CHUNKING, replacements);
      expect(await staleIds(ns, CHUNKING, { after: null, limit: 9 })).toEqual([1, 2, 3, 5, 6]);
      expect(await matchingRecords(store, ns, 'replaced')).toEqual([4]);
      expect(await matchingRecords(store, ns, 'newer')).toContain(1);
    });

    it('rejects passages for an unknown namespace', async () => {
      await expect(replacePassages(store, namespace(), 'c', new Map())).rejects.toMatchObject({
        code: 'not_found',
      });
    });

    it('rebuilds the same derived data from the canonical records', async () => {
      const [ns, vectors] = [namespace(), await generation(3)];
      const notes = Array.from({ length: 12 }, (_, i) =>
        note([`oven ${'sink '.repeat(i)}`, `lamp ${String(i)}`], { title: `Note ${String(i)}` }),
      );
      const written = await write(store, ns, ...notes);
      await write(store, ns, ...notes.slice(0, 6).map((one, i) => ({ ...one, id: written[i]! })));
      await evict(store, ns, ...written.slice(8));
      await embed(store, vectors, ns, (text) => unit(1, text.length, 2));
      const readDerived = async (): Promise<unknown> => ({
        text: (await searchText(store, ns, anyOf('oven', 'sink', 'note'), ALL_LIVE, 50)).map(
          ({ record, score }) => [record, score.toFixed(9)],
        ),
        near: (await searchVectors(store, ns, vectors, unit(1, 9, 2), ALL_LIVE, 50)).map(
          ({ record, score }) => [record, score],
        ),
        words: (await store.search.terms(ns, ['oven', 'ovne', 'lamps'])).terms,
      });
      const before = await readDerived();
      const passages = await store.records.passagesOf(ns, written);
      await store.admin.resetDerived(ns, { text: true, vectors: false });
      expect(await readDerived()).toEqual(before);
      const stale = await staleRecords(ns);
      expect(idsOf(stale)).toEqual(written.slice(0, 8));
      // The records are replaced in the order of their last writes, so that the order of ties does not change.
      const order = [...written.slice(6, 8), ...written.slice(0, 6)];
      await replacePassages(
        store,
        ns,
        CHUNKING,
        await chunkCurrentRecords(store, ns, new Map(order.map((id) => [id, passages.get(id) ?? []]))),
      );
      expect(await readDerived()).toEqual(before);
      expect(await pendingEmbeddings(store, vectors, ns)).toEqual([]);
      expect(await store.admin.verify(ns)).toEqual([]);
    });

    it('drops vectors if requested', async () => {
      const [ns, vectors] = [namespace(), await generation(3)];
      await write(store, ns, note('a'));
      await embed(store, vectors, ns, () => unit(1, 0, 0));
      await store.admin.resetDerived(ns, { text: true, vectors: true });
      expect((await statsOf(store, ns))?.vectors).toBe(0);
      await replacePassages(
        store,
        ns,
        CHUNKING,
        await chunkCurrentRecords(store, ns, new Map([[1, [passage('a')]]])),
      );
      expect(await pendingEmbeddings(store, vectors, ns)).toHaveLength(1);
    });

    it('sweeps vectors that no passage refers to', async () => {
      const [ns, vectors] = [namespace(), await generation(3)];
      await write(store, ns, ...Array.from({ length: 20 }, (_, i) => note(`text ${String(i)}`)));
      await embed(store, vectors, ns, () => unit(1, 0, 0));
      await store.admin.compact(ns);
      expect((await statsOf(store, ns))?.vectors).toBe(20);
      await evict(store, ns, 1, 2, 3);
      await store.admin.compact(ns);
      expect((await statsOf(store, ns))?.vectors).toBe(17);
      expect(await searchVectors(store, ns, vectors, unit(1, 0, 0), ALL_LIVE, 50)).toHaveLength(17);
    });

    it('accepts records without passages', async () => {
      const ns = namespace();
      const [id = 0] = await write(store, ns, {
        id: null,
        draft: draft({ title: 'silent' }),
        passages: [],
      });
      expect(await matchingPassages(store, ns, 'silent')).toEqual([]);
      expect(await staleIds(ns, CHUNKING, { after: null, limit: 9 })).toEqual([]);
      await write(store, ns, { id, draft: draft({ title: 'loud' }), passages: 'keep' });
      expect(await store.records.get(ns, [id], { liveAt: NOW })).toMatchObject([{ title: 'loud' }]);
    });
  });
}
