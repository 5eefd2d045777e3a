import { describe, expect, it } from 'vitest';
import { sha256 } from '../../src/core/ids.ts';
import { CHAIN_START, auditHash, chained } from '../../src/store/rules/audit-chain.ts';
import type { AuditEntry, AuditFilter } from '../../src/store/admin-model.ts';
import { startupPut, unseenChanges, unseenRemoval } from '../../src/store/items/kinds.ts';
import type { StoreFixture } from './store-contract.ts';
import { note, NOW } from './store-samples.ts';
import {
  ALL,
  UNUSUAL_TEXTS,
  attachAudit,
  auditChain,
  auditChains,
  auditDraft,
  auditEntries,
  commit,
  ownAuditLog,
  startupEntry,
  verifyAudit,
} from './written-samples.ts';

export function describeAudit(fixture: StoreFixture): void {
  describeLog(fixture);
  describeAttachments(fixture);
}

function describeLog({ store, namespace }: StoreFixture): void {
  const sequenceNumbers = async (ns: string, filter: AuditFilter): Promise<number[]> =>
    (await auditEntries(store, ns, filter, ALL)).map(({ seq }) => seq);

  describe('the audit log', () => {
    it('contains the entry of each change, as a hash chain', async () => {
      const ns = namespace();
      expect(await auditChains(store, ns)).toEqual([]);
      const diff = { title: { from: null, to: 'é "quoted"' }, 10: 1, 9: [{ a: -0.5 }] };
      const drafts = [auditDraft({ subject: 'u', diff }), auditDraft({ at: NOW + 1, action: 'delete' })];
      await commit(store, ns, { writes: [note('x')], audit: drafts });
      await store.records.commit(ns, {
        items: [startupPut(startupEntry())],
        audit: [auditDraft({ at: NOW - 1, subject: 'startup:rules' })],
      });
      const [ownChain, ...others] = await auditChains(store, ns);
      expect(others).toEqual([]);
      expect(ownChain).toMatchObject({ own: true, length: 3 });
      const entries = await auditChain(store, ns, ownChain!.chain, ALL);
      expect(entries.map(({ seq }) => seq)).toEqual([1, 2, 3]);
      expect(entries[0]).toEqual({
        ...drafts[0],
        chain: ownChain!.chain,
        seq: 1,
        diffHash: sha256(JSON.stringify(diff)),
        previous: CHAIN_START,
        hash: entries[0]!.hash,
      });
      for (const [i, entry] of entries.entries()) {
        expect(entry.hash).toBe(auditHash(entry));
        expect(entry.previous).toBe(entries[i - 1]?.hash ?? CHAIN_START);
      }
      expect(await verifyAudit(store, ns)).toEqual([]);
    });

    it('has the session of an entry in its hash, and an item for each entry that the operator has not seen', async () => {
      const ns = namespace();
      const drafts = [
        auditDraft({ subject: 'u', session: 'é' }),
        auditDraft({ subject: 'u', at: NOW + 1 }),
        auditDraft({ subject: 'v', at: NOW + 2, session: 'é', isUnseen: true }),
        auditDraft({ subject: null, at: NOW + 3, isUnseen: true }),
      ];
      await commit(store, ns, { audit: drafts });
      const [chain] = await auditChains(store, ns);
      const entries = await auditChain(store, ns, chain!.chain, ALL);
      expect(entries.map(({ session }) => session)).toEqual(['é', undefined, 'é', undefined]);
      for (const entry of entries) expect(entry.hash).toBe(auditHash(entry));
      expect(auditHash({ ...entries[0]!, session: 'e' })).not.toBe(entries[0]!.hash);
      expect(await verifyAudit(store, ns)).toEqual([]);
      expect(await sequenceNumbers(ns, { session: 'é' })).toEqual([3, 1]);
      expect(await sequenceNumbers(ns, { subjects: ['u', 'w'] })).toEqual([2, 1]);
      expect(await sequenceNumbers(ns, { entries: [1, 4, 9] })).toEqual([4, 1]);
      const unseen = { actor: drafts[0]!.actor, surface: drafts[0]!.surface, action: 'write' };
      expect(await unseenChanges(store.records, ns)).toEqual([
        { ...unseen, entry: 4, at: NOW + 3, subject: null, session: null },
        { ...unseen, entry: 3, at: NOW + 2, subject: 'v', session: 'é' },
      ]);
      await store.records.commit(ns, { items: [unseenRemoval(4)] });
      expect((await unseenChanges(store.records, ns)).map(({ entry }) => entry)).toEqual([3]);
      await attachAudit(store, namespace(), entries);
    });

    it('returns the selected entries, newest first', async () => {
      const ns = namespace();
      const audit = [
        auditDraft({ subject: 'u', at: NOW }),
        auditDraft({ subject: 'v', at: NOW + 2, actor: 'bob' }),
        auditDraft({ subject: 'u', at: NOW + 1, action: 'delete' }),
        auditDraft({ subject: null, at: NOW + 1, surface: 'rest' }),
      ];
      await commit(store, ns, { audit });
      expect(await sequenceNumbers(ns, {})).toEqual([2, 4, 3, 1]);
      expect(await sequenceNumbers(ns, { subject: 'u' })).toEqual([3, 1]);
      expect(await sequenceNumbers(ns, { action: 'write' })).toEqual([2, 4, 1]);
      expect(await sequenceNumbers(ns, { actor: 'bob' })).toEqual([2]);
      expect(await sequenceNumbers(ns, { surface: 'rest' })).toEqual([4]);
      expect(await sequenceNumbers(ns, { from: NOW + 1 })).toEqual([2, 4, 3]);
      expect(await sequenceNumbers(ns, { until: NOW + 1 })).toEqual([1]);
      expect(
        await sequenceNumbers(ns, { subject: 'u', action: 'delete', from: NOW, until: NOW + 2 }),
      ).toEqual([3]);
      expect(await sequenceNumbers(ns, { subject: 'U' })).toEqual([]);
    });

    it('is returned in pages, each entry once, even if times are equal', async () => {
      const ns = namespace();
      await commit(store, ns, {
        audit: Array.from({ length: 7 }, (_, i) => auditDraft({ at: NOW + (i % 2) })),
      });
      const found: number[] = [];
      for (let after: AuditEntry | null = null; ;) {
        const page: readonly AuditEntry[] = await auditEntries(store, ns, {}, { after, limit: 2 });
        found.push(...page.map(({ seq }) => seq));
        after = page.at(-1) ?? null;
        if (after === null) break;
      }
      expect(found).toEqual([6, 4, 2, 7, 5, 3, 1]);
      const [{ chain } = { chain: '' }] = await auditChains(store, ns);
      const page = await auditChain(store, ns, chain, { after: 3, limit: 2 });
      expect(page.map(({ seq }) => seq)).toEqual([4, 5]);
      expect(await auditChain(store, ns, 'no chain', ALL)).toEqual([]);
    });

    it('does not contain a change that failed', async () => {
      const ns = namespace();
      await commit(store, ns, { audit: [auditDraft()] });
      const failing = commit(store, ns, { writes: [{ ...note('x'), id: 9 }], audit: [auditDraft()] });
      await expect(failing).rejects.toThrow();
      const invalid = commit(store, ns, { writes: [note('x')], audit: [auditDraft({ at: 0.5 })] });
      await expect(invalid).rejects.toMatchObject({ code: 'invalid_input' });
      expect(await sequenceNumbers(ns, {})).toEqual([1]);
    });

    it('is a valid chain for entries with any text', async () => {
      const ns = namespace();
      const diff = { ['\udfff']: '\ud800' };
      await commit(store, ns, {
        audit: UNUSUAL_TEXTS.map((text) =>
          auditDraft({ subject: text, actor: text, surface: text, action: text, diff }),
        ),
      });
      expect(await verifyAudit(store, ns)).toEqual([]);
      const entries = (await auditEntries(store, ns, {}, ALL)).toReversed();
      expect(entries.map(({ subject }) => subject)).toEqual(['\ufffd', ...UNUSUAL_TEXTS.slice(1)]);
      expect(entries[0]?.diff).toEqual({ '\ufffd': '\ufffd' });
      for (const entry of entries) expect(entry.hash).toBe(auditHash(entry));
    });
  });
}

