import { ADMIN_NAMESPACE } from '../../src/store/rules/admin-namespace.ts';
import {
  startupDigest,
  startupDigestChanges,
  startupEntries,
  startupPlaced,
  startupPut,
} from '../../src/store/items/kinds.ts';
import { describe, expect, it } from 'vitest';
import type { StoreFixture } from './store-contract.ts';
import { note, NOW } from './store-samples.ts';
import { ALL, auditDraft, auditEntries, startupEntry } from './written-samples.ts';

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
      await store().records.commit(ns, { items: entries.toReversed().map(startupPut), audit: [] });
      expect(await startupEntries(store().records, ns)).toEqual(entries);
      const [first, moved, ...rest] = entries;
      await store().records.commit(ns, { items: [startupPlaced(moved!, 3)], audit: [] });
      const after = [first, rest[0], { ...moved, place: 3 }, rest[1]];
      expect(await startupEntries(store().records, ns)).toEqual(after);
    });

    it('are sorted by priority, key and agent, deleted ones included', async () => {
      const ns = namespace();
      const entries = [
        startupEntry({ priority: 0, key: 'b' }),
        startupEntry({ priority: 0, key: 'b', agent: 'ada', reinforce: true }),
        startupEntry({ priority: 0, key: 'é', deletedAt: NOW }),
        startupEntry({ priority: 1, key: 'a', content: 'two\nlines' }),
      ];
      await store().records.commit(ns, { items: entries.toReversed().map(startupPut), audit: [] });
      expect(await startupEntries(store().records, ns)).toEqual(entries);
    });

    it('replace entries of the same agent and key in one transaction with their audit entries', async () => {
      const ns = namespace();
      await store().records.commit(ns, {
        items: [startupPut(startupEntry()), startupPut(startupEntry({ agent: 'ada' }))],
        audit: [auditDraft()],
      });
      const changed = startupEntry({ content: 'be brief', priority: 5, deletedAt: NOW, updatedAt: NOW + 1 });
      await store().records.commit(ns, {
        items: [startupPut(changed)],
        audit: [auditDraft({ subject: 'startup:rules' }), auditDraft()],
      });
      expect(await startupEntries(store().records, ns)).toEqual([startupEntry({ agent: 'ada' }), changed]);
      expect(await auditEntries(store(), ns, {}, ALL)).toHaveLength(3);
      expect(await auditEntries(store(), ns, { subject: 'startup:rules' }, ALL)).toHaveLength(1);
      await store().records.commit(ns, { items: [], audit: [] });
      expect(await startupEntries(store().records, ns)).toHaveLength(2);
      expect(await store().admin.namespaces(ADMIN_NAMESPACE)).not.toContain(ns);
    });

    it('may contain any text, which is returned unchanged if it is well-formed', async () => {
      const ns = namespace();
      const texts = ['\ud800', 'a\0b', "'; DROP TABLE startup; --", ''];
      await store().records.commit(ns, {
        items: texts.map((text) => startupPut(startupEntry({ key: text, agent: text, content: text }))),
        audit: [],
      });
      const entries = await startupEntries(store().records, ns);
      const expected = ['\ufffd', ...texts.slice(1)].toSorted();
      for (const field of ['key', 'agent', 'content'] as const)
        expect(entries.map((entry) => entry[field]).toSorted()).toEqual(expected);
    });
  });

  describe('the startup text that a session received', () => {
    const received = { agent: 'ada', session: 's', digest: 'd1', at: NOW, forgetBefore: 0, keep: 100 };

    const digestOf = async (ns: string, agent: string, session: string): Promise<string | null> =>
      await startupDigest(store().records, ns, { agent, session });

    it('is identified by the last digest of each agent and session', async () => {
      const ns = namespace();
      expect(await digestOf(ns, 'ada', 's')).toBeNull();
      await store().records.commit(ns, { items: startupDigestChanges(received) });
      await store().records.commit(ns, {
        items: startupDigestChanges({ ...received, session: 't', digest: 'd2' }),
      });
      await store().records.commit(ns, { items: startupDigestChanges({ ...received, digest: 'd3' }) });
      expect(await digestOf(ns, 'ada', 's')).toBe('d3');
      expect(await digestOf(ns, 'ada', 't')).toBe('d2');
      expect(await digestOf(ns, 'bob', 's')).toBeNull();
      expect(await digestOf(ns, '', 's')).toBeNull();
      // The key is a pair, not the agent and the session in one text.
      await store().records.commit(ns, {
        items: startupDigestChanges({ ...received, agent: 'a', session: 'bc' }),
      });
      expect(await digestOf(ns, 'ab', 'c')).toBeNull();
    });

    it('is forgotten after a time', async () => {
      const ns = namespace();
      await store().records.commit(ns, {
        items: startupDigestChanges({ ...received, session: 'old', at: NOW - 2 }),
      });
      await store().records.commit(ns, {
        items: startupDigestChanges({ ...received, session: 'edge', at: NOW - 1 }),
      });
      await store().records.commit(ns, {
        items: startupDigestChanges({ ...received, forgetBefore: NOW - 1 }),
      });
      const digests = ['old', 'edge', 's'].map((session) => digestOf(ns, 'ada', session));
      expect(await Promise.all(digests)).toEqual([null, 'd1', 'd1']);
    });

    it('is kept for the most recent sessions of a namespace', async () => {
      const [ns, other] = [namespace(), namespace()];
      await store().records.commit(other, { items: startupDigestChanges({ ...received, at: NOW - 9 }) });
      for (const [i, session] of ['a', 'b', 'c'].entries())
        await store().records.commit(ns, {
          items: startupDigestChanges({ ...received, session, at: NOW + i, keep: 2 }),
        });
      await store().records.commit(ns, {
        items: startupDigestChanges({ ...received, session: 'b', at: NOW + 5, keep: 2 }),
      });
      await store().records.commit(ns, {
        items: startupDigestChanges({ ...received, session: 'd', at: NOW + 5, keep: 2 }),
      });
      const digests = ['a', 'b', 'c', 'd'].map((session) => digestOf(ns, 'ada', session));
      expect(await Promise.all(digests)).toEqual([null, 'd1', null, 'd1']);
      expect(await digestOf(other, 'ada', 's')).toBe('d1');
    });

    it('is not a record', async () => {
      const ns = namespace();
      await store().records.commit(ns, { items: startupDigestChanges(received) });
      expect(await store().admin.namespaces(ADMIN_NAMESPACE)).not.toContain(ns);
      const batch = { writes: [note('x')], chunking: 'c' };
      expect(await store().records.commit(ns, batch)).toEqual([1]);
    });
  });
}
