import { describe, expect, it } from 'vitest';
import { idempotentResult } from '../../src/store/items/kinds.ts';
import type { ItemChange } from '../../src/store/item-model.ts';
import type { CommitBatch, Fence } from '../../src/store/model.ts';
import { sourceStateChange, sourceStates } from '../../src/store/items/source-state.ts';
import type { StoreFixture } from './store-contract.ts';
import { searchText } from './queries.ts';
import { ALL_LIVE, anyOf, CHUNKING, note, NOW, write } from './store-samples.ts';
import { auditDraft, auditEntries, dropLease, takeLease } from './written-samples.ts';

const LEASE_MS = 60_000;

export function describeFences({ store, namespace }: StoreFixture): void {
  /** Takes the lease with the same name as the namespace. */
  const fenceOf = async (lease: string, holder: string, now = NOW): Promise<Fence> => {
    const token = await takeLease(store(), lease, {
      name: lease,
      holder,
      now,
      until: now + LEASE_MS,
    });
    expect(token).not.toBeNull();
    return { lease, token: token! };
  };
  const refresh = (fence: Fence, fields: Partial<CommitBatch> = {}): CommitBatch => ({
    writes: [note('ambient', { source: 'todos', origin: 'source' })],
    chunking: CHUNKING,
    fence,
    items: [sourceStateChange('todos', { readAt: NOW, refreshes: 1 })],
    ...fields,
  });
  /** The results of every read that a commit could change. */
  const readAll = async (ns: string): Promise<unknown> => ({
    records: await store().records.list(ns, { scan: 'undeleted' }, { after: null, limit: 100 }),
    hits: await searchText(store(), ns, anyOf('ambient', 'former'), ALL_LIVE, 10),
    terms: (await store().search.terms(ns, ['ambient', 'former'])).terms,
    states: [...(await sourceStates(store().records, ns))],
    audit: await auditEntries(store(), ns, {}, { after: null, limit: 10 }),
    idempotentResult: await idempotentResult(store().records, ns, 'o', NOW),
    highestId: (await store().records.bounds(ns)).highestId,
  });

  describe('a fence', () => {
    it('lets the holder of the lease write, with the state of its source', async () => {
      const ns = namespace();
      const fence = await fenceOf(ns, 'a');
      expect(await store().records.commit(ns, refresh(fence))).toEqual([1]);
      expect((await sourceStates(store().records, ns)).get('todos')).toMatchObject({
        readAt: NOW,
        refreshes: 1,
      });
      await store().records.commit(ns, {
        items: [sourceStateChange('todos', { consecutiveFailures: 1 })],
        fence,
      });
      expect((await sourceStates(store().records, ns)).get('todos')).toMatchObject({
        refreshes: 1,
        consecutiveFailures: 1,
      });
    });

    it('accepts writes until another holder takes the lease, even after its expiry or release', async () => {
      const ns = namespace();
      const fence = await fenceOf(ns, 'a');
      expect(await fenceOf(ns, 'a', NOW + LEASE_MS - 1)).toEqual(fence);
      expect(await store().records.commit(ns, refresh(fence))).toEqual([1]);
      await dropLease(store(), ns, ns, 'a');
      expect(await store().records.commit(ns, refresh(fence))).toEqual([2]);
    });

    it('rejects commits of a former holder as a whole', async () => {
      const ns = namespace();
      await write(store(), ns, note('former', { source: 'todos', origin: 'source', key: 'k' }));
      const late = await fenceOf(ns, 'a');
      await store().records.commit(ns, {
        items: [sourceStateChange('todos', { refreshes: 7 })],
        fence: late,
      });
      const current = await fenceOf(ns, 'b', NOW + LEASE_MS);
      expect(current.token).toBeGreaterThan(late.token);
      const before = await readAll(ns);
      const batch = refresh(late, {
        evictions: [1],
        audit: [auditDraft({ subject: 'u' })],
        idempotencyKey: { key: 'o', fingerprint: 'f', at: NOW, expiresAt: NOW + 1 },
      });
      const conflict = { code: 'conflict', message: `another process refreshes ${ns} now` };
      await expect(store().records.commit(ns, batch)).rejects.toMatchObject(conflict);
      const stateChange = store().records.commit(ns, {
        items: [sourceStateChange('todos', { refreshes: 8 })],
        fence: late,
      });
      await expect(stateChange).rejects.toMatchObject(conflict);
      expect(await readAll(ns)).toEqual(before);
      expect(await store().records.commit(ns, { ...batch, fence: current })).toEqual([2]);
      expect(await readAll(ns)).not.toEqual(before);
    });

    it('rejects a token that was never issued', async () => {
      const ns = namespace();
      for (const token of [0, 1]) {
        const commit = store().records.commit(ns, refresh({ lease: ns, token }));
        await expect(commit).rejects.toMatchObject({ code: 'conflict' });
      }
      const { token } = await fenceOf(ns, 'a');
      const commit = store().records.commit(ns, refresh({ lease: ns, token: token + 1 }));
      await expect(commit).rejects.toMatchObject({ code: 'conflict' });
      const otherLease = store().records.commit(ns, refresh({ lease: `${ns} of another`, token }));
      await expect(otherLease).rejects.toMatchObject({ code: 'conflict' });
      expect((await store().records.bounds(ns)).highestId).toBe(0);
    });

    it('leaves the state of the source as it was when the commit fails', async () => {
      const ns = namespace();
      const fence = await fenceOf(ns, 'a');
      await store().records.commit(ns, refresh(fence));
      const before = await readAll(ns);
      await expect(store().records.commit(ns, refresh(fence, { evictions: [99] }))).rejects.toMatchObject({
        code: 'not_found',
      });
      const items: ItemChange[] = [{ put: { kind: 'receipt', key: 'r', at: 0.5, body: null } }];
      await expect(store().records.commit(ns, refresh(fence, { items }))).rejects.toMatchObject({
        code: 'invalid_input',
      });
      expect(await readAll(ns)).toEqual(before);
    });
  });
}
