import { describe, expect, it } from 'vitest';
import type { QuotaLimits } from '../../src/store/admin-model.ts';
import type { StoreFixture } from './store-contract.ts';
import { note, NOW, write } from './store-samples.ts';
import { auditDraft, deleteRecords, purge, purgeRequest } from './written-samples.ts';

const NONE: QuotaLimits = { maxRecords: null, maxBytes: null, maxRequests: null };

export function describeQuotas({ store, namespace }: StoreFixture): void {
  const limited = async (limits: Partial<QuotaLimits>): Promise<string> => {
    const ns = namespace();
    await store.records.commit(ns, { quota: { ...NONE, ...limits }, audit: [auditDraft()] });
    return ns;
  };
  const used = async (ns: string): Promise<unknown> => {
    const { records, bytes } = await store.admin.quota(ns);
    return { records, bytes };
  };

  describe('quotas', () => {
    it('count records that are not deleted, and the bytes of all that are kept', async () => {
      const ns = namespace();
      expect(await store.admin.quota(ns)).toEqual({ ...NONE, records: 0, bytes: 0 });
      await write(store, ns, note('ä'), note('bc', { expiresAt: NOW + 5 }), note('def'));
      expect(await used(ns)).toEqual({ records: 3, bytes: 7 });
      await deleteRecords(store, ns, 3);
      expect(await used(ns)).toEqual({ records: 2, bytes: 7 });
      await store.records.commit(ns, { restorations: [{ id: 3, at: NOW, passages: [] }] });
      expect(await used(ns)).toEqual({ records: 3, bytes: 7 });
      await purge(store.records, ns, purgeRequest({ expiredBy: NOW + 5 }));
      expect(await used(ns)).toEqual({ records: 2, bytes: 5 });
      await store.records.commit(ns, { writes: [{ ...note('longer'), id: 1 }] });
      expect(await used(ns)).toEqual({ records: 2, bytes: 9 });
      expect(await store.admin.verify(ns)).toEqual([]);
    });

    it('refuse a write that exceeds a limit, as a whole, and allow what makes it smaller', async () => {
      const ns = await limited({ maxRecords: 2, maxBytes: 10 });
      await write(store, ns, note('first'));
      await expect(write(store, ns, note('b'), note('c'))).rejects.toMatchObject({
        code: 'quota_exceeded',
        message: 'this memory may have 2 records; it has 1, and would have 3',
        hint: expect.stringContaining('operator'),
      });
      expect(await used(ns)).toEqual({ records: 1, bytes: 5 });
      await expect(write(store, ns, note('second'))).rejects.toMatchObject({
        message: 'this memory may have 10 bytes of text; it has 5, and would have 11',
      });
      await write(store, ns, note('other'));
      await store.records.commit(ns, { quota: { ...NONE, maxRecords: 1 } });
      await store.records.commit(ns, { writes: [{ ...note('a change'), id: 1 }] });
      await deleteRecords(store, ns, 2);
      await expect(write(store, ns, note('third'))).rejects.toMatchObject({ code: 'quota_exceeded' });
      await store.records.commit(ns, { quota: NONE });
      await write(store, ns, note('third'));
    });

    it('hold for writes at the same time', async () => {
      const ns = await limited({ maxRecords: 5 });
      const writes = Array.from({ length: 12 }, (_, i) => write(store, ns, note(`text ${String(i)}`)));
      const outcomes = await Promise.allSettled(writes);
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
      expect(await used(ns)).toMatchObject({ records: 5 });
    });

    it('admit as many requests as a minute may have, and say how long to wait for the next', async () => {
      const [ns, other] = [await limited({ maxRequests: 7 }), await limited({ maxRequests: 1 })];
      const admissions = await Promise.all(Array.from({ length: 20 }, () => store.admin.admitRequest(ns)));
      expect(admissions.filter(({ waitMs }) => waitMs === 0)).toHaveLength(7);
      for (const { limit, waitMs } of admissions) {
        expect(limit).toBe(7);
        expect(waitMs).toBeLessThanOrEqual(60_000 / 7 + 1);
      }
      expect(await store.admin.admitRequest(other)).toEqual({ limit: 1, waitMs: 0 });
      expect((await store.admin.admitRequest(other)).waitMs).toBeGreaterThan(50_000);
      expect(await store.admin.admitRequest(await limited({}))).toEqual({ limit: null, waitMs: 0 });
      expect(await store.admin.admitRequest(namespace())).toEqual({ limit: null, waitMs: 0 });
      // The limit is read with each request.
      await store.records.commit(other, { quota: { ...NONE, maxRequests: 1000 } });
      expect((await store.admin.admitRequest(other)).limit).toBe(1000);
    });

    it('are counted again by a repair', async () => {
      const ns = await limited({ maxRecords: 9 });
      await write(store, ns, note('a'));
      await store.admin.resetDerived(ns, { text: false, vectors: false });
      expect(await store.admin.quota(ns)).toEqual({ ...NONE, maxRecords: 9, records: 1, bytes: 1 });
    });
  });
}
