import { describe, expect, it } from 'vitest';
import { idempotentResult } from '../../src/store/items/kinds.ts';
import { ADMIN_NAMESPACE } from '../../src/store/rules/admin-namespace.ts';
import { nearestInTime, searchText, searchVectors } from './queries.ts';
import type { StoreFixture } from './store-contract.ts';
import {
  ALL_LIVE,
  anyOf,
  chunkedRecord,
  CHUNKING,
  countNotesWithKeys,
  draft,
  embed,
  matchingRecords,
  note,
  notesWithKey,
  NOW,
  passage,
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
  fact,
  idsOf,
  ownAuditLog,
  purge,
  purgeRequest,
  replacePassages,
  restore,
  verifyAudit,
} from './written-samples.ts';

export function describeDeletionAndRestoration(fixture: StoreFixture): void {
  describeDeletions(fixture);
  describeRestorations(fixture);
}

function describeDeletions({ store, namespace, generation }: StoreFixture): void {
  describe('a deletion', () => {
    it('removes a record from every index at once, and keeps the record', async () => {
      const [ns, vectors] = [namespace(), await generation(3)];
      await write(store, ns, note('stays'), note('confidential', { title: 'confidential', key: 'k' }));
      await embed(store, vectors, ns, () => unit(1, 0, 0));
      const [before] = await store.records.get(ns, [2], 'any');
      await deleteRecords(store, ns, 2);
      expect(await traces(store, ns, 2, 'confidential')).toEqual(NO_TRACE);
      expect(await searchVectors(store, ns, vectors, unit(1, 0, 0), ALL_LIVE, 5)).toHaveLength(1);
      expect(await notesWithKey(store, ns, 'k')).toEqual([]);
      expect(await countNotesWithKeys(store, ns, ['k'])).toEqual([0]);
      expect(idsOf(await store.records.sourceEntries(ns, 'notes', ALL))).toEqual([1]);
      expect(await nearestInTime(store, ns, ALL_LIVE, 10)).toHaveLength(1);
      expect(await store.records.get(ns, [2], 'any')).toEqual([{ ...before, deletedAt: NOW }]);
      expect(await store.admin.namespaces(ADMIN_NAMESPACE)).toContain(ns);
    });

    it('stays in effect when derived data is rebuilt', async () => {
      const ns = namespace();
      await write(store, ns, note('stays'), note('confidential'));
      const [record] = await store.records.get(ns, [2], 'any');
      await deleteRecords(store, ns, 2);
      await store.admin.resetDerived(ns, { text: false, vectors: true });
      expect(idsOf(await store.records.list(ns, { scan: 'stale', chunking: 'other' }, ALL))).toEqual([1]);
      await replacePassages(
        store,
        ns,
        'other',
        new Map([[2, chunkedRecord(record, [passage('confidential')])]]),
      );
      expect(await traces(store, ns, 2, 'confidential')).toEqual(NO_TRACE);
      expect(await store.admin.verify(ns)).toEqual([]);
    });

    it('is rejected for a record that is missing, expired or already deleted', async () => {
      const ns = namespace();
      await expect(deleteRecords(store, ns, 1)).rejects.toMatchObject({ code: 'not_found' });
      await write(store, ns, note('a'));
      await expect(deleteRecords(store, ns, 1, 1)).rejects.toMatchObject({ code: 'not_found' });
      await deleteRecords(store, ns, 1);
      await expect(deleteRecords(store, ns, 1)).rejects.toMatchObject({ code: 'not_found' });
      expect((await store.records.bounds(ns)).oldestDeletion).toBe(NOW);
    });

    it('prevents updates of the record and the reuse of its UUID', async () => {
      const ns = namespace();
      const { uuid } = draft();
      await write(store, ns, note('a', { uuid }));
      await deleteRecords(store, ns, 1);
      for (const passages of [[passage('b')], 'keep'] as const) {
        const update = { id: 1, draft: draft({ uuid }), passages };
        await expect(write(store, ns, update)).rejects.toMatchObject({ code: 'not_found' });
      }
      await expect(write(store, ns, note('b', { uuid }))).rejects.toMatchObject({ code: 'conflict' });
    });

    it('is rejected if its time is not a whole number', async () => {
      const ns = namespace();
      await write(store, ns, note('a'));
      for (const at of [0.5, Number.NaN, 2 ** 60]) {
        const deletions = [{ id: 1, at }];
        await expect(commit(store, ns, { deletions })).rejects.toMatchObject({ code: 'invalid_input' });
      }
      expect(idsOf(await store.records.get(ns, [1], { liveAt: NOW }))).toEqual([1]);
    });
  });

  describe('an update with an expected state', () => {
    it('succeeds only if the record has not changed in the meantime', async () => {
      const ns = namespace();
      await write(store, ns, note('first', { updatedAt: 5 }));
      const update = (text: string, expected: number): Promise<number[]> =>
        write(store, ns, { ...note(text, { updatedAt: 6 }), id: 1, expected });
      await expect(update('late', 4)).rejects.toMatchObject({ code: 'conflict' });
      expect(await matchingRecords(store, ns, 'first', 'late')).toEqual([1]);
      expect(await matchingRecords(store, ns, 'late')).toEqual([]);
      await update('second', 5);
      await expect(update('late', 5)).rejects.toMatchObject({ code: 'conflict' });
      expect(await matchingRecords(store, ns, 'second')).toEqual([1]);
    });
  });
}

