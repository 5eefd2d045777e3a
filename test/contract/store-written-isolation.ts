import { describe, expect, it } from 'vitest';
import type { Subject } from './store-contract.ts';
import { ALL_LIVE, draft, found, note, NOW, passage, write } from './store-samples.ts';
import { ALL, commit, fact, purgeRequest, remove, run, startupEntry, told } from './written-samples.ts';

export function describeWrittenIsolation({ store, namespace }: Subject): void {
  /** Everything that a namespace tells of what was written to it. */
  const look = async (ns: string): Promise<unknown> => {
    const chains = await store().auditChains(ns);
    return {
      live: await store().listRecords(ns, ALL_LIVE, ALL),
      deleted: await store().listRecords(ns, { ...ALL_LIVE, deleted: true }, ALL),
      byKey: await store().listRecords(ns, { ...ALL_LIVE, origins: ['fact'], keyPrefix: 'k' }, ALL),
      counts: [
        await store().countRecords(ns, ALL_LIVE),
        await store().countRecords(ns, { ...ALL_LIVE, origins: ['fact'], key: 'k' }),
      ],
      categories: await store().factCategories(ns, NOW, 10),
      held: await store().heldRecords(ns, [1, 2, 3, 4, 5, 6, 7, 8, 9]),
      ids: [await store().highestId(ns), await store().nextExpiry(ns), await store().oldestDeletion(ns)],
      done: await store().doneOnce(ns, 'k', NOW),
      entries: await store().auditEntries(ns, {}, ALL),
      ofOne: await store().auditEntries(ns, { subject: 'u' }, ALL),
      chains,
      chain: await store().auditChain(ns, chains[0]?.chain ?? '', ALL),
      sound: await store().verifyAudit(ns),
      startup: await store().startupEntries(ns),
      seen: await store().startupSeen(ns, 'ada', 's'),
      history: await store().history(ns, 'pack_history', NOW, ALL),
      stats: (await store().stats()).namespaces.find((one) => one.namespace === ns),
    };
  };
  const once = { key: 'k', fingerprint: 'f', at: NOW, expiresAt: NOW + 10 };
  const seen = { agent: 'ada', session: 's', digest: 'd', at: NOW, forgetBefore: 0, keep: 1 };

  /** A little of everything. */
  async function fill(ns: string, text: string, uuid: string): Promise<void> {
    const writes = [
      fact('k', 'c', text, { uuid }),
      fact('k2', 'c', text),
      note(text),
      note(text, { expiresAt: NOW }),
    ];
    await commit(store(), ns, { writes, once, audit: [told({ subject: 'u', diff: { text } })] });
    await remove(store(), ns, 3);
    await store().putStartup(ns, [startupEntry({ content: text })], [told({ subject: 'startup:rules' })]);
    await store().noteStartupSeen(ns, { ...seen, digest: text });
    await store().noteHistory([{ namespace: ns, row: run({ name: text }) }], 100);
  }

  describe('what agents write', () => {
    it('shows in no other namespace, whatever happens there', async () => {
      const [ours, theirs] = [namespace(), namespace()];
      const { uuid } = draft();
      await fill(ours, 'ours', uuid);
      const before = await look(ours);
      await fill(theirs, 'theirs', uuid);
      expect(await look(ours)).toEqual(before);
      expect(JSON.stringify(before)).not.toContain('theirs');
      await commit(store(), theirs, {
        deletions: [{ id: 2, at: NOW - 5 }],
        restorations: [{ id: 3, passages: [passage('theirs')] }],
        audit: [told({ subject: uuid })],
      });
      await store().putStartup(theirs, [startupEntry({ deletedAt: NOW })], []);
      const rows = Array.from({ length: 5 }, () => ({ namespace: theirs, row: run({ expiresAt: NOW + 1 }) }));
      await store().noteHistory(rows, 2);
      const [own] = await store().auditChains(ours);
      await store().importAudit(theirs, await store().auditChain(ours, own!.chain, ALL));
      await store().purge(theirs, purgeRequest({ by: { at: NOW + 99, actor: 'a', surface: 's' } }));
      await store().sweep();
      expect(await look(ours)).toEqual(before);
    });

    it('is not reached from another namespace, by whatever id, key or chain', async () => {
      const [ours, theirs] = [namespace(), namespace()];
      await write(store(), ours, note('x'));
      await fill(theirs, 'secret', draft().uuid);
      const [own] = await store().auditChains(theirs);
      expect(await store().auditChain(ours, own!.chain, ALL)).toEqual([]);
      expect(await store().heldRecords(ours, [2, 3, 4])).toEqual([]);
      expect(await store().doneOnce(ours, 'k', NOW)).toBeNull();
      for (const id of [2, 3, 4]) {
        const reach = [
          { deletions: [{ id, at: NOW }] },
          { restorations: [{ id, at: NOW, passages: [] }] },
          { writes: [{ ...note('x'), id }] },
        ];
        for (const batch of reach)
          await expect(commit(store(), ours, batch)).rejects.toMatchObject({ code: 'not_found' });
      }
      expect(await commit(store(), ours, { writes: [fact('k', 'c', 'mine')], once })).toEqual([2]);
      expect(await found(store(), theirs, 'mine')).toEqual([]);
    });

    it('is nothing where nobody has written', async () => {
      const ns = namespace();
      expect(await look(ns)).toEqual({
        live: [],
        deleted: [],
        byKey: [],
        counts: [0, 0],
        categories: [],
        held: [],
        ids: [0, null, null],
        done: null,
        entries: [],
        ofOne: [],
        chains: [],
        chain: [],
        sound: [],
        startup: [],
        seen: null,
        history: [],
        stats: undefined,
      });
      expect(await store().purge(ns, purgeRequest())).toBe(0);
      expect(await look(ns)).toMatchObject({ stats: undefined });
    });
  });
}
