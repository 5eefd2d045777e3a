import { describe, expect, it } from 'vitest';
import type { StoreFixture } from './store-contract.ts';
import { receipt } from './store-receipts.ts';
import { ALL_LIVE, draft, matchingRecords, note, NOW, passage, statsOf, write } from './store-samples.ts';
import {
  ALL,
  attachAudit,
  auditChain,
  auditChains,
  auditDraft,
  auditEntries,
  commit,
  deleteRecords,
  fact,
  historyRun,
  ownAuditLog,
  purgeRequest,
  startupEntry,
  verifyAudit,
  purge,
} from './written-samples.ts';
import {
  historyChanges,
  historyRuns,
  receiptPut,
  startupDigest,
  startupDigestChanges,
  startupEntries,
  startupPut,
  storedReceipts,
  idempotentResult,
} from '../../src/store/items/kinds.ts';

export function describeWrittenIsolation({ store, namespace }: StoreFixture): void {
  /** Everything that can be read from a namespace. */
  const readAll = async (ns: string): Promise<unknown> => {
    const chains = await auditChains(store(), ns);
    return {
      live: await store().records.list(ns, { filter: ALL_LIVE }, ALL),
      deleted: await store().records.list(ns, { filter: { ...ALL_LIVE, deleted: true } }, ALL),
      byKey: await store().records.list(
        ns,
        { filter: { ...ALL_LIVE, origins: ['fact'], keyPrefix: 'k' } },
        ALL,
      ),
      count: await store().records.count(ns, ALL_LIVE),
      categories: await store().records.facet(ns, 'category', { now: NOW, origins: ['fact'] }, 10),
      inAnyState: await store().records.get(ns, [1, 2, 3, 4, 5, 6, 7, 8, 9], 'any'),
      bounds: await store().records.bounds(ns),
      idempotentResult: await idempotentResult(store().records, ns, 'k', NOW),
      entries: await auditEntries(store(), ns, {}, ALL),
      entriesOfSubject: await auditEntries(store(), ns, { subject: 'u' }, ALL),
      chains,
      chain: await auditChain(store(), ns, chains[0]?.chain ?? '', ALL),
      auditFindings: await verifyAudit(store(), ns),
      startup: await startupEntries(store().records, ns),
      startupDigest: await startupDigest(store().records, ns, { agent: 'ada', session: 's' }),
      history: await historyRuns(store().records, ns, { category: 'pack_history', now: NOW }, ALL),
      receipts: await storedReceipts(store().records, ns, { since: 0 }, ALL),
      stats: await statsOf(store(), ns),
    };
  };
  const idempotencyKey = { key: 'k', fingerprint: 'f', at: NOW, expiresAt: NOW + 10 };
  const received = { agent: 'ada', session: 's', digest: 'd', at: NOW, forgetBefore: 0, keep: 1 };

  /** Writes data of every kind. */
  async function fill(ns: string, text: string, uuid: string): Promise<void> {
    const writes = [
      fact('k', 'c', text, { uuid }),
      fact('k2', 'c', text),
      note(text),
      note(text, { expiresAt: NOW }),
    ];
    await commit(store(), ns, {
      writes,
      idempotencyKey,
      audit: [auditDraft({ subject: 'u', diff: { text } })],
    });
    await deleteRecords(store(), ns, 3);
    await store().records.commit(ns, {
      items: [startupPut(startupEntry({ content: text }))],
      audit: [auditDraft({ subject: 'startup:rules' })],
    });
    await store().records.commit(ns, { items: startupDigestChanges({ ...received, digest: text }) });
    await store().records.commit(ns, { items: historyChanges([historyRun({ name: text })], 100) });
    await store().records.commit(ns, {
      items: [receiptPut(receipt(1, { body: text }))],
    });
  }

  describe('what agents write', () => {
    it('is not visible in another namespace, whatever is written there', async () => {
      const [ours, theirs] = [namespace(), namespace()];
      const { uuid } = draft();
      await fill(ours, 'ours', uuid);
      const before = await readAll(ours);
      await fill(theirs, 'theirs', uuid);
      expect(await readAll(ours)).toEqual(before);
      expect(JSON.stringify(before)).not.toContain('theirs');
      await commit(store(), theirs, {
        deletions: [{ id: 2, at: NOW - 5 }],
        restorations: [{ id: 3, at: NOW, passages: [passage('theirs')] }],
        audit: [auditDraft({ subject: uuid })],
      });
      await store().records.commit(theirs, {
        items: [startupPut(startupEntry({ deletedAt: NOW }))],
        audit: [],
      });
      const rows = Array.from({ length: 5 }, () => historyRun({ expiresAt: NOW + 1 }));
      await store().records.commit(theirs, { items: historyChanges(rows, 2) });
      await store().records.commit(theirs, {
        items: [
          receiptPut(receipt(2)),
          { of: 'receipt', forgetBefore: NOW + 2 },
          { of: 'receipt', keepNewest: 1, by: 'at' },
        ],
      });
      await attachAudit(store(), theirs, await ownAuditLog(store(), ours));
      await purge(store().records, theirs, purgeRequest({ by: { at: NOW + 99, actor: 'a', surface: 's' } }));
      await store().admin.compact(theirs);
      expect(await readAll(ours)).toEqual(before);
    });

    it('cannot be reached from another namespace by an id, a key or a chain', async () => {
      const [ours, theirs] = [namespace(), namespace()];
      await write(store(), ours, note('x'));
      await fill(theirs, 'secret', draft().uuid);
      const [ownChain] = await auditChains(store(), theirs);
      expect(await auditChain(store(), ours, ownChain!.chain, ALL)).toEqual([]);
      expect(await store().records.get(ours, [2, 3, 4], 'any')).toEqual([]);
      expect(await idempotentResult(store().records, ours, 'k', NOW)).toBeNull();
      for (const id of [2, 3, 4]) {
        const batches = [
          { deletions: [{ id, at: NOW }] },
          { restorations: [{ id, at: NOW, passages: [] }] },
          { writes: [{ ...note('x'), id }] },
        ];
        for (const batch of batches)
          await expect(commit(store(), ours, batch)).rejects.toMatchObject({ code: 'not_found' });
      }
      expect(await commit(store(), ours, { writes: [fact('k', 'c', 'mine')], idempotencyKey })).toEqual([2]);
      expect(await matchingRecords(store(), theirs, 'mine')).toEqual([]);
    });

    it('is empty in an unused namespace', async () => {
      const ns = namespace();
      expect(await readAll(ns)).toEqual({
        live: [],
        deleted: [],
        byKey: [],
        count: 0,
        categories: [],
        inAnyState: [],
        bounds: {
          highestId: 0,
          nextExpiry: null,
          oldestDeletion: null,
          nextHistoryExpiry: null,
          lastChange: 0,
          belongsTo: { upTo: 0, excludedSources: [], pass: null },
        },
        idempotentResult: null,
        entries: [],
        entriesOfSubject: [],
        chains: [],
        chain: [],
        auditFindings: [],
        startup: [],
        startupDigest: null,
        history: [],
        receipts: [],
        stats: undefined,
      });
      expect(await purge(store().records, ns, purgeRequest())).toBe(0);
      expect(await readAll(ns)).toMatchObject({ stats: undefined });
    });
  });
}