function describeRestorations({ store, namespace }: StoreFixture): void {
  const restoreRecord = (ns: string, id: number, text: string): Promise<number[]> =>
    restore(store, ns, id, text, 'later');

  describe('a restoration', () => {
    it('restores a record with the new passages', async () => {
      const ns = namespace();
      await write(store, ns, note('before', { title: 'Heading', tags: ['t'] }));
      const before = await store.records.get(ns, [1], { liveAt: NOW });
      await deleteRecords(store, ns, 1);
      expect(await restoreRecord(ns, 1, 'after')).toEqual([]);
      const restored = await store.records.get(ns, [1], { liveAt: NOW });
      expect(restored).toEqual(before.map((record) => ({ ...record, updatedAt: restored[0]?.updatedAt })));
      expect(await matchingRecords(store, ns, 'after')).toEqual([1]);
      expect(await matchingRecords(store, ns, 'heading')).toEqual([1]);
      expect(await matchingRecords(store, ns, 'before')).toEqual([]);
      expect((await store.records.bounds(ns)).oldestDeletion).toBeNull();
      expect(await store.records.list(ns, { scan: 'stale', chunking: 'later' }, ALL)).toEqual([]);
    });

    it('is an update that is newer than the deletion', async () => {
      const ns = namespace();
      await write(store, ns, note('a'), note('b'));
      await commit(store, ns, { deletions: [1, 2].map((id) => ({ id, at: NOW + 5 })) });
      const restoredAt = async (id: number, at: number): Promise<number | undefined> => {
        await commit(store, ns, { restorations: [{ id, at, passages: [passage('a')] }] });
        return (await store.records.get(ns, [id], 'any'))[0]?.updatedAt;
      };
      expect([await restoredAt(1, NOW + 9), await restoredAt(2, NOW + 1)]).toEqual([NOW + 9, NOW + 6]);
    });

    it('is rejected for a record that is missing or live', async () => {
      const ns = namespace();
      await expect(restoreRecord(ns, 1, 'a')).rejects.toMatchObject({ code: 'not_found' });
      await write(store, ns, note('a'));
      await expect(restoreRecord(ns, 1, 'b')).rejects.toMatchObject({ code: 'not_found' });
      expect(await matchingRecords(store, ns, 'b')).toEqual([]);
    });

    it('is rejected when another fact has the key', async () => {
      const ns = namespace();
      await write(store, ns, fact('k', 'c', 'old'));
      await deleteRecords(store, ns, 1);
      await write(store, ns, fact('k', 'c', 'new'));
      await expect(restoreRecord(ns, 1, 'old')).rejects.toMatchObject({ code: 'conflict' });
      const swap = {
        deletions: [{ id: 2, at: NOW }],
        restorations: [{ id: 1, at: NOW, passages: [passage('old')] }],
      };
      await commit(store, ns, swap);
      expect(idsOf(await store.records.list(ns, { filter: ALL_LIVE }, ALL))).toEqual([1]);
      expect(await matchingRecords(store, ns, 'old', 'new')).toEqual([1]);
    });

    it('of a fact without a key never conflicts', async () => {
      const ns = namespace();
      await write(store, ns, fact(null, 'c', 'old'), fact(null, 'c', 'new'));
      await deleteRecords(store, ns, 1);
      await restoreRecord(ns, 1, 'old');
      expect([await matchingRecords(store, ns, 'old'), await matchingRecords(store, ns, 'new')]).toEqual([
        [1],
        [2],
      ]);
    });
  });

  describe('a fact', () => {
    it('is unique by key and category across sources, and does not conflict with documents of the same key', async () => {
      const ns = namespace();
      await write(
        store,
        ns,
        fact('k', 'c', 'one'),
        fact('k', 'd', 'two'),
        note('three', { key: 'k', source: 'mcp' }),
      );
      const duplicate = fact('k', 'c', 'four', { source: 'rest' });
      await expect(write(store, ns, duplicate)).rejects.toMatchObject({ code: 'conflict' });
      const moved = { ...fact('k', 'c', 'two'), id: 2 };
      await expect(write(store, ns, moved)).rejects.toMatchObject({ code: 'conflict' });
      expect(idsOf(await notesWithKey(store, ns, 'k'))).toEqual([3]);
      expect(await countNotesWithKeys(store, ns, ['k'])).toEqual([1]);
      expect(idsOf(await store.records.sourceEntries(ns, 'mcp', ALL))).toEqual([3]);
    });

    it('frees its key when it is deleted, but not when it expires', async () => {
      const ns = namespace();
      await write(store, ns, fact('k', 'c', 'one', { expiresAt: NOW - 1 }));
      await expect(write(store, ns, fact('k', 'c', 'two'))).rejects.toMatchObject({ code: 'conflict' });
      // A read as of an earlier time finds the expired fact, so that one commit can replace it.
      const [expired] = await store.records.list(
        ns,
        { filter: { now: 0, origins: ['fact'], key: 'k' } },
        ALL,
      );
      expect(expired?.id).toBe(1);
      const writes = [fact('k', 'c', 'two')];
      expect(await commit(store, ns, { deletions: [{ id: 1, at: NOW }], writes })).toEqual([2]);
      expect(await matchingRecords(store, ns, 'one', 'two')).toEqual([2]);
    });
  });
}

