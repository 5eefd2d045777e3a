import { ADMIN_NAMESPACE } from '../../src/store/rules/admin-namespace.ts';
import { describe, expect, it } from 'vitest';
import type { StoreFixture } from './store-contract.ts';
import { note, NOW } from './store-samples.ts';
import { ALL, startupEntry, auditDraft } from './written-samples.ts';

export function describeStartup({ store, namespace }: StoreFixture): void {
  describe('startup entries', () => {
    it('are sorted by priority, key and agent, deleted ones included', async () => {
      const ns = namespace();
      const entries = [
        startupEntry({ priority: 0, key: 'b' }),
        startupEntry({ priority: 0, key: 'b', agent: 'ada', reinforce: true }),
        startupEntry({ priority: 0, key: 'é', deletedAt: NOW }),
        startupEntry({ priority: 1, key: 'a', content: 'two\nlines' }),
      ];
      await store().records.commit(ns, { startup: entries.toReversed(), audit: [] });
      expect((await store().records.startup(ns)).entries).toEqual(entries);
    });

    it('replace entries of the same agent and key in one transaction with their audit entries', async () => {
      const ns = namespace();
      await store().records.commit(ns, {
        startup: [startupEntry(), startupEntry({ agent: 'ada' })],
        audit: [auditDraft()],
      });
      const changed = startupEntry({ content: 'be brief', priority: 5, deletedAt: NOW, updatedAt: NOW + 1 });
      await store().records.commit(ns, {
        startup: [changed],
        audit: [auditDraft({ subject: 'startup:rules' }), auditDraft()],
      });
      expect((await store().records.startup(ns)).entries).toEqual([startupEntry({ agent: 'ada' }), changed]);
      expect(await store().admin.auditEntries(ns, {}, ALL)).toHaveLength(3);
      expect(await store().admin.auditEntries(ns, { subject: 'startup:rules' }, ALL)).toHaveLength(1);
      await store().records.commit(ns, { startup: [], audit: [] });
      expect((await store().records.startup(ns)).entries).toHaveLength(2);
      expect(await store().admin.namespaces(ADMIN_NAMESPACE)).not.toContain(ns);
    });

    it('are returned unchanged, whatever their text is', async () => {
      const ns = namespace();
      const texts = ['\ud800', 'a\0b', "'; DROP TABLE startup; --", ''];
      await store().records.commit(ns, {
        startup: texts.map((text) => startupEntry({ key: text, agent: text, content: text })),
        audit: [],
      });
      const held = (await store().records.startup(ns)).entries;
      const right = ['\ufffd', ...texts.slice(1)].toSorted();
      for (const field of ['key', 'agent', 'content'] as const)
        expect(held.map((entry) => entry[field]).toSorted()).toEqual(right);
    });
  });

  describe('the startup text that a session received', () => {
    const seen = { agent: 'ada', session: 's', digest: 'd1', at: NOW, forgetBefore: 0, keep: 100 };

    it('is the last digest, of each agent and session', async () => {
      const ns = namespace();
      expect((await store().records.startup(ns, { agent: 'ada', session: 's' })).digest).toBeNull();
      await store().records.commit(ns, { startupDigest: seen });
      await store().records.commit(ns, { startupDigest: { ...seen, session: 't', digest: 'd2' } });
      await store().records.commit(ns, { startupDigest: { ...seen, digest: 'd3' } });
      expect((await store().records.startup(ns, { agent: 'ada', session: 's' })).digest).toBe('d3');
      expect((await store().records.startup(ns, { agent: 'ada', session: 't' })).digest).toBe('d2');
      expect((await store().records.startup(ns, { agent: 'bob', session: 's' })).digest).toBeNull();
      expect((await store().records.startup(ns, { agent: '', session: 's' })).digest).toBeNull();
      // What one is called is not cut in another place.
      await store().records.commit(ns, { startupDigest: { ...seen, agent: 'a', session: 'bc' } });
      expect((await store().records.startup(ns, { agent: 'ab', session: 'c' })).digest).toBeNull();
    });

    it('is forgotten after a time', async () => {
      const ns = namespace();
      await store().records.commit(ns, { startupDigest: { ...seen, session: 'old', at: NOW - 2 } });
      await store().records.commit(ns, { startupDigest: { ...seen, session: 'edge', at: NOW - 1 } });
      await store().records.commit(ns, { startupDigest: { ...seen, forgetBefore: NOW - 1 } });
      const digests = ['old', 'edge', 's'].map((session) =>
        store()
          .records.startup(ns, { agent: 'ada', session })
          .then(({ digest }) => digest),
      );
      expect(await Promise.all(digests)).toEqual([null, 'd1', 'd1']);
    });

    it('is kept for the most recent sessions of a namespace', async () => {
      const [ns, other] = [namespace(), namespace()];
      await store().records.commit(other, { startupDigest: { ...seen, at: NOW - 9 } });
      for (const [i, session] of ['a', 'b', 'c'].entries())
        await store().records.commit(ns, { startupDigest: { ...seen, session, at: NOW + i, keep: 2 } });
      await store().records.commit(ns, { startupDigest: { ...seen, session: 'b', at: NOW + 5, keep: 2 } });
      await store().records.commit(ns, { startupDigest: { ...seen, session: 'd', at: NOW + 5, keep: 2 } });
      const digests = ['a', 'b', 'c', 'd'].map((session) =>
        store()
          .records.startup(ns, { agent: 'ada', session })
          .then(({ digest }) => digest),
      );
      expect(await Promise.all(digests)).toEqual([null, 'd1', null, 'd1']);
      expect((await store().records.startup(other, { agent: 'ada', session: 's' })).digest).toBe('d1');
    });

    it('is not a record', async () => {
      const ns = namespace();
      await store().records.commit(ns, { startupDigest: seen });
      expect(await store().admin.namespaces(ADMIN_NAMESPACE)).not.toContain(ns);
      const batch = { writes: [note('x')], chunking: 'c' };
      expect(await store().records.commit(ns, batch)).toEqual([1]);
    });
  });
}
