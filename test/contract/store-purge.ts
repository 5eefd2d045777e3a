import { describe, expect, it } from 'vitest';
import { idempotentResult } from '../../src/store/items/kinds.ts';
import type { StoreFixture } from './store-contract.ts';
import { searchText } from './queries.ts';
import {
  ALL_LIVE,
  anyOf,
  CHUNKING,
  embed,
  matchingRecords,
  note,
  NOW,
  statsOf,
  unit,
  write,
} from './store-samples.ts';
import { NO_TRACE, traces } from './traces.ts';
import {
  ALL,
  attachAudit,
  auditChain,
  auditDraft,
  auditEntries,
  commit,
  deleteRecords,
  idsOf,
  ownAuditLog,
  purgeRequest,
  verifyAudit,
  purge,
} from './written-samples.ts';

export function describePurge(fixture: StoreFixture): void {
  describePurges(fixture);
  describeIdempotencyKeys(fixture);
}

function describePurges({ store, namespace, generation }: StoreFixture): void {
  describe('a purge', () => {
    it('removes only records that are expired or were deleted before a time', async () => {
      const ns = namespace();
      const expiring = [NOW - 1, NOW, NOW + 1].map((expiresAt) => note('expiring', { expiresAt }));
      await write(store(), ns, ...expiring, note('deleted early'), note('deleted late'), note('stays'));
      await commit(store(), ns, {
        deletions: [
          { id: 4, at: NOW - 1 },
          { id: 5, at: NOW },
        ],
      });
      expect(await purge(store().records, ns, purgeRequest({ deletedBefore: NOW }))).toBe(3);
      expect(idsOf(await store().records.get(ns, [1, 2, 3, 4, 5, 6], 'any'))).toEqual([3, 5, 6]);
      expect(await purge(store().records, ns, purgeRequest({ deletedBefore: NOW }))).toBe(0);
      expect(await store().admin.verify(ns)).toEqual([]);
    });

    it('leaves no word of a deleted or expired record in any index', async () => {
      const [ns, vectors] = [namespace(), await generation(3)];
      await write(store(), ns, note('stays'), note('confidential'), note('confidential', { expiresAt: NOW }));
      await embed(store(), vectors, ns, () => unit(1, 0, 0));
      await deleteRecords(store(), ns, 2);
      expect(await purge(store().records, ns, purgeRequest())).toBe(2);
      for (const id of [2, 3]) expect(await traces(store(), ns, id, 'confidential')).toEqual(NO_TRACE);
      await store().admin.compact(ns);
      const stats = await statsOf(store(), ns);
      expect([stats?.vectors, stats?.deleted]).toEqual([1, 0]);
    });

    it('removes at most the limit, lowest ids first', async () => {
      const ns = namespace();
      await write(store(), ns, ...Array.from({ length: 5 }, () => note('x', { expiresAt: NOW })));
      expect(await purge(store().records, ns, purgeRequest({ limit: 2 }))).toBe(2);
      expect(idsOf(await store().records.get(ns, [1, 2, 3, 4, 5], 'any'))).toEqual([3, 4, 5]);
      expect(await purge(store().records, ns, purgeRequest({ limit: 0 }))).toBe(0);
      expect(await purge(store().records, ns, purgeRequest())).toBe(3);
    });

    it('adds an audit entry for each record and erases the diffs with its content', async () => {
      const ns = namespace();
      const [deleted, remaining] = [note('secret'), note('kept')];
      const audit = [deleted, remaining].map(({ draft: { uuid } }) =>
        auditDraft({ subject: uuid, diff: { content: 'x' } }),
      );
      await commit(store(), ns, { writes: [deleted, remaining, note('old', { expiresAt: NOW })], audit });
      await deleteRecords(store(), ns, 1);
      const [{ uuid } = { uuid: '' }] = await store().records.get(ns, [3], 'any');
      await purge(
        store().records,
        ns,
        purgeRequest({ by: { at: NOW + 5, actor: 'loci', surface: 'upkeep' } }),
      );
      const entries = (await auditEntries(store(), ns, {}, ALL)).toReversed();
      const by = { at: NOW + 5, actor: 'loci', surface: 'upkeep', diff: null, diffHash: null };
      expect(entries).toMatchObject([
        { subject: deleted.draft.uuid, action: 'write', diff: null, diffHash: expect.any(String) as string },
        { subject: remaining.draft.uuid, action: 'write', diff: { content: 'x' } },
        { ...by, subject: deleted.draft.uuid, action: 'purge' },
        { ...by, subject: uuid, action: 'expire' },
      ]);
      expect(await verifyAudit(store(), ns)).toEqual([]);
    });

    it('erases the diffs of an attached audit log too', async () => {
      const [ns, other] = [namespace(), namespace()];
      const expired = note('secret', { expiresAt: NOW });
      const subjects = [expired.draft.uuid, 'another'];
      // The shortest diff is shorter than `null`.
      const audit = [{ content: 'x' }, {}].flatMap((diff) =>
        subjects.map((subject) => auditDraft({ subject, diff })),
      );
      await commit(store(), other, { audit });
      const foreign = await ownAuditLog(store(), other);
      const { chain } = foreign[0]!;
      await attachAudit(store(), ns, foreign);
      await write(store(), ns, expired);
      await purge(store().records, ns, purgeRequest());
      expect(await auditChain(store(), ns, chain, ALL)).toEqual(
        foreign.map((entry) => (entry.subject === expired.draft.uuid ? { ...entry, diff: null } : entry)),
      );
      expect(await ownAuditLog(store(), other)).toEqual(foreign);
    });

    it('does not free ids, and does not change the highest id', async () => {
      const ns = namespace();
      expect((await store().records.bounds(ns)).highestId).toBe(0);
      await write(store(), ns, note('a'), note('b', { expiresAt: NOW }));
      await purge(store().records, ns, purgeRequest());
      expect((await store().records.bounds(ns)).highestId).toBe(2);
      expect(await write(store(), ns, note('c'))).toEqual([3]);
      await expect(write(store(), ns, { ...note('x'), id: 9 })).rejects.toThrow();
      expect((await store().records.bounds(ns)).highestId).toBe(3);
    });

    it('is due at the earliest expiry or deletion', async () => {
      const ns = namespace();
      expect((await store().records.bounds(ns)).nextExpiry).toBeNull();
      expect((await store().records.bounds(ns)).oldestDeletion).toBeNull();
      await write(
        store(),
        ns,
        note('a'),
        note('b', { expiresAt: NOW + 9 }),
        note('c', { expiresAt: NOW - 9 }),
      );
      expect((await store().records.bounds(ns)).nextExpiry).toBe(NOW - 9);
      await commit(store(), ns, {
        deletions: [
          { id: 1, at: NOW - 3 },
          { id: 2, at: NOW - 4 },
        ],
      });
      expect((await store().records.bounds(ns)).oldestDeletion).toBe(NOW - 4);
      await purge(store().records, ns, purgeRequest());
      expect((await store().records.bounds(ns)).nextExpiry).toBeNull();
    });
  });
}