export function describePurge(fixture: StoreFixture): void {
  describePurges(fixture);
  describeIdempotencyKeys(fixture);
}

function describePurges({ store, namespace, generation }: StoreFixture): void {
  describe('a purge', () => {
    it('removes only records that are expired or were deleted before a time', async () => {
      const ns = namespace();
      const expiring = [NOW - 1, NOW, NOW + 1].map((expiresAt) => note('expiring', { expiresAt }));
      await write(store, ns, ...expiring, note('deleted early'), note('deleted late'), note('stays'));
      await commit(store, ns, {
        deletions: [
          { id: 4, at: NOW - 1 },
          { id: 5, at: NOW },
        ],
      });
      expect(await purge(store.records, ns, purgeRequest({ deletedBefore: NOW }))).toBe(3);
      expect(idsOf(await store.records.get(ns, [1, 2, 3, 4, 5, 6], 'any'))).toEqual([3, 5, 6]);
      expect(await purge(store.records, ns, purgeRequest({ deletedBefore: NOW }))).toBe(0);
      expect(await store.admin.verify(ns)).toEqual([]);
    });

    it('leaves no word of a deleted or expired record in any index', async () => {
      const [ns, vectors] = [namespace(), await generation(3)];
      await write(store, ns, note('stays'), note('confidential'), note('confidential', { expiresAt: NOW }));
      await embed(store, vectors, ns, () => unit(1, 0, 0));
      await deleteRecords(store, ns, 2);
      expect(await purge(store.records, ns, purgeRequest())).toBe(2);
      for (const id of [2, 3]) expect(await traces(store, ns, id, 'confidential')).toEqual(NO_TRACE);
      await store.admin.compact(ns);
      const stats = await statsOf(store, ns);
      expect([stats?.vectors, stats?.deleted]).toEqual([1, 0]);
    });

    it('removes at most the limit, lowest ids first', async () => {
      const ns = namespace();
      await write(store, ns, ...Array.from({ length: 5 }, () => note('x', { expiresAt: NOW })));
      expect(await purge(store.records, ns, purgeRequest({ limit: 2 }))).toBe(2);
      expect(idsOf(await store.records.get(ns, [1, 2, 3, 4, 5], 'any'))).toEqual([3, 4, 5]);
      expect(await purge(store.records, ns, purgeRequest({ limit: 0 }))).toBe(0);
      expect(await purge(store.records, ns, purgeRequest())).toBe(3);
    });

    it('adds an audit entry for each record and erases the diffs with its content', async () => {
      const ns = namespace();
      const [deleted, remaining] = [note('secret'), note('kept')];
      const audit = [deleted, remaining].map(({ draft: { uuid } }) =>
        auditDraft({ subject: uuid, diff: { content: 'x' } }),
      );
      await commit(store, ns, { writes: [deleted, remaining, note('old', { expiresAt: NOW })], audit });
      await deleteRecords(store, ns, 1);
      const [{ uuid } = { uuid: '' }] = await store.records.get(ns, [3], 'any');
      await purge(store.records, ns, purgeRequest({ by: { at: NOW + 5, actor: 'loci', surface: 'upkeep' } }));
      const entries = (await auditEntries(store, ns, {}, ALL)).toReversed();
      const by = { at: NOW + 5, actor: 'loci', surface: 'upkeep', diff: null, diffHash: null };
      expect(entries).toMatchObject([
        { subject: deleted.draft.uuid, action: 'write', diff: null, diffHash: expect.any(String) as string },
        { subject: remaining.draft.uuid, action: 'write', diff: { content: 'x' } },
        { ...by, subject: deleted.draft.uuid, action: 'purge' },
        { ...by, subject: uuid, action: 'expire' },
      ]);
      expect(await verifyAudit(store, ns)).toEqual([]);
    });

    it('erases the diffs of an attached audit log too', async () => {
      const [ns, other] = [namespace(), namespace()];
      const expired = note('secret', { expiresAt: NOW });
      const subjects = [expired.draft.uuid, 'another'];
      // The shortest diff is shorter than `null`.
      const audit = [{ content: 'x' }, {}].flatMap((diff) =>
        subjects.map((subject) => auditDraft({ subject, diff })),
      );
      await commit(store, other, { audit });
      const foreign = await ownAuditLog(store, other);
      const { chain } = foreign[0]!;
      await attachAudit(store, ns, foreign);
      await write(store, ns, expired);
      await purge(store.records, ns, purgeRequest());
      expect(await auditChain(store, ns, chain, ALL)).toEqual(
        foreign.map((entry) => (entry.subject === expired.draft.uuid ? { ...entry, diff: null } : entry)),
      );
      expect(await ownAuditLog(store, other)).toEqual(foreign);
    });

    it('does not free ids, and does not change the highest id', async () => {
      const ns = namespace();
      expect((await store.records.bounds(ns)).highestId).toBe(0);
      await write(store, ns, note('a'), note('b', { expiresAt: NOW }));
      await purge(store.records, ns, purgeRequest());
      expect((await store.records.bounds(ns)).highestId).toBe(2);
      expect(await write(store, ns, note('c'))).toEqual([3]);
      await expect(write(store, ns, { ...note('x'), id: 9 })).rejects.toThrow();
      expect((await store.records.bounds(ns)).highestId).toBe(3);
    });

    it('is due at the earliest expiry or deletion', async () => {
      const ns = namespace();
      expect((await store.records.bounds(ns)).nextExpiry).toBeNull();
      expect((await store.records.bounds(ns)).oldestDeletion).toBeNull();
      await write(store, ns, note('a'), note('b', { expiresAt: NOW + 9 }), note('c', { expiresAt: NOW - 9 }));
      expect((await store.records.bounds(ns)).nextExpiry).toBe(NOW - 9);
      await commit(store, ns, {
        deletions: [
          { id: 1, at: NOW - 3 },
          { id: 2, at: NOW - 4 },
        ],
      });
      expect((await store.records.bounds(ns)).oldestDeletion).toBe(NOW - 4);
      await purge(store.records, ns, purgeRequest());
      expect((await store.records.bounds(ns)).nextExpiry).toBeNull();
    });
  });
}

