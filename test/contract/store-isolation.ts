import { describe, expect, it } from 'vitest';
import {
  historyChanges,
  historyRuns,
  idempotentResult,
  receiptPut,
  startupDigest,
  startupDigestChanges,
  startupEntries,
  startupPut,
  storedReceipts,
} from '../../src/store/items/kinds.ts';
import { ADMIN_NAMESPACE } from '../../src/store/rules/admin-namespace.ts';
import { cosinesOf, neighboursOf, passagesOf, searchText, searchVectors } from './queries.ts';
import type { StoreFixture } from './store-contract.ts';
import { receipt } from './store-items.ts';
import {
  ALL_LIVE,
  anyOf,
  chunkedRecord,
  countNotesWithKeys,
  draft,
  embed,
  evict,
  matchingPassages,
  matchingRecords,
  note,
  notesWithKey,
  NOW,
  passage,
  statsOf,
  unit,
  write,
} from './store-samples.ts';
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
  purge,
  purgeRequest,
  replacePassages,
  startupEntry,
  verifyAudit,
} from './written-samples.ts';

export function describeIsolation({ store, namespace, generation }: StoreFixture): void {
  describe('namespaces', () => {
    it('do not affect each other’s results and scores', async () => {
      const [ours, theirs] = [namespace(), namespace()];
      const vectors = await generation(3);
      const { uuid } = draft();
      const session = { session: 's', speaker: 'Ada' };
      await write(
        store,
        ours,
        note(['marble worktop', 'and a sink'], { uuid, key: 'k', metadata: session }),
        note('a granite worktop', { metadata: session }),
      );
      await embed(store, vectors, ours, (text) => unit(1, text.length, 2));
      const readAll = async (): Promise<unknown> => {
        const ids = await matchingPassages(store, ours, 'worktop');
        return {
          text: await searchText(store, ours, anyOf('marble', 'worktop'), ALL_LIVE, 10),
          vectors: await searchVectors(store, ours, vectors, unit(1, 2, 3), ALL_LIVE, 10),
          cosines: await cosinesOf(store, ours, vectors, unit(1, 2, 3), anyOf('worktop')),
          terms: (await store.search.terms(ours, ['worktop', 'wrktop', 'secret'])).terms,
          neighbours: await neighboursOf(store, ours, ids, { before: 5, after: 5 }),
          passages: await passagesOf(store, ours, ids, ALL_LIVE),
          records: await store.records.list(ours, { scan: 'undeleted' }, { after: null, limit: 10 }),
          byKey: await notesWithKey(store, ours, 'k'),
          entries: await store.records.sourceEntries(ours, 'notes', { after: null, limit: 10 }),
          timeline: await store.records.timeline(ours, {
            filter: ALL_LIVE,
            around: { record: 1 },
            before: 50,
            after: 50,
          }),
          table: await store.records.table(
            ours,
            { filter: ALL_LIVE, sort: 'title', descending: false },
            { after: null, limit: 50 },
          ),
          histogram: await store.records.histogram(ours, ALL_LIVE, [0, NOW * 2]),
          stats: await statsOf(store, ours),
        };
      };
      const before = await readAll();

      const similar = Array.from({ length: 50 }, (_, i) =>
        note(`marble worktop secret worktops ${'pad '.repeat(i)}`, { metadata: session }),
      );
      await write(store, theirs, note('marble worktop', { uuid, key: 'k' }), ...similar);
      await embed(store, vectors, theirs, (text) => unit(1, text.length, 2));
      expect(await readAll()).toEqual(before);
      await evict(store, theirs, 1, 3, 5);
      await store.admin.resetDerived(theirs, { text: false, vectors: true });
      expect(await readAll()).toEqual(before);
      await store.admin.resetDerived(theirs, { text: true, vectors: true });
      await store.admin.compact(theirs);
      expect(await readAll()).toEqual(before);
    });

    it('do not return data of another namespace, whatever the id', async () => {
      const [ours, theirs] = [namespace(), namespace()];
      const vectors = await generation(3);
      await write(store, ours, note('ours'));
      const shared = note(['secret', 'secret too'], { metadata: { session: 's' } });
      await write(store, theirs, shared, note('secret three', { metadata: { session: 's' } }));
      const foreign = await matchingPassages(store, theirs, 'secret');
      expect(foreign).toHaveLength(3);
      await embed(store, vectors, theirs, () => unit(1, 0, 0));
      expect(await passagesOf(store, ours, foreign, ALL_LIVE)).toEqual([]);
      expect(await neighboursOf(store, ours, foreign, { before: 3, after: 3 })).toEqual([]);
      expect(await store.records.get(ours, [2, 3], { liveAt: NOW })).toEqual([]);
      expect(await store.records.passagesOf(ours, [2])).toEqual(new Map([[2, []]]));
      expect((await store.search.terms(ours, ['secret', 'secrt'])).terms).toEqual([
        { word: 'secret', passages: 0, near: [] },
        { word: 'secrt', passages: 0, near: [] },
      ]);
      const secret = (await store.records.list(theirs, { scan: 'undeleted' }, { after: 1, limit: 1 }))[0];
      await replacePassages(store, ours, 'other', new Map([[2, chunkedRecord(secret, [])]]));
      expect(await matchingPassages(store, theirs, 'secret')).toEqual(foreign);
    });

    it('do not share vectors, even of the same content', async () => {
      const [ours, theirs] = [namespace(), namespace()];
      const vectors = await generation(3);
      const shared = note('the same words');
      await write(store, ours, shared);
      await write(store, theirs, shared);
      const [{ hash } = { hash: '' }] = (await store.records.passagesOf(ours, [1])).get(1) ?? [];
      await store.vectors.put(theirs, vectors, [{ hash, vector: unit(1, 0, 0) }]);
      expect(await searchVectors(store, ours, vectors, unit(1, 0, 0), ALL_LIVE, 5)).toEqual([]);
      expect(await searchVectors(store, theirs, vectors, unit(1, 0, 0), ALL_LIVE, 5)).toHaveLength(1);
    });

    it('may have any name', async () => {
      for (const name of ['', ' ', '../x', "'; DROP TABLE record; --", '__proto__', 'Ünïcode 名', 'A', 'a']) {
        const ns = `${namespace()}${name}`;
        await write(store, ns, note('text'));
        expect(await store.admin.namespaces(ADMIN_NAMESPACE)).toContain(ns);
        expect(await matchingPassages(store, ns, 'text')).toHaveLength(1);
      }
    });

    it('return empty results if they are empty', async () => {
      const ns = namespace();
      const vectors = await generation(3);
      const all = { after: null, limit: 10 };
      expect(await store.records.get(ns, [1], { liveAt: NOW })).toEqual([]);
      expect(await notesWithKey(store, ns, 'k')).toEqual([]);
      expect(await countNotesWithKeys(store, ns, ['k'])).toEqual([0]);
      expect(await store.records.sourceEntries(ns, 's', all)).toEqual([]);
      expect(await searchText(store, ns, anyOf('x'), ALL_LIVE, 5)).toEqual([]);
      expect(await searchVectors(store, ns, vectors, unit(1, 0, 0), ALL_LIVE, 5)).toEqual([]);
      expect(await cosinesOf(store, ns, vectors, unit(1, 0, 0), anyOf('x'))).toEqual([]);
      expect((await store.search.terms(ns, ['word'])).terms).toEqual([
        { word: 'word', passages: 0, near: [] },
      ]);
      expect(await neighboursOf(store, ns, [1], { before: 1, after: 1 })).toEqual([]);
      expect(await passagesOf(store, ns, [1], ALL_LIVE)).toEqual([]);
      expect(await store.records.list(ns, { scan: 'stale', chunking: 'c' }, all)).toEqual([]);
      expect(await store.records.list(ns, { scan: 'undeleted' }, all)).toEqual([]);
      expect(await store.records.passagesOf(ns, [1])).toEqual(new Map([[1, []]]));
      await store.admin.resetDerived(ns, { text: false, vectors: true });
      await store.admin.resetDerived(ns, { text: true, vectors: true });
      expect(await store.admin.namespaces(ADMIN_NAMESPACE)).not.toContain(ns);
    });
  });
}

