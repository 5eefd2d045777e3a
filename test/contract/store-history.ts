import { ADMIN_NAMESPACE } from '../../src/store/rules/admin-namespace.ts';
import { describe, expect, it } from 'vitest';
import type { HistoryCategory, HistoryDraft } from '../../src/store/admin-model.ts';
import { historyChanges, historyRuns, samplePut, storeSamples } from '../../src/store/items/kinds.ts';
import type { StoreFixture } from './store-contract.ts';
import { NOW } from './store-samples.ts';
import { ALL, historyRun } from './written-samples.ts';

export function describeHistory({ store, namespace }: StoreFixture): void {
  const record = async (ns: string, rows: readonly HistoryDraft[], keep = 100): Promise<void> => {
    await store().records.commit(ns, { items: historyChanges(rows, keep) });
  };
  const names = async (
    ns: string,
    now = NOW,
    category: HistoryCategory = 'pack_history',
  ): Promise<string[]> =>
    (await historyRuns(store().records, ns, { category, now }, ALL)).map(({ name }) => name);

  describe('samples of the size of a store', () => {
    it('are the first of each day, and the newest of them remain', async () => {
      const put = async (day: string, bytes: number, keep = 400): Promise<void> => {
        const at = Date.parse(day);
        const sample = { day, at, bytes, records: 2, byOrigin: { memory: 2 }, vectors: 1 };
        await store().records.commit(namespace(), { adminItems: samplePut(sample, keep) });
      };
      const days = async (): Promise<[day: string, bytes: number][]> =>
        (await storeSamples(store().records, ADMIN_NAMESPACE)).map(({ day, bytes }) => [day, bytes]);
      await put('2026-11-25', 10);
      await put('2026-11-26', 20);
      await put('2026-11-26', 30);
      expect(await days()).toEqual([
        ['2026-11-25', 10],
        ['2026-11-26', 20],
      ]);
      await put('2026-11-27', 40, 2);
      expect((await days()).map(([day]) => day)).toEqual(['2026-11-26', '2026-11-27']);
    });
  });

  describe('history', () => {
    it('returns each run as it was recorded, newest first', async () => {
      const ns = namespace();
      const first = historyRun({ inputs: { deep: { list: [1, null, '\ud800 é'] } }, name: 'a' });
      await record(ns, [first, historyRun({ category: 'pipeline_history', name: 'b' })]);
      await record(ns, [historyRun({ name: 'c' })]);
      const rows = await historyRuns(store().records, ns, { category: 'pack_history', now: NOW }, ALL);
      expect(rows.map(({ name }) => name)).toEqual(['c', 'a']);
      expect(rows[1]).toEqual({
        ...first,
        inputs: { deep: { list: [1, null, '\ufffd é'] } },
        id: rows[1]!.id,
      });
      expect(await names(ns, NOW, 'pipeline_history')).toEqual(['b']);
      expect(await store().admin.namespaces(ADMIN_NAMESPACE)).not.toContain(ns);
    });

    it('is returned in pages, each after the id of the last run', async () => {
      const ns = namespace();
      await record(
        ns,
        ['a', 'b', 'c', 'd', 'e'].map((name) => historyRun({ name })),
      );
      const found: string[] = [];
      for (let after: number | null = null; ;) {
        const page = await historyRuns(
          store().records,
          ns,
          { category: 'pack_history', now: NOW },
          { after, limit: 2 },
        );
        found.push(...page.map(({ name }) => name));
        const last = page.at(-1);
        if (last === undefined) break;
        after = last.id;
      }
      expect(found).toEqual(['e', 'd', 'c', 'b', 'a']);
    });

    it('keeps the newest runs of each category', async () => {
      const ns = namespace();
      await record(
        ns,
        [
          historyRun({ name: 'a' }),
          historyRun({ name: 'b' }),
          historyRun({ name: 'p', category: 'pipeline_history' }),
        ],
        2,
      );
      await record(ns, [historyRun({ name: 'c' })], 2);
      expect(await names(ns)).toEqual(['c', 'b']);
      expect(await names(ns, NOW, 'pipeline_history')).toEqual(['p']);
    });

    it('does not return expired runs, and removes them with the next write', async () => {
      const ns = namespace();
      await record(ns, [
        historyRun({ name: 'a', expiresAt: NOW + 5 }),
        historyRun({ name: 'b', expiresAt: NOW + 6 }),
      ]);
      expect(await names(ns, NOW + 4)).toEqual(['b', 'a']);
      expect(await names(ns, NOW + 5)).toEqual(['b']);
      await record(ns, [historyRun({ name: 'c', at: NOW + 5, expiresAt: NOW + 9 })]);
      expect(await names(ns, NOW)).toEqual(['c', 'b']);
    });

    it('accepts no rows', async () => {
      const ns = namespace();
      await record(ns, [historyRun({ name: 'a' })]);
      await record(ns, []);
      expect(await names(ns)).toEqual(['a']);
    });
  });
}