function describeIdempotencyKeys({ store, namespace }: StoreFixture): void {
  const idempotencyKey = { key: 'k', fingerprint: 'f', at: NOW, expiresAt: NOW + 10 };

  describe('an idempotency key', () => {
    it('is stored with the ids of its batch until it expires', async () => {
      const ns = namespace();
      expect(await idempotentResult(store().records, ns, 'k', NOW)).toBeNull();
      await write(store(), ns, note('a'));
      await commit(store(), ns, { writes: [note('b'), { ...note('a'), id: 1 }, note('c')], idempotencyKey });
      const done = { fingerprint: 'f', records: [2, 1, 3] };
      expect(await idempotentResult(store().records, ns, 'k', NOW + 9)).toEqual(done);
      expect(await idempotentResult(store().records, ns, 'k', NOW + 10)).toBeNull();
      expect(await idempotentResult(store().records, ns, 'K', NOW)).toBeNull();
    });

    it('rejects a second batch as a whole, with the same content or another', async () => {
      const ns = namespace();
      await commit(store(), ns, { writes: [note('first')], idempotencyKey });
      const audit = [auditDraft()];
      for (const fingerprint of ['f', 'g']) {
        const again = { ...idempotencyKey, fingerprint, at: NOW + 9 };
        const second = commit(store(), ns, { writes: [note('second')], idempotencyKey: again, audit });
        await expect(second).rejects.toMatchObject({ code: 'conflict' });
      }
      expect(await matchingRecords(store(), ns, 'second')).toEqual([]);
      expect(await auditEntries(store(), ns, {}, ALL)).toEqual([]);
      expect((await store().records.bounds(ns)).highestId).toBe(1);
      const later = { ...idempotencyKey, fingerprint: 'g', at: NOW + 10, expiresAt: NOW + 20 };
      expect(await commit(store(), ns, { writes: [note('third')], idempotencyKey: later })).toEqual([2]);
      expect(await idempotentResult(store().records, ns, 'k', NOW + 10)).toEqual({
        fingerprint: 'g',
        records: [2],
      });
    });

    it('can be used again after a failure', async () => {
      const ns = namespace();
      const failing = commit(store(), ns, { writes: [{ ...note('x'), id: 7 }], idempotencyKey });
      await expect(failing).rejects.toMatchObject({ code: 'not_found' });
      expect(await idempotentResult(store().records, ns, 'k', NOW)).toBeNull();
      expect(await commit(store(), ns, { writes: [note('x')], idempotencyKey, chunking: CHUNKING })).toEqual([
        1,
      ]);
      expect(await searchText(store(), ns, anyOf('x'), ALL_LIVE, 5)).toHaveLength(1);
    });

    it('is removed after it expires by a batch with another key', async () => {
      const ns = namespace();
      await commit(store(), ns, { idempotencyKey });
      for (const [at, done] of [
        [NOW + 9, { fingerprint: 'f', records: [] }],
        [NOW + 10, null],
      ] as const) {
        await commit(store(), ns, {
          idempotencyKey: { ...idempotencyKey, key: `at ${String(at)}`, at, expiresAt: at + 10 },
        });
        expect(await idempotentResult(store().records, ns, 'k', NOW)).toEqual(done);
      }
    });

    it('is removed after it expires by a purge', async () => {
      const ns = namespace();
      await commit(store(), ns, { idempotencyKey });
      for (const [at, done] of [
        [NOW + 9, { fingerprint: 'f', records: [] }],
        [NOW + 10, null],
      ] as const) {
        await purge(store().records, ns, purgeRequest({ by: { at, actor: 'loci', surface: 'upkeep' } }));
        expect(await idempotentResult(store().records, ns, 'k', NOW)).toEqual(done);
      }
    });
  });
}
