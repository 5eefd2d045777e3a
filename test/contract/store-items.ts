import { describe, expect, it } from 'vitest';
import { sha256 } from '../../src/core/ids.ts';
import type { AuditDraft, HistoryCategory, HistoryDraft, StoredToken } from '../../src/store/admin-model.ts';
import type { ReceiptFilter, StoredReceipt } from '../../src/store/item-model.ts';
import {
  historyChanges,
  historyRuns,
  receiptPut,
  removeReceiptsBefore,
  startupDigest,
  startupDigestChanges,
  startupEntries,
  startupPlaced,
  startupPut,
  storedReceipt,
  storedReceipts,
  storedTokens,
  tokenPut,
  tokenRevocation,
  tokenUse,
} from '../../src/store/items/kinds.ts';
import { ADMIN_NAMESPACE } from '../../src/store/rules/admin-namespace.ts';
import type { StoreFixture } from './store-contract.ts';
import { NOW } from './store-samples.ts';
import {
  ALL,
  auditDraft,
  auditEntries,
  historyRun,
  purge,
  purgeRequest,
  startupEntry,
  UNUSUAL_TEXTS,
} from './written-samples.ts';

export function describeHistory({ store, namespace }: StoreFixture): void {
  const record = async (ns: string, rows: readonly HistoryDraft[], keep = 100): Promise<void> => {
    await store.records.commit(ns, { items: historyChanges(rows, keep) });
  };
  const names = async (
    ns: string,
    now = NOW,
    category: HistoryCategory = 'pack_history',
  ): Promise<string[]> =>
    (await historyRuns(store.records, ns, { category, now }, ALL)).map(({ name }) => name);

  describe('history', () => {
    it('returns each run as it was recorded, newest first', async () => {
      const ns = namespace();
      const first = historyRun({ inputs: { deep: { list: [1, null, '\ud800 é'] } }, name: 'a' });
      await record(ns, [first, historyRun({ category: 'pipeline_history', name: 'b' })]);
      await record(ns, [historyRun({ name: 'c' })]);
      const rows = await historyRuns(store.records, ns, { category: 'pack_history', now: NOW }, ALL);
      expect(rows.map(({ name }) => name)).toEqual(['c', 'a']);
      expect(rows[1]).toEqual({
        ...first,
        inputs: { deep: { list: [1, null, '\ufffd é'] } },
        id: rows[1]!.id,
      });
      expect(await names(ns, NOW, 'pipeline_history')).toEqual(['b']);
      expect(await store.admin.namespaces(ADMIN_NAMESPACE)).not.toContain(ns);
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
          store.records,
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
  });
}

export function describeStartup({ store, namespace }: StoreFixture): void {
  describe('startup entries', () => {
    it('have their places within a priority, which change without the rest of an entry', async () => {
      const ns = namespace();
      const entries = [
        startupEntry({ priority: 1, key: 'z' }),
        startupEntry({ priority: 1, key: 'c', place: 1 }),
        startupEntry({ priority: 1, key: 'a', place: 2 }),
        startupEntry({ priority: 2, key: 'b', place: 1 }),
      ];
      await store.records.commit(ns, { items: entries.toReversed().map(startupPut), audit: [] });
      expect(await startupEntries(store.records, ns)).toEqual(entries);
      const [first, moved, ...rest] = entries;
      await store.records.commit(ns, { items: [startupPlaced(moved!, 3)], audit: [] });
      const after = [first, rest[0], { ...moved, place: 3 }, rest[1]];
      expect(await startupEntries(store.records, ns)).toEqual(after);
    });

    it('are sorted by priority, key and agent, deleted ones included', async () => {
      const ns = namespace();
      const entries = [
        startupEntry({ priority: 0, key: 'b' }),
        startupEntry({ priority: 0, key: 'b', agent: 'ada', reinforce: true }),
        startupEntry({ priority: 0, key: 'é', deletedAt: NOW }),
        startupEntry({ priority: 1, key: 'a', content: 'two\nlines' }),
      ];
      await store.records.commit(ns, { items: entries.toReversed().map(startupPut), audit: [] });
      expect(await startupEntries(store.records, ns)).toEqual(entries);
    });

    it('replace entries of the same agent and key in one transaction with their audit entries', async () => {
      const ns = namespace();
      await store.records.commit(ns, {
        items: [startupPut(startupEntry()), startupPut(startupEntry({ agent: 'ada' }))],
        audit: [auditDraft()],
      });
      const changed = startupEntry({ content: 'be brief', priority: 5, deletedAt: NOW, updatedAt: NOW + 1 });
      await store.records.commit(ns, {
        items: [startupPut(changed)],
        audit: [auditDraft({ subject: 'startup:rules' }), auditDraft()],
      });
      expect(await startupEntries(store.records, ns)).toEqual([startupEntry({ agent: 'ada' }), changed]);
      expect(await auditEntries(store, ns, {}, ALL)).toHaveLength(3);
      expect(await auditEntries(store, ns, { subject: 'startup:rules' }, ALL)).toHaveLength(1);
      await store.records.commit(ns, { items: [], audit: [] });
      expect(await startupEntries(store.records, ns)).toHaveLength(2);
      expect(await store.admin.namespaces(ADMIN_NAMESPACE)).not.toContain(ns);
    });

    it('may contain any text, which is returned unchanged if it is well-formed', async () => {
      const ns = namespace();
      const texts = ['\ud800', 'a\0b', "'; DROP TABLE startup; --", ''];
      await store.records.commit(ns, {
        items: texts.map((text) => startupPut(startupEntry({ key: text, agent: text, content: text }))),
        audit: [],
      });
      const entries = await startupEntries(store.records, ns);
      const expected = ['\ufffd', ...texts.slice(1)].toSorted();
      for (const field of ['key', 'agent', 'content'] as const)
        expect(entries.map((entry) => entry[field]).toSorted()).toEqual(expected);
    });
  });

  describe('the startup text that a session received', () => {
    const received = { agent: 'ada', session: 's', digest: 'd1', at: NOW, forgetBefore: 0, keep: 100 };

    const digestOf = async (ns: string, agent: string, session: string): Promise<string | null> =>
      await startupDigest(store.records, ns, { agent, session });

    it('is identified by the last digest of each agent and session', async () => {
      const ns = namespace();
      expect(await digestOf(ns, 'ada', 's')).toBeNull();
      await store.records.commit(ns, { items: startupDigestChanges(received) });
      await store.records.commit(ns, {
        items: startupDigestChanges({ ...received, session: 't', digest: 'd2' }),
      });
      await store.records.commit(ns, { items: startupDigestChanges({ ...received, digest: 'd3' }) });
      expect(await digestOf(ns, 'ada', 's')).toBe('d3');
      expect(await digestOf(ns, 'ada', 't')).toBe('d2');
      expect(await digestOf(ns, 'bob', 's')).toBeNull();
      expect(await digestOf(ns, '', 's')).toBeNull();
      // The key is a pair, not the agent and the session in one text.
      await store.records.commit(ns, {
        items: startupDigestChanges({ ...received, agent: 'a', session: 'bc' }),
      });
      expect(await digestOf(ns, 'ab', 'c')).toBeNull();
    });

    it('is forgotten after a time', async () => {
      const ns = namespace();
      await store.records.commit(ns, {
        items: startupDigestChanges({ ...received, session: 'old', at: NOW - 2 }),
      });
      await store.records.commit(ns, {
        items: startupDigestChanges({ ...received, session: 'edge', at: NOW - 1 }),
      });
      await store.records.commit(ns, {
        items: startupDigestChanges({ ...received, forgetBefore: NOW - 1 }),
      });
      const digests = ['old', 'edge', 's'].map((session) => digestOf(ns, 'ada', session));
      expect(await Promise.all(digests)).toEqual([null, 'd1', 'd1']);
    });

    it('is kept for the most recent sessions of a namespace', async () => {
      const [ns, other] = [namespace(), namespace()];
      await store.records.commit(other, { items: startupDigestChanges({ ...received, at: NOW - 9 }) });
      for (const [i, session] of ['a', 'b', 'c'].entries())
        await store.records.commit(ns, {
          items: startupDigestChanges({ ...received, session, at: NOW + i, keep: 2 }),
        });
      await store.records.commit(ns, {
        items: startupDigestChanges({ ...received, session: 'b', at: NOW + 5, keep: 2 }),
      });
      await store.records.commit(ns, {
        items: startupDigestChanges({ ...received, session: 'd', at: NOW + 5, keep: 2 }),
      });
      const digests = ['a', 'b', 'c', 'd'].map((session) => digestOf(ns, 'ada', session));
      expect(await Promise.all(digests)).toEqual([null, 'd1', null, 'd1']);
      expect(await digestOf(other, 'ada', 's')).toBe('d1');
    });
  });
}

function token(id: string, fields: Partial<StoredToken> = {}): StoredToken {
  return {
    kind: 'token',
    id,
    hash: sha256(id),
    subject: 'älice 世界',
    name: 'laptop',
    scopes: ['read', 'write'],
    createdAt: NOW,
    expiresAt: NOW + 1000,
    revokedAt: null,
    csrfHash: null,
    usedAt: null,
    ...fields,
  };
}

export function describeTokens({ store, namespace }: StoreFixture): void {
  const add = (added: StoredToken, audit: readonly AuditDraft[] = []): Promise<unknown> =>
    store.records.commit(added.subject, { adminItems: [tokenPut(added)], audit });
  const revoke = (id: string, at: number, subject: string): Promise<unknown> =>
    store.records.commit(subject, { adminItems: [tokenRevocation(id, at)], audit: [auditDraft()] });
  const tokens = (hash?: string): Promise<StoredToken[]> =>
    storedTokens(store.records, ADMIN_NAMESPACE, hash);

  describe('tokens', () => {
    it('are found by their hash and listed unchanged, oldest first', async () => {
      const [young, old, lasting] = [
        token('young', { createdAt: NOW + 1 }),
        token('old', { scopes: [] }),
        token('lasting', { expiresAt: null }),
      ];
      for (const each of [young, old, lasting]) await add(each);
      expect(await tokens()).toEqual([lasting, old, young]);
      expect(await tokens(old.hash)).toEqual([old]);
      expect(await tokens(sha256('unknown'))).toEqual([]);
      expect(await storedTokens(store.records, old.subject)).toEqual([]);
      expect(await store.admin.namespaces(ADMIN_NAMESPACE)).not.toContain(ADMIN_NAMESPACE);
    });

    it('are rejected if their id or hash is taken', async () => {
      const first = token('first');
      await add(first);
      const count = (await tokens()).length;
      for (const other of [token('first', { hash: sha256('x') }), token('second', { hash: first.hash })])
        await expect(add(other)).rejects.toMatchObject({
          code: 'conflict',
          message: `a token with the id ${other.id} or the same hash already exists`,
        });
      expect(await tokens()).toHaveLength(count);
    });

    it('remain in the list after they are revoked, once, together with the entry in the log of their subject', async () => {
      const added = token('revoked', { subject: namespace() });
      await add(added, [auditDraft()]);
      await revoke('revoked', NOW + 5, added.subject);
      await expect(revoke('revoked', NOW + 9, added.subject)).rejects.toMatchObject({ code: 'conflict' });
      expect(await tokens(added.hash)).toEqual([{ ...added, revokedAt: NOW + 5 }]);
      expect(await auditEntries(store, added.subject, {}, { after: null, limit: 9 })).toHaveLength(2);
    });

    it('of which one makes another are exchanged once, in one transaction', async () => {
      const code = token('code', { kind: 'page_code', scopes: [] });
      await add(code);
      const sessions = ['first', 'second', 'third'].map((id) =>
        token(id, { kind: 'page_session', csrfHash: sha256(`csrf of ${id}`), usedAt: NOW }),
      );
      const exchange = (session: StoredToken): Promise<unknown> =>
        store.records.commit(session.subject, {
          adminItems: [tokenRevocation(code.id, NOW + 1), tokenPut(session)],
        });
      const outcomes = await Promise.allSettled(sessions.map(exchange));
      const made = sessions.filter((_, i) => outcomes[i]!.status === 'fulfilled');
      expect(made).toHaveLength(1);
      for (const outcome of outcomes)
        if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'conflict' });
      expect((await tokens()).filter(({ kind }) => kind === 'page_session')).toEqual(made);
      const [session] = made;
      await store.records.commit(code.subject, { adminItems: [tokenUse(session!.id, NOW + 7)] });
      expect(await tokens(session!.hash)).toEqual([{ ...session, usedAt: NOW + 7 }]);
    });

    it('are removed by a purge some time after they have expired, unless they were created by a person', async () => {
      const ids = ['page_code', 'page_session', 'token'] as const;
      for (const kind of ids) await add(token(`old ${kind}`, { kind }));
      const left = async (now: number): Promise<string[]> => {
        await store.records.commit(namespace(), { adminItems: [{ forgetExpired: now }] });
        return (await tokens()).filter(({ id }) => id.startsWith('old ')).map(({ kind }) => kind);
      };
      expect(await left(NOW + 2000)).toHaveLength(3);
      expect(await left(NOW + 3 * 86_400_000)).toEqual(['token']);
    });
  });
}