function describeIdempotencyKeys({ store, namespace }: StoreFixture): void {
  const idempotencyKey = { key: 'k', fingerprint: 'f', at: NOW, expiresAt: NOW + 10 };

  describe('an idempotency key', () => {
    it('is stored with the ids of its batch until it expires', async () => {
      const ns = namespace();
      expect(await idempotentResult(store.records, ns, 'k', NOW)).toBeNull();
      await write(store, ns, note('a'));
      await commit(store, ns, { writes: [note('b'), { ...note('a'), id: 1 }, note('c')], idempotencyKey });
      const done = { fingerprint: 'f', records: [2, 1, 3] };
      expect(await idempotentResult(store.records, ns, 'k', NOW + 9)).toEqual(done);
      expect(await idempotentResult(store.records, ns, 'k', NOW + 10)).toBeNull();
      expect(await idempotentResult(store.records, ns, 'K', NOW)).toBeNull();
    });

    it('rejects a second batch as a whole, with the same content or another', async () => {
      const ns = namespace();
      await commit(store, ns, { writes: [note('first')], idempotencyKey });
      const audit = [auditDraft()];
      for (const fingerprint of ['f', 'g']) {
        const again = { ...idempotencyKey, fingerprint, at: NOW + 9 };
        const second = commit(store, ns, { writes: [note('second')], idempotencyKey: again, audit });
        await expect(second).rejects.toMatchObject({ code: 'conflict' });
      }
      expect(await matchingRecords(store, ns, 'second')).toEqual([]);
      expect(await auditEntries(store, ns, {}, ALL)).toEqual([]);
      expect((await store.records.bounds(ns)).highestId).toBe(1);
      const later = { ...idempotencyKey, fingerprint: 'g', at: NOW + 10, expiresAt: NOW + 20 };
      expect(await commit(store, ns, { writes: [note('third')], idempotencyKey: later })).toEqual([2]);
      expect(await idempotentResult(store.records, ns, 'k', NOW + 10)).toEqual({
        fingerprint: 'g',
        records: [2],
      });
    });

    it('can be used again after a failure', async () => {
      const ns = namespace();
      const failing = commit(store, ns, { writes: [{ ...note('x'), id: 7 }], idempotencyKey });
      await expect(failing).rejects.toMatchObject({ code: 'not_found' });
      expect(await idempotentResult(store.records, ns, 'k', NOW)).toBeNull();
      expect(await commit(store, ns, { writes: [note('x')], idempotencyKey, chunking: CHUNKING })).toEqual([
        1,
      ]);
      expect(await searchText(store, ns, anyOf('x'), ALL_LIVE, 5)).toHaveLength(1);
    });

    it.each(['a batch with another key', 'a purge'])('is removed after it expires by %s', async (by) => {
      const ns = namespace();
      await commit(store, ns, { idempotencyKey });
      for (const [at, done] of [
        [NOW + 9, { fingerprint: 'f', records: [] }],
        [NOW + 10, null],
      ] as const) {
        const later = { ...idempotencyKey, key: `at ${String(at)}`, at, expiresAt: at + 10 };
        if (by !== 'a purge') await commit(store, ns, { idempotencyKey: later });
        else await purge(store.records, ns, purgeRequest({ by: { at, actor: 'loci', surface: 'upkeep' } }));
        expect(await idempotentResult(store.records, ns, 'k', NOW)).toEqual(done);
      }
    });
  });
}
