import { describe, expect, it } from 'vitest';
import type { TimedRecord, TimelineRecords, TimelineRequest } from '../../src/store/model.ts';
import type { StoreFixture } from './store-contract.ts';
import { ALL_LIVE, evict, note, NOW, write } from './store-samples.ts';
import { deleteRecords, fact, purgeRequest, restore, purge } from './written-samples.ts';

const DAY_MS = 86_400_000;

export function describeTimeline({ store, namespace }: StoreFixture): void {
  const read = (ns: string, request: Partial<TimelineRequest>): Promise<TimelineRecords> =>
    store().records.timeline(ns, {
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
        store(),
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
      const [whole] = await store().records.get(ns, [5], { liveAt: NOW });
      const { content: _, contentHash: __, revision: ___, identity: ____, ...record } = whole!;
      expect(anchor).toEqual({ at: NOW, record });
    });

    it('counts records at a moment as after it', async () => {
      const ns = namespace();
      await write(store(), ns, note('a', dated(-1)), note('b', dated(0)), note('c', dated(1)));
      expect(await sides(ns, { around: { time: NOW } })).toEqual([[1], [2, 3]]);
      expect(await sides(ns, { around: { time: NOW + 1 } })).toEqual([[2, 1], [3]]);
      expect((await read(ns, {})).anchor).toBeNull();
    });

    it('follows every change of a record', async () => {
      const ns = namespace();
      const undated = note('a', { updatedAt: NOW + 5, createdAt: NOW - 5 });
      await write(store(), ns, undated, note('b', dated(1)));
      expect(await sides(ns, {})).toEqual([[], [1, 2]]);
      await write(store(), ns, { ...undated, id: 1, draft: { ...undated.draft, updatedAt: NOW - 7 } });
      expect(await sides(ns, {})).toEqual([[1], [2]]);
      await deleteRecords(store(), ns, 1);
      expect(await sides(ns, {})).toEqual([[], [2]]);
      await restore(store(), ns, 1, 'a');
      expect(await sides(ns, {})).toEqual([[], [1, 2]]);
      await evict(store(), ns, 2);
      expect(await sides(ns, {})).toEqual([[], [1]]);
      await store().admin.resetDerived(ns, { drop: true, vectors: false });
      expect(await sides(ns, {})).toEqual([[], [1]]);
      expect(await store().admin.verify(ns)).toEqual([]);
    });

    it('has no expired and no purged records', async () => {
      const ns = namespace();
      await write(store(), ns, fact('k', 'c', 'a', { expiresAt: NOW + 1, updatedAt: NOW }));
      expect(await sides(ns, {})).toEqual([[], [1]]);
      expect(await sides(ns, { filter: { now: NOW + 1 } })).toEqual([[], []]);
      await purge(store().records, ns, purgeRequest({ expiredBy: NOW + 1 }));
      expect(await sides(ns, { filter: { now: 0 } })).toEqual([[], []]);
    });

    it('applies the filter to all but the record in the middle', async () => {
      const ns = namespace();
      await write(
        store(),
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
      await write(store(), ours, note('a', dated(0)));
      await write(store(), theirs, note('b', dated(0)), note('c', dated(0)));
      const nothing = { anchor: null, before: [], after: [] };
      expect(await read(ours, { around: { record: 2 } })).toEqual(nothing);
      expect(await sides(ours, {})).toEqual([[], [1]]);
      await deleteRecords(store(), theirs, 1);
      expect(await read(theirs, { around: { record: 1 } })).toEqual(nothing);
      expect(await read(namespace(), {})).toEqual(nothing);
    });
  });
}