function describeAttachments({ store, namespace }: StoreFixture): void {
  /** The audit log of a new namespace with this number of entries. */
  async function newLog(length: number): Promise<readonly AuditEntry[]> {
    const ns = namespace();
    const audit = Array.from({ length }, (_, i) => auditDraft({ at: NOW + i, subject: 'u', diff: { i } }));
    await commit(store, ns, { audit });
    return ownAuditLog(store, ns);
  }

  describe('another store’s audit log', () => {
    it('is attached once and unchanged, separate from the store’s own log', async () => {
      const ns = namespace();
      await commit(store, ns, { audit: [auditDraft({ at: NOW + 1 })] });
      const foreign = await newLog(3);
      expect(await attachAudit(store, ns, foreign.slice(0, 2))).toBe(2);
      expect(await attachAudit(store, ns, foreign)).toBe(1);
      expect(await attachAudit(store, ns, foreign)).toBe(0);
      const chains = await auditChains(store, ns);
      expect(chains.map(({ own, length }) => [own, length])).toEqual([
        [true, 1],
        [false, 3],
      ]);
      expect(await auditChain(store, ns, foreign[0]!.chain, ALL)).toEqual(foreign);
      expect((await auditEntries(store, ns, {}, ALL)).map(({ at }) => at - NOW)).toEqual([1]);
      expect(await verifyAudit(store, ns)).toEqual([]);
      await commit(store, ns, { audit: [auditDraft()] });
      expect((await auditChains(store, ns))[0]).toMatchObject({ own: true, length: 2 });
    });

    it('is returned in pages, regardless of the parts in which it was attached', async () => {
      const ns = namespace();
      const foreign = await newLog(5);
      const { chain } = foreign[0]!;
      for (const [from, until] of [
        [0, 2],
        [1, 3],
        [3, 5],
      ])
        await attachAudit(store, ns, foreign.slice(from, until));
      expect(await auditChain(store, ns, chain, { after: null, limit: 3 })).toEqual(foreign.slice(0, 3));
      expect(await auditChain(store, ns, chain, { after: 1, limit: 3 })).toEqual(foreign.slice(1, 4));
      expect(await auditChain(store, ns, chain, { after: 5, limit: 3 })).toEqual([]);
      expect(await attachAudit(store, ns, foreign)).toBe(0);
    });

    it('may be attached before the store’s own log begins, which does not continue it', async () => {
      const ns = namespace();
      const foreign = await newLog(2);
      await attachAudit(store, ns, foreign);
      await commit(store, ns, { audit: [auditDraft()] });
      const chains = await auditChains(store, ns);
      expect(chains.map(({ own, length }) => [own, length])).toEqual([
        [true, 1],
        [false, 2],
      ]);
    });

    it('may lack the diffs of purged records', async () => {
      const ns = namespace();
      const foreign = (await newLog(2)).map((entry) => ({ ...entry, diff: null }));
      expect(await attachAudit(store, ns, foreign)).toBe(2);
      expect(await auditChain(store, ns, foreign[0]!.chain, ALL)).toEqual(foreign);
      expect(await verifyAudit(store, ns)).toEqual([]);
    });

    it('is rejected as a whole if its chain is broken', async () => {
      const [first, second, third] = (await newLog(3)) as [AuditEntry, AuditEntry, AuditEntry];
      const changed = { ...second, actor: 'eve' };
      const broken: AuditEntry[][] = [
        [second],
        [first, third],
        [second, first],
        [first, { ...second, actor: 'eve' }],
        [first, { ...changed, hash: auditHash(changed) }, third],
        [first, { ...second, diff: { i: 9 } }],
        [first, { ...second, diffHash: null }],
        [first, { ...second, seq: 1.5 }],
        [{ ...first, seq: 0 }],
        [{ ...first, previous: 'f'.repeat(64) }],
      ];
      for (const entries of broken) {
        const ns = namespace();
        await expect(attachAudit(store, ns, entries)).rejects.toMatchObject({ code: 'invalid_input' });
        expect(await auditChains(store, ns)).toEqual([]);
        expect(await auditEntries(store, ns, {}, ALL)).toEqual([]);
      }
    });

    it('is rejected if an entry differs from the stored one', async () => {
      const ns = namespace();
      const foreign = await newLog(2);
      await attachAudit(store, ns, foreign);
      const changed = { ...foreign[1]!, actor: 'eve' };
      const log = [foreign[0]!, { ...changed, hash: auditHash(changed) }];
      await expect(attachAudit(store, ns, log)).rejects.toMatchObject({ code: 'conflict' });
      expect(await auditChain(store, ns, foreign[0]!.chain, ALL)).toEqual(foreign);
    });

    it('never extends the store’s own log, even with a valid chain', async () => {
      const ns = namespace();
      await commit(store, ns, { audit: [auditDraft()] });
      const ownLog = await auditEntries(store, ns, {}, ALL);
      const forged = chained(auditDraft({ actor: 'eve', at: NOW + 1 }), ownLog[0]!.chain, 1, ownLog[0]!.hash);
      await expect(attachAudit(store, ns, [...ownLog, forged])).rejects.toMatchObject({
        code: 'conflict',
      });
      expect(await attachAudit(store, ns, ownLog)).toBe(0);
      expect(await auditEntries(store, ns, {}, ALL)).toEqual(ownLog);
    });
  });
}
