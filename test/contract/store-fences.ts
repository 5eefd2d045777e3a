import { describe, expect, it } from 'vitest';
import type { CommitBatch, Fence } from '../../src/store/model.ts';
import type { StoreFixture } from './store-contract.ts';
import { searchText } from './queries.ts';
import { ALL_LIVE, anyOf, CHUNKING, note, NOW, write } from './store-samples.ts';
import { auditDraft } from './written-samples.ts';

const LASTS = 60_000;

export function describeFences({ store, namespace }: StoreFixture): void {
  /** Takes the lease with the same name as the namespace. */
  const take = async (lease: string, holder: string, now = NOW): Promise<Fence> => {
    const token = await store().admin.takeLease(lease, {
      name: lease,
      holder,
      now,
      until: now + LASTS,
    });
    expect(token).not.toBeNull();
    return { lease, token: token! };
  };
  const refresh = (fence: Fence, given: Partial<CommitBatch> = {}): CommitBatch => ({
    writes: [note('ambient', { source: 'todos', origin: 'source' })],
    chunking: CHUNKING,
    fence,
    sourceState: { source: 'todos', change: { readAt: NOW, refreshes: 1 } },
    ...given,
  });
  /** Everything that a commit could change. */
  const look = async (ns: string): Promise<unknown> => ({
    records: await store().records.list(ns, { scan: 'undeleted' }, { after: null, limit: 100 }),
    hits: await searchText(store(), ns, anyOf('ambient', 'former'), ALL_LIVE, 10),
    terms: await store().search.terms(ns, ['ambient', 'former']),
    states: [...(await store().records.sourceStates(ns))],
    audit: await store().admin.auditEntries(ns, {}, { after: null, limit: 10 }),
    done: await store().records.findIdempotentResult(ns, 'o', NOW),
    highest: (await store().records.bounds(ns)).highestId,
  });

  describe('a fence', () => {
    it('lets the holder of the lease write, with the state of its source', async () => {
      const ns = namespace();
      const fence = await take(ns, 'a');
      expect(await store().records.commit(ns, refresh(fence))).toEqual([1]);
      expect((await store().records.sourceStates(ns)).get('todos')).toMatchObject({
        readAt: NOW,
        refreshes: 1,
      });
      await store().records.commit(ns, {
        sourceState: { source: 'todos', change: { consecutiveFailures: 1 } },
        fence,
      });
      expect((await store().records.sourceStates(ns)).get('todos')).toMatchObject({
        refreshes: 1,
        consecutiveFailures: 1,
      });
    });

    it('accepts writes until another holder takes the lease, even after it expired or was released', async () => {
      const ns = namespace();
      const fence = await take(ns, 'a');
      expect(await take(ns, 'a', NOW + LASTS - 1)).toEqual(fence);
      expect(await store().records.commit(ns, refresh(fence))).toEqual([1]);
      await store().admin.dropLease(ns, ns, 'a');
      expect(await store().records.commit(ns, refresh(fence))).toEqual([2]);
    });

    it('rejects every late commit as a whole', async () => {
      const ns = namespace();
      await write(store(), ns, note('former', { source: 'todos', origin: 'source', key: 'k' }));
      const late = await take(ns, 'a');
      await store().records.commit(ns, {
        sourceState: { source: 'todos', change: { refreshes: 7 } },
        fence: late,
      });
      const now = await take(ns, 'b', NOW + LASTS);
      expect(now.token).toBeGreaterThan(late.token);
      const before = await look(ns);
      const batch = refresh(late, {
        evictions: [1],
        audit: [auditDraft({ subject: 'u' })],
        idempotencyKey: { key: 'o', fingerprint: 'f', at: NOW, expiresAt: NOW + 1 },
      });
      const conflict = { code: 'conflict', message: `another process refreshes ${ns} now` };
      await expect(store().records.commit(ns, batch)).rejects.toMatchObject(conflict);
      const changing = store().records.commit(ns, {
        sourceState: { source: 'todos', change: { refreshes: 8 } },
        fence: late,
      });
      await expect(changing).rejects.toMatchObject(conflict);
      expect(await look(ns)).toEqual(before);
      expect(await store().records.commit(ns, { ...batch, fence: now })).toEqual([2]);
      expect(await look(ns)).not.toEqual(before);
    });

    it('rejects a token that was never issued', async () => {
      const ns = namespace();
      for (const token of [0, 1]) {
        const commit = store().records.commit(ns, refresh({ lease: ns, token }));
        await expect(commit).rejects.toMatchObject({ code: 'conflict' });
      }
      const { token } = await take(ns, 'a');
      const commit = store().records.commit(ns, refresh({ lease: ns, token: token + 1 }));
      await expect(commit).rejects.toMatchObject({ code: 'conflict' });
      const elsewhere = store().records.commit(ns, refresh({ lease: `${ns} of another`, token }));
      await expect(elsewhere).rejects.toMatchObject({ code: 'conflict' });
      expect((await store().records.bounds(ns)).highestId).toBe(0);
    });

    it('leaves the state of the source as it was when the commit fails', async () => {
      const ns = namespace();
      const fence = await take(ns, 'a');
      await store().records.commit(ns, refresh(fence));
      const before = await look(ns);
      await expect(store().records.commit(ns, refresh(fence, { evictions: [99] }))).rejects.toMatchObject({
        code: 'not_found',
      });
      const sourceState = { source: 'todos', change: { readAt: 0.5 } };
      await expect(store().records.commit(ns, refresh(fence, { sourceState }))).rejects.toMatchObject({
        code: 'invalid_input',
      });
      expect(await look(ns)).toEqual(before);
    });
  });
}