/** A stored receipt whose id ends with the number. */
export function receipt(number: number, fields: Partial<StoredReceipt> = {}): StoredReceipt {
  const id = `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`;
  return { id, kind: 'pack', at: NOW + number, hash: `hash ${String(number)}`, body: { id }, ...fields };
}

export function describeReceipts({ store, namespace }: StoreFixture): void {
  const of = 'receipt';
  const add = (ns: string, receipts: readonly StoredReceipt[], { forgetBefore = 0, keep = 100 } = {}) =>
    store.records.commit(ns, {
      items: [...receipts.map(receiptPut), { of, forgetBefore }, { of, keepNewest: keep, by: 'at' }],
    });
  const list = async (
    ns: string,
    filter: Partial<ReceiptFilter> = {},
    page: Parameters<typeof storedReceipts>[3] = ALL,
  ): Promise<number[]> => {
    const found = await storedReceipts(store.records, ns, { since: 0, ...filter }, page);
    return found.map(({ id }) => Number(id.slice(-12)));
  };

  describe('receipts', () => {
    it('are returned as they were added, newest first, ties by id', async () => {
      const ns = namespace();
      const body = { a: [1, null, true, { b: UNUSUAL_TEXTS[1]! }], n: 0.25 };
      const receipts = [receipt(1, { body }), receipt(3, { at: NOW }), receipt(2, { at: NOW })];
      await add(ns, receipts);
      expect(await list(ns)).toEqual([1, 3, 2]);
      expect(await storedReceipt(store.records, ns, receipts[0]!.id)).toEqual(receipts[0]);
      expect(await storedReceipt(store.records, ns, receipt(9).id)).toBeNull();
      expect(await list(ns, {}, { after: { at: NOW, id: receipt(3).id }, limit: 5 })).toEqual([2]);
      expect(await list(ns, {}, { after: null, limit: 1 })).toEqual([1]);
    });

    it('are filtered by time, kind, hash and record', async () => {
      const ns = namespace();
      const record = receipt(100).id;
      await add(ns, [receipt(1), receipt(2, { kind: 'recall' }), receipt(3, { hash: 'hash 1' })]);
      await add(ns, [receipt(1, { body: { candidates: [{ record }] } })]);
      expect(await list(ns, { record })).toEqual([1]);
      expect(await list(ns, { record, since: NOW + 2 })).toEqual([]);
      expect(await list(ns, { since: NOW + 2 })).toEqual([3, 2]);
      expect(await list(ns, { kind: 'recall' })).toEqual([2]);
      expect(await list(ns, { hash: 'hash 1' })).toEqual([3, 1]);
      expect(await list(ns, { hash: 'hash 1', kind: 'pack', since: NOW + 2 })).toEqual([3]);
      expect(
        await list(ns, { hash: 'hash 1' }, { after: { at: NOW + 3, id: receipt(3).id }, limit: 5 }),
      ).toEqual([1]);
    });

    it('replace one of the same id, and remove those that are too old or too many', async () => {
      const ns = namespace();
      await add(ns, [receipt(1), receipt(2), receipt(3)]);
      await add(ns, [receipt(2, { body: 'new', at: NOW + 9 })]);
      expect(await list(ns)).toEqual([2, 3, 1]);
      await add(ns, [receipt(4)], { forgetBefore: NOW + 3 });
      expect(await list(ns)).toEqual([2, 4, 3]);
      await add(ns, [receipt(5, { at: NOW + 4 })], { keep: 3 });
      expect(await list(ns)).toEqual([2, 5, 4]);
    });

    it('are removed by their time alone, and not by a purge', async () => {
      const ns = namespace();
      await add(ns, [receipt(1), receipt(2)]);
      await purge(store.records, ns, purgeRequest());
      expect(await list(ns)).toEqual([2, 1]);
      await removeReceiptsBefore(store.records, ns, NOW + 2);
      expect(await list(ns)).toEqual([2]);
      await removeReceiptsBefore(store.records, ns, NOW + 3);
      expect(await list(ns)).toEqual([]);
      await removeReceiptsBefore(store.records, namespace(), NOW + 3);
    });

    it('are refused with a time that is not whole', async () => {
      await expect(add(namespace(), [receipt(1, { at: 0.5 })])).rejects.toMatchObject({
        code: 'invalid_input',
      });
    });

    it('are of one namespace', async () => {
      const [ours, theirs] = [namespace(), namespace()];
      await add(ours, [receipt(1)]);
      await add(theirs, [receipt(1, { body: 'theirs' }), receipt(2)], { keep: 1, forgetBefore: NOW + 2 });
      expect(await list(ours)).toEqual([1]);
      expect(await storedReceipt(store.records, ours, receipt(1).id)).toEqual(receipt(1));
      expect(await storedReceipt(store.records, ours, receipt(2).id)).toBeNull();
      await removeReceiptsBefore(store.records, theirs, NOW + 100);
      expect(await list(ours)).toEqual([1]);
      expect(await list(namespace())).toEqual([]);
    });
  });
}
