import { describe, expect, it } from 'vitest';
import type { StoreFixture } from './store-contract.ts';
import { goldenQuery, label, receipt } from './store-receipts.ts';
import { ALL_LIVE, draft, matchingRecords, note, NOW, passage, statsOf, write } from './store-samples.ts';
import {
  ALL,
  auditDraft,
  commit,
  deleteRecords,
  fact,
  historyRun,
  ownAuditLog,
  purgeRequest,
  startupEntry,
} from './written-samples.ts';

export function describeWrittenIsolation({ store, namespace }: StoreFixture): void {
  /** Everything that can be read from a namespace. */
  const readAll = async (ns: string): Promise<unknown> => {
    const chains = await store().admin.auditChains(ns);
    return {
      live: await store().records.list(ns, { filter: ALL_LIVE }, ALL),
      deleted: await store().records.list(ns, { filter: { ...ALL_LIVE, deleted: true } }, ALL),
      byKey: await store().records.list(
        ns,
        { filter: { ...ALL_LIVE, origins: ['fact'], keyPrefix: 'k' } },
        ALL,
      ),
      count: await store().records.count(ns, ALL_LIVE),
      categories: await store().records.factCategories(ns, NOW, 10),
      inAnyState: await store().records.get(ns, [1, 2, 3, 4, 5, 6, 7, 8, 9], 'any'),
      bounds: await store().records.bounds(ns),
      idempotentResult: await store().records.findIdempotentResult(ns, 'k', NOW),
      entries: await store().admin.auditEntries(ns, {}, ALL),
      entriesOfSubject: await store().admin.auditEntries(ns, { subject: 'u' }, ALL),
      chains,
      chain: await store().admin.auditChain(ns, chains[0]?.chain ?? '', ALL),
      auditFindings: await store().admin.verifyAudit(ns),
      startup: (await store().records.startup(ns)).entries,
      startupDigest: (await store().records.startup(ns, { agent: 'ada', session: 's' })).digest,
      history: await store().admin.history(ns, { category: 'pack_history', now: NOW }, ALL),
      receipts: await store().receipts.list(ns, { since: 0 }, ALL),
      labels: await store().receipts.labels(ns, null, ALL),
      goldenQueries: await store().receipts.goldenQueries(ns, ALL),
      stats: await statsOf(store(), ns),
    };
  };
  const idempotencyKey = { key: 'k', fingerprint: 'f', at: NOW, expiresAt: NOW + 10 };
  const startupDigest = { agent: 'ada', session: 's', digest: 'd', at: NOW, forgetBefore: 0, keep: 1 };

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
      startup: [startupEntry({ content: text })],
      audit: [auditDraft({ subject: 'startup:rules' })],
    });
    await store().records.commit(ns, { startupDigest: { ...startupDigest, digest: text } });
    await store().records.commit(ns, { history: { rows: [historyRun({ name: text })], keep: 100 } });
    await store().receipts.add(ns, { receipts: [receipt(1, { body: text })], forgetBefore: 0, keep: 9 });
    await store().records.commit(ns, {
      labels: [label({ query: text })],
      goldenQueries: [goldenQuery({ query: text })],
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
      await store().records.commit(theirs, { startup: [startupEntry({ deletedAt: NOW })], audit: [] });
      const rows = Array.from({ length: 5 }, () => historyRun({ expiresAt: NOW + 1 }));
      await store().records.commit(theirs, { history: { rows, keep: 2 } });
      await store().receipts.add(theirs, { receipts: [receipt(2)], forgetBefore: NOW + 2, keep: 1 });
      await store().records.commit(theirs, {
        labels: [label({ verdict: 'not-useful' })],
        goldenQueries: [goldenQuery({ query: '', expected: [] })],
      });
      await store().admin.attachAudit(theirs, await ownAuditLog(store(), ours));
      await store().records.purge(theirs, purgeRequest({ by: { at: NOW + 99, actor: 'a', surface: 's' } }));
      await store().admin.compact(theirs);
      expect(await readAll(ours)).toEqual(before);
    });

    it('cannot be reached from another namespace by an id, a key or a chain', async () => {
      const [ours, theirs] = [namespace(), namespace()];
      await write(store(), ours, note('x'));
      await fill(theirs, 'secret', draft().uuid);
      const [ownChain] = await store().admin.auditChains(theirs);
      expect(await store().admin.auditChain(ours, ownChain!.chain, ALL)).toEqual([]);
      expect(await store().records.get(ours, [2, 3, 4], 'any')).toEqual([]);
      expect(await store().records.findIdempotentResult(ours, 'k', NOW)).toBeNull();
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
        labels: [],
        goldenQueries: [],
        stats: undefined,
      });
      expect(await store().records.purge(ns, purgeRequest())).toBe(0);
      expect(await readAll(ns)).toMatchObject({ stats: undefined });
    });
  });
}
