import { describe, expect, it } from 'vitest';
import type { Subject } from './store-contract.ts';
import { note, NOW } from './store-samples.ts';
import { ALL, startupEntry, told } from './written-samples.ts';

export function describeStartup({ store, namespace }: Subject): void {
  describe('startup entries', () => {
    it('stand by priority, key and agent, in any state', async () => {
      const ns = namespace();
      const entries = [
        startupEntry({ priority: 0, key: 'b' }),
        startupEntry({ priority: 0, key: 'b', agent: 'ada', reinforce: true }),
        startupEntry({ priority: 0, key: 'é', deletedAt: NOW }),
        startupEntry({ priority: 1, key: 'a', content: 'two\nlines' }),
      ];
      await store().putStartup(ns, entries.toReversed(), []);
      expect(await store().startupEntries(ns)).toEqual(entries);
    });

    it('take the place of those of the same agent and key, with their audit entries, all or none', async () => {
      const ns = namespace();
      await store().putStartup(ns, [startupEntry(), startupEntry({ agent: 'ada' })], [told()]);
      const changed = startupEntry({ content: 'be brief', priority: 5, deletedAt: NOW, updatedAt: NOW + 1 });
      await store().putStartup(ns, [changed], [told({ subject: 'startup:rules' }), told()]);
      expect(await store().startupEntries(ns)).toEqual([startupEntry({ agent: 'ada' }), changed]);
      expect(await store().auditEntries(ns, {}, ALL)).toHaveLength(3);
      expect(await store().auditEntries(ns, { subject: 'startup:rules' }, ALL)).toHaveLength(1);
      await store().putStartup(ns, [], []);
      expect(await store().startupEntries(ns)).toHaveLength(2);
      expect(await store().namespaces()).not.toContain(ns);
    });

    it('give back every text', async () => {
      const ns = namespace();
      const texts = ['\ud800', 'a\0b', "'; DROP TABLE startup; --", ''];
      await store().putStartup(
        ns,
        texts.map((text) => startupEntry({ key: text, agent: text, content: text })),
        [],
      );
      const held = await store().startupEntries(ns);
      const right = ['\ufffd', ...texts.slice(1)].toSorted();
      for (const field of ['key', 'agent', 'content'] as const)
        expect(held.map((entry) => entry[field]).toSorted()).toEqual(right);
    });
  });

  describe('what a session was told at startup', () => {
    const seen = { agent: 'ada', session: 's', digest: 'd1', at: NOW, forgetBefore: 0, keep: 100 };

    it('is the last digest, of each agent and session', async () => {
      const ns = namespace();
      expect(await store().startupSeen(ns, 'ada', 's')).toBeNull();
      await store().noteStartupSeen(ns, seen);
      await store().noteStartupSeen(ns, { ...seen, session: 't', digest: 'd2' });
      await store().noteStartupSeen(ns, { ...seen, digest: 'd3' });
      expect(await store().startupSeen(ns, 'ada', 's')).toBe('d3');
      expect(await store().startupSeen(ns, 'ada', 't')).toBe('d2');
      expect(await store().startupSeen(ns, 'bob', 's')).toBeNull();
      expect(await store().startupSeen(ns, '', 's')).toBeNull();
      // What one is called is not cut in another place.
      await store().noteStartupSeen(ns, { ...seen, agent: 'a', session: 'bc' });
      expect(await store().startupSeen(ns, 'ab', 'c')).toBeNull();
    });

    it('is let go of after a time', async () => {
      const ns = namespace();
      await store().noteStartupSeen(ns, { ...seen, session: 'old', at: NOW - 2 });
      await store().noteStartupSeen(ns, { ...seen, session: 'edge', at: NOW - 1 });
      await store().noteStartupSeen(ns, { ...seen, forgetBefore: NOW - 1 });
      const digests = ['old', 'edge', 's'].map((session) => store().startupSeen(ns, 'ada', session));
      expect(await Promise.all(digests)).toEqual([null, 'd1', 'd1']);
    });

    it('is kept of so many sessions of a namespace, those that were told last', async () => {
      const [ns, other] = [namespace(), namespace()];
      await store().noteStartupSeen(other, { ...seen, at: NOW - 9 });
      for (const [i, session] of ['a', 'b', 'c'].entries())
        await store().noteStartupSeen(ns, { ...seen, session, at: NOW + i, keep: 2 });
      await store().noteStartupSeen(ns, { ...seen, session: 'b', at: NOW + 5, keep: 2 });
      await store().noteStartupSeen(ns, { ...seen, session: 'd', at: NOW + 5, keep: 2 });
      const digests = ['a', 'b', 'c', 'd'].map((session) => store().startupSeen(ns, 'ada', session));
      expect(await Promise.all(digests)).toEqual([null, 'd1', null, 'd1']);
      expect(await store().startupSeen(other, 'ada', 's')).toBe('d1');
    });

    it('is no record', async () => {
      const ns = namespace();
      await store().noteStartupSeen(ns, seen);
      expect(await store().namespaces()).not.toContain(ns);
      const batch = { writes: [note('x')], evictions: [], chunking: 'c' };
      expect(await store().commit(ns, batch)).toEqual([1]);
    });
  });
}
