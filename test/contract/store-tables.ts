import { beforeAll, describe, expect, it } from 'vitest';
import type { RecordFilter, TablePlace, TableRequest } from '../../src/store/model.ts';
import type { StoreFixture } from './store-contract.ts';
import { ALL_LIVE, note, NOW, write } from './store-samples.ts';
import { deleteRecords } from './written-samples.ts';

const DAY_MS = 86_400_000;

export function describeTables({ store, namespace }: StoreFixture): void {
  const ids = async (
    ns: string,
    sort: TableRequest['sort'],
    { descending = false, filter = {}, after = null as TablePlace | null, limit = 10 } = {},
  ): Promise<number[]> => {
    const request = { filter: { ...ALL_LIVE, ...filter }, sort, descending };
    const rows = await store().records.table(ns, request, { after, limit });
    return rows.map(({ record }) => record.id);
  };
  const at = (day: number, updatedAt: number): Parameters<typeof note>[1] => ({
    metadata: { date: new Date(NOW + day * DAY_MS).toISOString().slice(0, 10) },
    createdAt: NOW + day * DAY_MS,
    updatedAt,
  });

  describe('a table', () => {
    const ns = namespace();
    beforeAll(async () => {
      await write(
        store(),
        ns,
        note('1', { title: 'zebra', ...at(2, NOW + 1), trust: 'agent' }),
        note('2', { title: 'Äpfel', ...at(0, NOW + 4) }),
        note('3', { title: '', ...at(0, NOW + 2), source: 'b' }),
        note('4', { title: 'Apples', ...at(-3, NOW + 2), project: 'p' }),
        note('5', { title: 'apples', ...at(9, NOW + 9) }),
        note('6', { title: 'gone', ...at(9, NOW), expiresAt: NOW }),
      );
      await deleteRecords(store(), ns, 5);
      await write(store(), namespace(), note('of others', at(0, NOW)));
    });

    it.each([
      ['time', false, [4, 2, 3, 1]],
      ['time', true, [1, 3, 2, 4]],
      ['updated', false, [1, 3, 4, 2]],
      ['title', false, [3, 4, 1, 2]],
      ['title', true, [2, 1, 4, 3]],
    ] as const)('is sorted by %s, descending: %s, on every page', async (sort, descending, expected) => {
      expect(await ids(ns, sort, { descending })).toEqual(expected);
      const found: number[] = [];
      for (let after: TablePlace | null = null; ;) {
        const request = { filter: ALL_LIVE, sort, descending };
        const [row] = await store().records.table(ns, request, { after, limit: 1 });
        if (row === undefined) break;
        found.push(row.record.id);
        after = row.place;
      }
      expect(found).toEqual(expected);
    });

    it.each<[Partial<RecordFilter>, number[]]>([
      [{ project: 'p' }, [4]],
      [{ trust: ['agent'] }, [1]],
      [{ timedFrom: NOW, timedUntil: NOW + 1 }, [2, 3]],
      [{ timedUntil: NOW }, [4]],
      [{ excludedSources: ['b'] }, [4, 2, 1]],
      [{ deleted: true }, [5]],
    ])('has the records that pass the filter %j, as counts have', async (filter, expected) => {
      expect(await ids(ns, 'time', { filter })).toEqual(expected);
      expect(await store().records.count(ns, { ...ALL_LIVE, ...filter })).toBe(expected.length);
    });

    it('is sorted by when records expire, without those that never do', async () => {
      const of = namespace();
      const [late, soon, never, same] = await write(
        store(),
        of,
        ...[9, 3, null, 3].map((day, i) =>
          note(String(i), { expiresAt: day === null ? null : NOW + day * DAY_MS }),
        ),
      );
      expect(await ids(of, 'expires')).toEqual([soon, same, late]);
      const after = { value: NOW + 3 * DAY_MS, id: soon! };
      expect(await ids(of, 'expires', { after })).toEqual([same, late]);
      expect(await ids(of, 'expires', { descending: true })).not.toContain(never);
    });

    it('is empty in a namespace without records', async () => {
      expect(await ids(namespace(), 'time')).toEqual([]);
    });

    it('has the live records of each source in each span of a histogram', async () => {
      const spans = [-3, -1, 0, 2, 3].map((day) => NOW + day * DAY_MS);
      expect(await store().records.histogram(ns, ALL_LIVE, spans)).toEqual([
        { span: 0, origin: 'vault', source: 'notes', records: 1 },
        { span: 2, origin: 'vault', source: 'b', records: 1 },
        { span: 2, origin: 'vault', source: 'notes', records: 1 },
        { span: 3, origin: 'vault', source: 'notes', records: 1 },
      ]);
      const filter = { ...ALL_LIVE, project: 'p' };
      expect(await store().records.histogram(ns, filter, spans)).toHaveLength(1);
      expect(await store().records.histogram(namespace(), ALL_LIVE, spans)).toEqual([]);
    });
  });
}
