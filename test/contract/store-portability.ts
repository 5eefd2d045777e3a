import { describe, expect, it } from 'vitest';
import type { LociRecord } from '../../src/core/types.ts';
import type { RecordImport } from '../../src/store/model.ts';
import type { Store } from '../../src/store/store.ts';
import { historyChanges, historyRuns } from '../../src/store/items/kinds.ts';
import type { StoreFixture } from './store-contract.ts';
import { CHUNKING, draft, matchingRecords, note, NOW, passage, write } from './store-samples.ts';

/** A record of another store, with one passage. */
function recordImport(text: string, fields: Partial<RecordImport> = {}): RecordImport {
  const { draft: drafted = draft({ content: text, origin: 'memory', key: null }), ...rest } = fields;
  return {
    replaces: null,
    preferredId: null,
    deletedAt: null,
    passages: [passage(text)],
    draft: drafted,
    ...rest,
  };
}

function importRecords(
  store: Store,
  namespace: string,
  ...imports: readonly RecordImport[]
): Promise<number[]> {
  return store.records.commit(namespace, { imports, chunking: CHUNKING });
}

async function recordInAnyState(
  store: Store,
  namespace: string,
  id: number,
): Promise<LociRecord | undefined> {
  return (await store.records.get(namespace, [id], 'any'))[0];
}