export function describeWrittenIsolation({ store, namespace }: StoreFixture): void {
  /** Everything that can be read from a namespace. */
  const readAll = async (ns: string): Promise<unknown> => {
    const chains = await auditChains(store, ns);
    return {
      live: await store.records.list(ns, { filter: ALL_LIVE }, ALL),
      deleted: await store.records.list(ns, { filter: { ...ALL_LIVE, deleted: true } }, ALL),
      byKey: await store.records.list(
        ns,
        { filter: { ...ALL_LIVE, origins: ['fact'], keyPrefix: 'k' } },
        ALL,
      ),
      count: await store.records.count(ns, ALL_LIVE),
      categories: await store.records.facet(ns, 'category', { now: NOW, origins: ['fact'] }, 10),
      inAnyState: await store.records.get(ns, [1, 2, 3, 4, 5, 6, 7, 8, 9], 'any'),
      bounds: await store.records.bounds(ns),
      idempotentResult: await idempotentResult(store.records, ns, 'k', NOW),
      entries: await auditEntries(store, ns, {}, ALL),
      entriesOfSubject: await auditEntries(store, ns, { subject: 'u' }, ALL),
      chains,
      chain: await auditChain(store, ns, chains[0]?.chain ?? '', ALL),
      auditFindings: await verifyAudit(store, ns),
      startup: await startupEntries(store.records, ns),
      startupDigest: await startupDigest(store.records, ns, { agent: 'ada', session: 's' }),
      history: await historyRuns(store.records, ns, { category: 'pack_history', now: NOW }, ALL),
      receipts: await storedReceipts(store.records, ns, { since: 0 }, ALL),
      stats: await statsOf(store, ns),
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
    await commit(store, ns, {
      writes,
      idempotencyKey,
      audit: [auditDraft({ subject: 'u', diff: { text } })],
    });
    await deleteRecords(store, ns, 3);
    await store.records.commit(ns, {
      items: [startupPut(startupEntry({ content: text }))],
      audit: [auditDraft({ subject: 'startup:rules' })],
    });
    await store.records.commit(ns, { items: startupDigestChanges({ ...received, digest: text }) });
    await store.records.commit(ns, { items: historyChanges([historyRun({ name: text })], 100) });
    await store.records.commit(ns, {
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
      await commit(store, theirs, {
        deletions: [{ id: 2, at: NOW - 5 }],
        restorations: [{ id: 3, at: NOW, passages: [passage('theirs')] }],
        audit: [auditDraft({ subject: uuid })],
      });
      await store.records.commit(theirs, {
        items: [startupPut(startupEntry({ deletedAt: NOW }))],
        audit: [],
      });
      const rows = Array.from({ length: 5 }, () => historyRun({ expiresAt: NOW + 1 }));
      await store.records.commit(theirs, { items: historyChanges(rows, 2) });
      await store.records.commit(theirs, {
        items: [
          receiptPut(receipt(2)),
          { of: 'receipt', forgetBefore: NOW + 2 },
          { of: 'receipt', keepNewest: 1, by: 'at' },
        ],
      });
      await attachAudit(store, theirs, await ownAuditLog(store, ours));
      await purge(store.records, theirs, purgeRequest({ by: { at: NOW + 99, actor: 'a', surface: 's' } }));
      await store.admin.compact(theirs);
      expect(await readAll(ours)).toEqual(before);
    });

    it('cannot be reached from another namespace by an id, a key or a chain', async () => {
      const [ours, theirs] = [namespace(), namespace()];
      await write(store, ours, note('x'));
      await fill(theirs, 'secret', draft().uuid);
      const [ownChain] = await auditChains(store, theirs);
      expect(await auditChain(store, ours, ownChain!.chain, ALL)).toEqual([]);
      expect(await store.records.get(ours, [2, 3, 4], 'any')).toEqual([]);
      expect(await idempotentResult(store.records, ours, 'k', NOW)).toBeNull();
      for (const id of [2, 3, 4]) {
        const batches = [
          { deletions: [{ id, at: NOW }] },
          { restorations: [{ id, at: NOW, passages: [] }] },
          { writes: [{ ...note('x'), id }] },
        ];
        for (const batch of batches)
          await expect(commit(store, ours, batch)).rejects.toMatchObject({ code: 'not_found' });
      }
      expect(await commit(store, ours, { writes: [fact('k', 'c', 'mine')], idempotencyKey })).toEqual([2]);
      expect(await matchingRecords(store, theirs, 'mine')).toEqual([]);
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
        stats: {
          ...{ records: 0, deleted: 0, passages: 0, terms: 0, vectors: 0, texts: 0 },
          ...{ embedded: new Map(), byOrigin: {}, bySource: {} },
        },
      });
      expect(await purge(store.records, ns, purgeRequest())).toBe(0);
      expect(await readAll(ns)).toMatchObject({ stats: { records: 0, passages: 0, vectors: 0 } });
    });
  });
}
