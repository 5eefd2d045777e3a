import { describe, expect, it } from 'vitest';
import { sha256 } from '../../src/core/ids.ts';
import { MAX_PAGE_CHARACTERS } from '../../src/store/rules/record-page.ts';
import type { RecordFilter } from '../../src/store/model.ts';
import type { StoreFixture } from './store-contract.ts';
import { ALL_LIVE, draft, note, NOW, write } from './store-samples.ts';
import { ALL, commit, fact, idsOf, deleteRecords } from './written-samples.ts';

export function describeListing({ store, namespace }: StoreFixture): void {
  /** Returns the ids of the list, after a check that `count` returns the same number. */
  const listIds = async (ns: string, filter: Partial<RecordFilter> = {}): Promise<number[]> => {
    const ids = idsOf(await store().records.list(ns, { filter: { ...ALL_LIVE, ...filter } }, ALL));
    expect(await store().records.count(ns, { ...ALL_LIVE, ...filter })).toBe(ids.length);
    return ids;
  };

  describe('a list of records', () => {
    it('returns whole records, newest first', async () => {
      const ns = namespace();
      const first = draft({ content: 'text', title: 'Title', tags: ['a'], metadata: { n: 1 } });
      await write(store(), ns, { id: null, draft: first, passages: [] }, note('b'));
      const all = await store().records.list(ns, { filter: ALL_LIVE }, ALL);
      expect(idsOf(all)).toEqual([2, 1]);
      expect(all[1]).toEqual({ ...first, namespace: ns, id: 1, deletedAt: null });
    });

    it('is returned in pages, each after the id of the last record', async () => {
      const ns = namespace();
      await write(store(), ns, ...Array.from({ length: 5 }, () => note('x')), fact('k', 'c', 'x'));
      const page = async (after: number | null, limit: number): Promise<number[]> =>
        idsOf(await store().records.list(ns, { filter: ALL_LIVE }, { after, limit }));
      expect(await page(null, 2)).toEqual([6, 5]);
      expect(await page(5, 2)).toEqual([4, 3]);
      expect(await page(3, 9)).toEqual([2, 1]);
      expect(await page(1, 9)).toEqual([]);
      expect(
        idsOf(await store().records.list(ns, { filter: { ...ALL_LIVE, key: 'k' } }, { after: 6, limit: 9 })),
      ).toEqual([]);
    });

    it('has shorter pages if contents are long', async () => {
      const ns = namespace();
      const content = 'x'.repeat(MAX_PAGE_CHARACTERS / 2 + 1);
      const long = { id: null, passages: [] };
      await write(store(), ns, ...[1, 2].map(() => ({ ...long, draft: draft({ content }) })));
      expect(idsOf(await store().records.list(ns, { filter: ALL_LIVE }, ALL))).toEqual([2]);
      expect(idsOf(await store().records.list(ns, { filter: ALL_LIVE }, { after: 2, limit: 10 }))).toEqual([
        1,
      ]);
      expect(await store().records.count(ns, ALL_LIVE)).toBe(2);
    });

    it('returns either live or deleted records', async () => {
      const ns = namespace();
      await write(
        store(),
        ns,
        note('a'),
        note('b'),
        note('c', { expiresAt: NOW }),
        note('d', { expiresAt: NOW + 1 }),
      );
      await deleteRecords(store(), ns, 2);
      expect(await listIds(ns)).toEqual([4, 1]);
      expect(await listIds(ns, { deleted: true })).toEqual([2]);
      expect(await listIds(ns, { now: 0 })).toEqual([4, 3, 1]);
      // Expired records are not returned, deleted or not.
      await commit(store(), ns, { deletions: [{ id: 4, at: NOW }] });
      expect(await listIds(ns, { deleted: true })).toEqual([4, 2]);
      expect(await listIds(ns, { deleted: true, now: NOW + 1 })).toEqual([2]);
    });

    it('applies every condition, alone and combined', async () => {
      const ns = namespace();
      await write(
        store(),
        ns,
        note('1', { project: 'p', category: 'a', tags: ['x/y'], origin: 'memory', key: null }),
        fact('k1', 'a', '2', { tags: ['x'], recordType: 'event' }),
        fact('k2', 'b', '3', { createdAt: NOW }),
        note('4', { source: 's', key: 'k1' }),
      );
      expect(await listIds(ns, { project: 'p' })).toEqual([1]);
      expect(await listIds(ns, { origins: ['fact'] })).toEqual([3, 2]);
      expect(await listIds(ns, { origins: ['fact', 'memory'] })).toEqual([3, 2, 1]);
      expect(await listIds(ns, { origins: [] })).toEqual([]);
      expect(await listIds(ns, { sources: ['s'] })).toEqual([4]);
      expect(await listIds(ns, { categories: ['a'] })).toEqual([2, 1]);
      expect(await listIds(ns, { categories: ['a', 'b'], origins: ['fact'] })).toEqual([3, 2]);
      expect(await listIds(ns, { recordTypes: ['event'] })).toEqual([2]);
      expect(await listIds(ns, { tags: ['X'] })).toEqual([2, 1]);
      expect(await listIds(ns, { from: NOW })).toEqual([3]);
      expect(await listIds(ns, { until: NOW, categories: ['a'], origins: ['fact'] })).toEqual([2]);
      expect(await listIds(ns, { key: 'k1' })).toEqual([4, 2]);
      expect(await listIds(ns, { key: 'k1', origins: ['fact'], categories: ['a'] })).toEqual([2]);
      expect(await listIds(ns, { key: 'k1', origins: ['fact'], categories: ['b'] })).toEqual([]);
      expect(await listIds(ns, { key: 'K1' })).toEqual([]);
      expect(await listIds(ns, { keyPrefix: 'k' })).toEqual([4, 3, 2]);
      expect(await listIds(ns, { keyPrefix: 'k', origins: ['fact'] })).toEqual([3, 2]);
      expect(await listIds(ns, { keyPrefix: 'k', key: 'k2' })).toEqual([3]);
    });

    it('treats a key prefix as literal text', async () => {
      const ns = namespace();
      const keys = [
        '',
        'a',
        'a%',
        'a_b',
        'A',
        'é',
        'é!',
        '\u{D7FF}',
        '\u{E000}',
        '\u{1F600}',
        '\u{10FFFF}',
        '\u{10FFFF}!',
      ];
      await write(store(), ns, ...keys.map((key) => fact(key, 'c', 'x')), fact(null, 'c', 'x'));
      for (const keyPrefix of [...keys, 'e', '%', 'a_', '\u{10FFFE}']) {
        for (const origins of [{}, { origins: ['fact'] as const }]) {
          const expected = keys.flatMap((key, i) => (key.startsWith(keyPrefix) ? [i + 1] : [])).toReversed();
          expect(await listIds(ns, { keyPrefix, ...origins }), keyPrefix).toEqual(expected);
        }
      }
    });

    it('can be restricted to a content, and sorted with the oldest first', async () => {
      const ns = namespace();
      const [first, , second] = await write(
        store(),
        ns,
        note('same', { origin: 'memory', key: null }),
        note('same', { origin: 'vault' }),
        note('same', { origin: 'memory', key: null }),
        note('same', { origin: 'memory', key: null, expiresAt: NOW }),
        note('other', { origin: 'memory', key: null }),
      );
      const withContent = async (content: string, searched = ns): Promise<number[]> => {
        const filter = { now: NOW, origins: ['memory' as const], contentHash: sha256(content) };
        return idsOf(await store().records.list(searched, { filter, order: 'oldest' }, ALL));
      };
      expect(await withContent('same')).toEqual([first, second]);
      expect(await withContent('none')).toEqual([]);
      expect(await withContent('same', 'unknown namespace')).toEqual([]);
    });
  });

  describe('categories of facts', () => {
    it('have a count and the keys that were stored last', async () => {
      const ns = namespace();
      const at = (updatedAt: number): object => ({ updatedAt });
      await write(
        store(),
        ns,
        fact('old', 'b', 'x', at(NOW - 3)),
        fact('newest', 'b', 'x', at(NOW)),
        fact('newer', 'b', 'x', at(NOW - 1)),
        fact('same time', 'b', 'x', at(NOW - 1)),
        fact('only', 'B', 'x'),
        fact('for ever', 'é', 'x', { expiresAt: null }),
        fact('expired', 'b', 'x', { expiresAt: NOW }),
        fact('deleted', 'gone', 'x'),
        note('no fact', { category: 'b' }),
      );
      await deleteRecords(store(), ns, 8);
      const facts = { now: NOW, origins: ['fact' as const] };
      const b = { value: 'b', records: 4, newestKeys: ['newest', 'same time', 'newer'] };
      const others = [
        { value: 'B', records: 1, newestKeys: ['only'] },
        { value: 'é', records: 1, newestKeys: ['for ever'] },
      ] as const;
      expect(await store().records.facet(ns, 'category', facts, 3)).toEqual([others[0], b, others[1]]);
      const none = await store().records.facet(ns, 'category', facts, 0);
      expect(none.map(({ records, newestKeys }) => [records, newestKeys])).toEqual([
        [1, []],
        [4, []],
        [1, []],
      ]);
      expect(await store().records.facet(ns, 'category', { ...facts, now: NOW + 1000 }, 3)).toEqual([
        others[1],
      ]);
    });
  });
}
