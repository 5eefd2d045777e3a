import { describe, expect, it } from 'vitest';
import { sha256 } from '../../src/core/ids.ts';
import type { RecordFilter, TimedRecord, TimelineRecords, TimelineRequest } from '../../src/store/model.ts';
import { MAX_PAGE_CHARACTERS } from '../../src/store/rules/record-page.ts';
import type { StoreFixture } from './store-contract.ts';
import { ALL_LIVE, draft, evict, note, NOW, write } from './store-samples.ts';
import { ALL, commit, deleteRecords, fact, idsOf, purge, purgeRequest, restore } from './written-samples.ts';

export function describeListing({ store, namespace }: StoreFixture): void {
  /** Returns the ids of the list, after a check that `count` returns the same number. */
  const listIds = async (ns: string, filter: Partial<RecordFilter> = {}): Promise<number[]> => {
    const ids = idsOf(await store.records.list(ns, { filter: { ...ALL_LIVE, ...filter } }, ALL));
    expect(await store.records.count(ns, { ...ALL_LIVE, ...filter })).toBe(ids.length);
    return ids;
  };

  describe('a list of records', () => {
    it('returns whole records, newest first', async () => {
      const ns = namespace();
      const first = draft({ content: 'text', title: 'Title', tags: ['a'], metadata: { n: 1 } });
      await write(store, ns, { id: null, draft: first, passages: [] }, note('b'));
      const all = await store.records.list(ns, { filter: ALL_LIVE }, ALL);
      expect(idsOf(all)).toEqual([2, 1]);
      expect(all[1]).toEqual({ ...first, namespace: ns, id: 1, deletedAt: null });
    });

    it('is returned in pages, each after the id of the last record', async () => {
      const ns = namespace();
      await write(store, ns, ...Array.from({ length: 5 }, () => note('x')), fact('k', 'c', 'x'));
      const page = async (after: number | null, limit: number): Promise<number[]> =>
        idsOf(await store.records.list(ns, { filter: ALL_LIVE }, { after, limit }));
      expect(await page(null, 2)).toEqual([6, 5]);
      expect(await page(5, 2)).toEqual([4, 3]);
      expect(await page(3, 9)).toEqual([2, 1]);
      expect(await page(1, 9)).toEqual([]);
      expect(
        idsOf(await store.records.list(ns, { filter: { ...ALL_LIVE, key: 'k' } }, { after: 6, limit: 9 })),
      ).toEqual([]);
    });

    it('has shorter pages if contents are long', async () => {
      const ns = namespace();
      const content = 'x'.repeat(MAX_PAGE_CHARACTERS / 2 + 1);
      const long = { id: null, passages: [] };
      await write(store, ns, ...[1, 2].map(() => ({ ...long, draft: draft({ content }) })));
      expect(idsOf(await store.records.list(ns, { filter: ALL_LIVE }, ALL))).toEqual([2]);
      expect(idsOf(await store.records.list(ns, { filter: ALL_LIVE }, { after: 2, limit: 10 }))).toEqual([1]);
      expect(await store.records.count(ns, ALL_LIVE)).toBe(2);
    });

    it('returns either live or deleted records', async () => {
      const ns = namespace();
      await write(
        store,
        ns,
        note('a'),
        note('b'),
        note('c', { expiresAt: NOW }),
        note('d', { expiresAt: NOW + 1 }),
      );
      await deleteRecords(store, ns, 2);
      expect(await listIds(ns)).toEqual([4, 1]);
      expect(await listIds(ns, { deleted: true })).toEqual([2]);
      expect(await listIds(ns, { now: 0 })).toEqual([4, 3, 1]);
      // Expired records are not returned, deleted or not.
      await commit(store, ns, { deletions: [{ id: 4, at: NOW }] });
      expect(await listIds(ns, { deleted: true })).toEqual([4, 2]);
      expect(await listIds(ns, { deleted: true, now: NOW + 1 })).toEqual([2]);
    });

    it('applies every condition, alone and combined', async () => {
      const ns = namespace();
      await write(
        store,
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
      await write(store, ns, ...keys.map((key) => fact(key, 'c', 'x')), fact(null, 'c', 'x'));
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
        store,
        ns,
        note('same', { origin: 'memory', key: null }),
        note('same', { origin: 'vault' }),
        note('same', { origin: 'memory', key: null }),
        note('same', { origin: 'memory', key: null, expiresAt: NOW }),
        note('other', { origin: 'memory', key: null }),
      );
      const withContent = async (content: string, searched = ns): Promise<number[]> => {
        const filter = { now: NOW, origins: ['memory' as const], contentHash: sha256(content) };
        return idsOf(await store.records.list(searched, { filter, order: 'oldest' }, ALL));
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
        store,
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
      await deleteRecords(store, ns, 8);
      const facts = { now: NOW, origins: ['fact' as const] };
      const b = { value: 'b', records: 4, newestKeys: ['newest', 'same time', 'newer'] };
      const others = [
        { value: 'B', records: 1, newestKeys: ['only'] },
        { value: 'é', records: 1, newestKeys: ['for ever'] },
      ] as const;
      expect(await store.records.facet(ns, 'category', facts, 3)).toEqual([others[0], b, others[1]]);
      const none = await store.records.facet(ns, 'category', facts, 0);
      expect(none.map(({ records, newestKeys }) => [records, newestKeys])).toEqual([
        [1, []],
        [4, []],
        [1, []],
      ]);
      expect(await store.records.facet(ns, 'category', { ...facts, now: NOW + 1000 }, 3)).toEqual([
        others[1],
      ]);
    });
  });
}

const DAY_MS = 86_400_000;

export function describeTimeline({ store, namespace }: StoreFixture): void {
  const read = (ns: string, request: Partial<TimelineRequest>): Promise<TimelineRecords> =>
    store.records.timeline(ns, {
      filter: ALL_LIVE,
      around: { time: NOW },
      before: 10,
      after: 10,
      ...request,
    });
  const ids = (records: readonly TimedRecord[]): number[] => records.map(({ record }) => record.id);
  /** The ids on both sides, nearest first. */
  const sides = async (ns: string, request: Partial<TimelineRequest>): Promise<[number[], number[]]> => {
    const { before, after } = await read(ns, request);
    return [ids(before), ids(after)];
  };
  const dated = (day: number): Parameters<typeof note>[1] => ({
    metadata: { date: new Date(NOW + day * DAY_MS).toISOString().slice(0, 10) },
    createdAt: NOW + day * DAY_MS,
    updatedAt: NOW,
  });

  describe('the timeline', () => {
    it('has the records before and after a record, nearest first, ties by id', async () => {
      const ns = namespace();
      await write(
        store,
        ns,
        note('a', dated(3)),
        note('b', dated(-2)),
        note('c', dated(0)),
        note('d', dated(1)),
        note('e', dated(0)),
        note('f', dated(0)),
      );
      expect(await sides(ns, { around: { record: 5 } })).toEqual([
        [3, 2],
        [6, 4, 1],
      ]);
      expect(await sides(ns, { around: { record: 5 }, before: 1, after: 2 })).toEqual([[3], [6, 4]]);
      expect(await sides(ns, { around: { record: 5 }, before: 0, after: 0 })).toEqual([[], []]);
      const { anchor } = await read(ns, { around: { record: 5 } });
      const [whole] = await store.records.get(ns, [5], { liveAt: NOW });
      const { content: _, contentHash: __, revision: ___, identity: ____, ...record } = whole!;
      expect(anchor).toEqual({ at: NOW, record });
    });

    it('counts records at a moment as after it', async () => {
      const ns = namespace();
      await write(store, ns, note('a', dated(-1)), note('b', dated(0)), note('c', dated(1)));
      expect(await sides(ns, { around: { time: NOW } })).toEqual([[1], [2, 3]]);
      expect(await sides(ns, { around: { time: NOW + 1 } })).toEqual([[2, 1], [3]]);
      expect((await read(ns, {})).anchor).toBeNull();
    });

    it('follows every change of a record', async () => {
      const ns = namespace();
      const undated = note('a', { updatedAt: NOW + 5, createdAt: NOW - 5 });
      await write(store, ns, undated, note('b', dated(1)));
      expect(await sides(ns, {})).toEqual([[], [1, 2]]);
      await write(store, ns, { ...undated, id: 1, draft: { ...undated.draft, updatedAt: NOW - 7 } });
      expect(await sides(ns, {})).toEqual([[1], [2]]);
      await deleteRecords(store, ns, 1);
      expect(await sides(ns, {})).toEqual([[], [2]]);
      await restore(store, ns, 1, 'a');
      expect(await sides(ns, {})).toEqual([[], [1, 2]]);
      await evict(store, ns, 2);
      expect(await sides(ns, {})).toEqual([[], [1]]);
      await store.admin.resetDerived(ns, { text: true, vectors: false });
      expect(await sides(ns, {})).toEqual([[], [1]]);
      expect(await store.admin.verify(ns)).toEqual([]);
    });

    it('has no expired and no purged records', async () => {
      const ns = namespace();
      await write(store, ns, fact('k', 'c', 'a', { expiresAt: NOW + 1, updatedAt: NOW }));
      expect(await sides(ns, {})).toEqual([[], [1]]);
      expect(await sides(ns, { filter: { now: NOW + 1 } })).toEqual([[], []]);
      await purge(store.records, ns, purgeRequest({ expiredBy: NOW + 1 }));
      expect(await sides(ns, { filter: { now: 0 } })).toEqual([[], []]);
    });

    it('applies the filter to all but the record in the middle', async () => {
      const ns = namespace();
      await write(
        store,
        ns,
        note('a', { ...dated(-1), project: 'p' }),
        note('b', { ...dated(0), project: 'q' }),
        note('c', { ...dated(1), project: 'p', source: 'hidden' }),
        note('d', { ...dated(2), project: 'p', tags: ['x/y'] }),
        note('e', { ...dated(3), project: 'q' }),
      );
      const filter = { ...ALL_LIVE, project: 'p', excludedSources: ['hidden'] };
      expect(await sides(ns, { around: { record: 2 }, filter })).toEqual([[1], [4]]);
      expect((await read(ns, { around: { record: 2 }, filter })).anchor?.record.id).toBe(2);
      expect(await sides(ns, { filter: { ...ALL_LIVE, tags: ['x'] } })).toEqual([[], [4]]);
    });

    it('is empty around a record that is gone, and around one of another namespace', async () => {
      const [ours, theirs] = [namespace(), namespace()];
      await write(store, ours, note('a', dated(0)));
      await write(store, theirs, note('b', dated(0)), note('c', dated(0)));
      const nothing = { anchor: null, before: [], after: [] };
      expect(await read(ours, { around: { record: 2 } })).toEqual(nothing);
      expect(await sides(ours, {})).toEqual([[], [1]]);
      await deleteRecords(store, theirs, 1);
      expect(await read(theirs, { around: { record: 1 } })).toEqual(nothing);
      expect(await read(namespace(), {})).toEqual(nothing);
    });
  });
}

export function describeChanges({ store, namespace }: StoreFixture): void {
  /** Each change after a cursor, as `record kind`, and the cursor at the end of the feed. */
  const changesAfter = async (
    ns: string,
    after: number | null,
  ): Promise<{ changed: string[]; cursor: number }> => {
    const { changes, mustRestart } = await store.records.changes(ns, { ...ALL, after });
    expect(mustRestart).toBe(false);
    expect(changes.map(({ sequence }) => sequence)).toEqual(
      changes.map(({ sequence }) => sequence).toSorted((a, b) => a - b),
    );
    const changed = changes.map(({ record, kind }) => `${String(record)} ${kind}`);
    return { changed, cursor: changes.at(-1)?.sequence ?? after ?? 0 };
  };

  describe('changes', () => {
    it('include every record without a cursor, and later changes only with a cursor', async () => {
      const ns = namespace();
      await write(store, ns, note('a'), note('b'), note('c'));
      const first = await changesAfter(ns, null);
      expect(first.changed).toEqual(['1 written', '2 written', '3 written']);
      await write(store, ns, { ...note('b again'), id: 2 });
      await write(store, ns, note('d'));
      expect((await changesAfter(ns, first.cursor)).changed).toEqual(['2 written', '4 written']);
    });

    it('include only the last change of a record', async () => {
      const ns = namespace();
      await write(store, ns, note('a'), note('b'));
      await write(store, ns, { ...note('a again'), id: 1 });
      await deleteRecords(store, ns, 2);
      expect((await changesAfter(ns, null)).changed).toEqual(['1 written', '2 deleted']);
    });

    it('distinguish deletion, removal and restoration', async () => {
      const ns = namespace();
      await write(store, ns, note('a'), note('b'));
      await commit(store, ns, { writes: [fact('k', 'c', 'text', { expiresAt: NOW + 1 })] });
      const { cursor } = await changesAfter(ns, null);
      await deleteRecords(store, ns, 1);
      await evict(store, ns, 2);
      await purge(store.records, ns, purgeRequest({ expiredBy: NOW + 1, deletedBefore: 0 }));
      const next = await changesAfter(ns, cursor);
      expect(next.changed).toEqual(['1 deleted', '2 removed', '3 removed']);
      await restore(store, ns, 1, 'a');
      expect((await changesAfter(ns, next.cursor)).changed).toEqual(['1 written']);
    });

    it('are returned in pages', async () => {
      const ns = namespace();
      await write(store, ns, note('a'), note('b'), note('c'));
      const { changes } = await store.records.changes(ns, { after: null, limit: 2 });
      expect(changes.map(({ record }) => record)).toEqual([1, 2]);
      expect((await changesAfter(ns, changes[1]!.sequence)).changed).toEqual(['3 written']);
    });

    it('do not include those of a failed commit or of another namespace', async () => {
      const [ns, other] = [namespace(), namespace()];
      await write(store, ns, note('a', { key: 'a.md' }));
      await write(store, other, note('b'));
      await expect(write(store, ns, note('b'), note('c', { key: 'a.md' }))).rejects.toMatchObject({
        code: 'conflict',
      });
      expect((await changesAfter(ns, null)).changed).toEqual(['1 written']);
    });

    it('must be read from the start if the cursor is higher than every sequence number', async () => {
      const ns = namespace();
      const none = { changes: [], mustRestart: false };
      expect(await store.records.changes(ns, ALL)).toEqual(none);
      await write(store, ns, note('a'));
      const { cursor } = await changesAfter(ns, null);
      expect(await store.records.changes(ns, { ...ALL, after: cursor })).toEqual(none);
      expect(await store.records.changes(ns, { ...ALL, after: cursor + 1 })).toEqual({
        changes: [],
        mustRestart: true,
      });
    });
  });
}