export function describePortability({ store, namespace }: StoreFixture): void {
  describe('records of another store', () => {
    it('keep their ids if these were never assigned, and get new ids otherwise', async () => {
      const ns = namespace();
      const [mine] = await write(store, ns, note('mine'));
      expect(mine).toBe(1);
      const imports = [
        recordImport('seven', { preferredId: 7 }),
        recordImport('one', { preferredId: 1 }),
        recordImport('any'),
      ];
      expect(await importRecords(store, ns, ...imports)).toEqual([7, 8, 9]);
      expect(await write(store, ns, note('next'))).toEqual([10]);
      expect((await store.records.bounds(ns)).highestId).toBe(10);
      expect(await matchingRecords(store, ns, 'seven')).toEqual([7]);
    });

    it('are imported live or deleted, and replace records in either state', async () => {
      const ns = namespace();
      const tombstone = recordImport('tombstone', { deletedAt: NOW - 5 });
      const [id = 0] = await importRecords(store, ns, tombstone);
      expect(await recordInAnyState(store, ns, id)).toMatchObject({
        ...tombstone.draft,
        deletedAt: NOW - 5,
      });
      expect(await matchingRecords(store, ns, 'tombstone')).toEqual([]);
      expect(await store.records.get(ns, [id], { liveAt: NOW })).toEqual([]);
      const { uuid } = tombstone.draft;
      const restored = recordImport('restored', {
        replaces: id,
        draft: draft({ ...tombstone.draft, uuid, content: 'restored' }),
      });
      expect(await importRecords(store, ns, restored)).toEqual([id]);
      expect(await matchingRecords(store, ns, 'restored')).toEqual([id]);
      await importRecords(store, ns, { ...restored, deletedAt: NOW });
      expect(await matchingRecords(store, ns, 'restored')).toEqual([]);
      expect(await store.records.passagesOf(ns, [id])).toEqual(new Map([[id, []]]));
      expect((await store.search.terms(ns, ['restored'])).terms).toEqual([
        { word: 'restored', passages: 0, near: [] },
      ]);
    });

    it('are rejected as a batch if an identity is taken or a replaced record has changed', async () => {
      const ns = namespace();
      const [id = 0] = await write(store, ns, note('existing', { source: 's', key: 'k' }));
      const record = await recordInAnyState(store, ns, id);
      const sameUuid = recordImport('x', { draft: draft({ uuid: record?.uuid ?? '' }) });
      const sameKey = recordImport('x', { draft: draft({ source: 's', key: 'k' }) });
      const stale = recordImport('x', { replaces: id, expected: { updatedAt: 1, deletedAt: null } });
      for (const rejected of [sameUuid, sameKey, stale])
        await expect(importRecords(store, ns, recordImport('before'), rejected)).rejects.toMatchObject({
          code: 'conflict',
        });
      expect(await matchingRecords(store, ns, 'before')).toEqual([]);
      await expect(importRecords(store, ns, recordImport('x', { replaces: 99 }))).rejects.toMatchObject({
        code: 'not_found',
      });
      const invalid = recordImport('x', { draft: draft({ createdAt: 0.5 }) });
      await expect(importRecords(store, ns, invalid)).rejects.toMatchObject({ code: 'invalid_input' });
    });

    it('are recognised by UUID and by key', async () => {
      const ns = namespace();
      const fact = { origin: 'fact', category: 'c', key: 'k', expiresAt: NOW + 9 } as const;
      const [doc = 0, live = 0] = await write(store, ns, note('doc', { key: 'k' }), note('fact', fact));
      const [deleted = 0] = await importRecords(
        store,
        ns,
        recordImport('old', { draft: draft(fact), deletedAt: NOW }),
      );
      const [first, second, third] = await store.records.get(ns, [doc, live, deleted], 'any');
      const candidates = [first!, second!, third!, draft({ key: 'k' }), draft(fact), draft({ key: null })];
      expect(await store.records.findExisting(ns, candidates)).toEqual([
        { sameUuid: doc, sameKey: null },
        { sameUuid: live, sameKey: null },
        { sameUuid: deleted, sameKey: live },
        { sameUuid: null, sameKey: doc },
        { sameUuid: null, sameKey: live },
        { sameUuid: null, sameKey: null },
      ]);
      expect(await store.records.findExisting(namespace(), candidates.slice(0, 1))).toEqual([
        { sameUuid: null, sameKey: null },
      ]);
    });
  });

  describe('the content of a namespace', () => {
    it('is listed in pages, with deleted records and without expired ones', async () => {
      const ns = namespace();
      await importRecords(
        store,
        ns,
        recordImport('a', { preferredId: 3 }),
        recordImport('b', { deletedAt: NOW }),
        recordImport('c', { draft: draft({ expiresAt: NOW }) }),
        recordImport('d', { draft: draft({ expiresAt: NOW + 1 }) }),
      );
      const first = await store.records.list(ns, { scan: 'exportable', now: NOW }, { after: null, limit: 2 });
      expect(first.map(({ id }) => id)).toEqual([3, 4]);
      const rest = await store.records.list(ns, { scan: 'exportable', now: NOW }, { after: 4, limit: 9 });
      expect(rest.map(({ id }) => id)).toEqual([6]);
      expect(first).toEqual(await store.records.get(ns, [3, 4], 'any'));
      expect(
        await store.records.list(namespace(), { scan: 'exportable', now: NOW }, { after: null, limit: 9 }),
      ).toEqual([]);
    });

    it('includes the history, listed with the oldest run first', async () => {
      const ns = namespace();
      const run = { name: 'x', surface: 'cli', actor: 'a', inputs: { n: 1 }, outcome: 'done', tookMs: 1 };
      const row = { ...run, category: 'pack_history', at: NOW, expiresAt: NOW + 2 } as const;
      const rows = [row, { ...row, name: 'y' }, { ...row, name: 'z', expiresAt: NOW + 1 }];
      await store.records.commit(ns, { items: historyChanges(rows, 100) });
      const page = (after: number | null, now = NOW): Promise<string[]> =>
        historyRuns(
          store.records,
          ns,
          { category: 'pack_history', now, order: 'oldest' },
          { after, limit: 2 },
        ).then((list) => list.map(({ name }) => name));
      expect(await page(null)).toEqual(['x', 'y']);
      expect(await page(2)).toEqual(['z']);
      expect(await page(2, NOW + 1)).toEqual([]);
      expect(
        await historyRuns(
          store.records,
          ns,
          { category: 'pipeline_history', now: NOW, order: 'oldest' },
          { after: null, limit: 9 },
        ),
      ).toEqual([]);
    });
  });
}
