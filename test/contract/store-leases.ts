import { describe, expect, it } from 'vitest';
import type { LeaseRequest, SourceState } from '../../src/store/admin-model.ts';
import type { ItemChange } from '../../src/store/item-model.ts';
import {
  hitChanges,
  idempotentResult,
  sourceStateChange,
  sourceStates,
} from '../../src/store/items/kinds.ts';
import type { CommitBatch, Fence } from '../../src/store/model.ts';
import { ADMIN_NAMESPACE } from '../../src/store/rules/admin-namespace.ts';
import { searchText } from './queries.ts';
import type { StoreFixture } from './store-contract.ts';
import { ALL_LIVE, anyOf, CHUNKING, note, NOW, write } from './store-samples.ts';
import { auditDraft, auditEntries, dropLease, takeLease } from './written-samples.ts';

const YEAR = 365 * 24 * 60 * 60 * 1000;

export function describeLeases({ store, namespace }: StoreFixture): void {
  /** Makes requests for a lease that no other test uses. */
  const newLease = (): ((holder: string, now?: number) => LeaseRequest) => {
    const name = namespace();
    return (holder, now = NOW) => ({ name, holder, now, until: now + 10 });
  };

  const take = (request: LeaseRequest, ns = ADMIN_NAMESPACE as string): Promise<number | null> =>
    takeLease(store, ns, request);
  const drop = (name: string, holder: string): Promise<void> =>
    dropLease(store, ADMIN_NAMESPACE, name, holder);

  describe('a lease', () => {
    it('has one holder at a time, who may renew it', async () => {
      const request = newLease();
      const token = await take(request('a'));
      expect(token).toEqual(expect.any(Number));
      expect(await take(request('b', NOW + 9))).toBeNull();
      expect(await take(request('a', NOW + 9))).toBe(token);
      expect(await take(request('b', NOW + 10))).toBeNull();
    });

    it('can be taken by another holder after it expires, with a higher token', async () => {
      const request = newLease();
      const first = await take(request('a'));
      const second = await take(request('b', NOW + 10));
      expect(second).toBeGreaterThan(first!);
      expect(await take(request('a', NOW + 11))).toBeNull();
      expect(await take(request('a', NOW + 20))).toBeGreaterThan(second!);
    });

    it('is free after its holder releases it, but not after another process tries to', async () => {
      const request = newLease();
      const first = await take(request('a'));
      const { name } = request('a');
      await drop(name, 'b');
      expect(await take(request('b'))).toBeNull();
      await drop(name, 'a');
      const second = await take(request('b'));
      expect(second).toBeGreaterThan(first!);
      await drop(name, 'a');
      expect(await take(request('a'))).toBeNull();
      await drop('a lease that nobody took', 'a');
    });

    it('can be renewed after it expires, with the same token, unless another holder took it', async () => {
      const request = newLease();
      const token = await take(request('a'));
      expect(await take(request('a', NOW + 1000))).toBe(token);
      expect(await take(request('b', NOW + 1009))).toBeNull();
    });

    it('is free after the clock is set back by a year, also for its former holder later', async () => {
      const request = newLease();
      const first = await take(request('a'));
      const second = await take(request('b', NOW - YEAR));
      expect(second).toBeGreaterThan(first!);
      expect(await take(request('a', NOW - YEAR + 9))).toBeNull();
      expect(await take(request('a', NOW - YEAR + 10))).toBeGreaterThan(second!);
    });

    it('stays with its holder after the clock is set back by a year if the holder is the first to request it', async () => {
      const request = newLease();
      const token = await take(request('a'));
      expect(await take(request('a', NOW - YEAR))).toBe(token);
      expect(await take(request('b', NOW - YEAR + 9))).toBeNull();
    });

    it('is free after the clock is set forward by a year, and again after it is set back', async () => {
      const request = newLease();
      const first = await take(request('a'));
      const second = await take(request('b', NOW + YEAR));
      expect(second).toBeGreaterThan(first!);
      expect(await take(request('a', NOW + YEAR + 1))).toBeNull();
      expect(await take(request('a', NOW + 20))).toBeGreaterThan(second!);
    });

    it('is respected by clocks that differ by up to the requested duration', async () => {
      const request = newLease();
      await take(request('a'));
      expect(await take(request('b', NOW - 10))).toBeNull();
      expect(await take(request('b', NOW - 11))).not.toBeNull();
    });

    it('can be taken over before it expires, with a higher token', async () => {
      const request = newLease();
      const first = await take(request('a'));
      const second = await take({ ...request('b'), takesOver: true });
      expect(second).toBeGreaterThan(first!);
      expect(await take(request('a', NOW + 9))).toBeNull();
      expect(await take({ ...request('b'), takesOver: true })).toBe(second);
    });

    it('tells who has it until it expires or is released', async () => {
      const request = newLease();
      const { name } = request('a');
      const holderAt = async (at: number): Promise<string | undefined> =>
        (await store.admin.lease(ADMIN_NAMESPACE, { name, at }))?.holder;
      expect(await holderAt(NOW)).toBeUndefined();
      await take(request('a'));
      expect([await holderAt(NOW + 9), await holderAt(NOW + 10)]).toEqual(['a', undefined]);
      await drop(name, 'a');
      expect(await holderAt(NOW)).toBeUndefined();
    });

    it('is independent of leases of other names and namespaces', async () => {
      const [one, other, ns] = [newLease(), newLease(), namespace()];
      await take(one('a'));
      expect(await take(other('b'))).not.toBeNull();
      expect(await take(one('b'), ns)).not.toBeNull();
      expect(await take(one('c'), ns)).toBeNull();
    });

    it('is granted to one of many concurrent requests', async () => {
      const request = newLease();
      const attempts = Array.from({ length: 20 }, (_, i) => take(request(String(i))));
      expect((await Promise.all(attempts)).filter((token) => token !== null)).toHaveLength(1);
    });
  });
}

const LEASE_MS = 60_000;

export function describeFences({ store, namespace }: StoreFixture): void {
  /** Takes the lease with the same name as the namespace. */
  const fenceOf = async (lease: string, holder: string, now = NOW): Promise<Fence> => {
    const token = await takeLease(store, lease, {
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
    records: await store.records.list(ns, { scan: 'undeleted' }, { after: null, limit: 100 }),
    hits: await searchText(store, ns, anyOf('ambient', 'former'), ALL_LIVE, 10),
    terms: (await store.search.terms(ns, ['ambient', 'former'])).terms,
    states: [...(await sourceStates(store.records, ns))],
    audit: await auditEntries(store, ns, {}, { after: null, limit: 10 }),
    idempotentResult: await idempotentResult(store.records, ns, 'o', NOW),
    highestId: (await store.records.bounds(ns)).highestId,
  });

  describe('a fence', () => {
    it('lets the holder of the lease write, with the state of its source', async () => {
      const ns = namespace();
      const fence = await fenceOf(ns, 'a');
      expect(await store.records.commit(ns, refresh(fence))).toEqual([1]);
      expect((await sourceStates(store.records, ns)).get('todos')).toMatchObject({
        readAt: NOW,
        refreshes: 1,
      });
      await store.records.commit(ns, {
        items: [sourceStateChange('todos', { consecutiveFailures: 1 })],
        fence,
      });
      expect((await sourceStates(store.records, ns)).get('todos')).toMatchObject({
        refreshes: 1,
        consecutiveFailures: 1,
      });
    });

    it('accepts writes until another holder takes the lease, even after its expiry or release', async () => {
      const ns = namespace();
      const fence = await fenceOf(ns, 'a');
      expect(await fenceOf(ns, 'a', NOW + LEASE_MS - 1)).toEqual(fence);
      expect(await store.records.commit(ns, refresh(fence))).toEqual([1]);
      await dropLease(store, ns, ns, 'a');
      expect(await store.records.commit(ns, refresh(fence))).toEqual([2]);
    });

    it('rejects commits of a former holder as a whole', async () => {
      const ns = namespace();
      await write(store, ns, note('former', { source: 'todos', origin: 'source', key: 'k' }));
      const late = await fenceOf(ns, 'a');
      await store.records.commit(ns, {
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
      await expect(store.records.commit(ns, batch)).rejects.toMatchObject(conflict);
      const stateChange = store.records.commit(ns, {
        items: [sourceStateChange('todos', { refreshes: 8 })],
        fence: late,
      });
      await expect(stateChange).rejects.toMatchObject(conflict);
      expect(await readAll(ns)).toEqual(before);
      expect(await store.records.commit(ns, { ...batch, fence: current })).toEqual([2]);
      expect(await readAll(ns)).not.toEqual(before);
    });

    it('rejects a token that was never issued', async () => {
      const ns = namespace();
      for (const token of [0, 1]) {
        const commit = store.records.commit(ns, refresh({ lease: ns, token }));
        await expect(commit).rejects.toMatchObject({ code: 'conflict' });
      }
      const { token } = await fenceOf(ns, 'a');
      const commit = store.records.commit(ns, refresh({ lease: ns, token: token + 1 }));
      await expect(commit).rejects.toMatchObject({ code: 'conflict' });
      const otherLease = store.records.commit(ns, refresh({ lease: `${ns} of another`, token }));
      await expect(otherLease).rejects.toMatchObject({ code: 'conflict' });
      expect((await store.records.bounds(ns)).highestId).toBe(0);
    });

    it('leaves the state of the source as it was when the commit fails', async () => {
      const ns = namespace();
      const fence = await fenceOf(ns, 'a');
      await store.records.commit(ns, refresh(fence));
      const before = await readAll(ns);
      await expect(store.records.commit(ns, refresh(fence, { evictions: [99] }))).rejects.toMatchObject({
        code: 'not_found',
      });
      const items: ItemChange[] = [{ put: { kind: 'receipt', key: 'r', at: 0.5, body: null } }];
      await expect(store.records.commit(ns, refresh(fence, { items }))).rejects.toMatchObject({
        code: 'invalid_input',
      });
      expect(await readAll(ns)).toEqual(before);
    });
  });
}

/** The state of a source before its first refresh. */
const NEVER_REFRESHED: SourceState = {
  root: null,
  hasConversations: false,
  readAt: null,
  settings: null,
  triedAt: null,
  tookMs: null,
  nextAt: null,
  refreshes: 0,
  consecutiveFailures: 0,
  totalFailures: 0,
  recentRuns: [],
  error: null,
  problems: [],
  consecutiveEmpty: 0,
  paused: false,
  approval: null,
  approvedAt: null,
  approvedBy: null,
  hits: 0,
  hitAt: null,
};

/** A state in which every field has a different value. */
const ALL_STATE_FIELDS: SourceState = {
  root: '/home/ada/notes',
  hasConversations: true,
  readAt: NOW,
  settings: 'plugins.entries.memory-loci.config',
  triedAt: NOW + 1,
  tookMs: 12,
  nextAt: NOW + 2,
  refreshes: 3,
  consecutiveFailures: 4,
  totalFailures: 5,
  recentRuns: [{ at: NOW + 1, tookMs: 12, failed: true }],
  error: 'exit code 3: "no such list"',
  problems: ['document 2 (b): text is missing', "document 3: 'id' is missing"],
  consecutiveEmpty: 6,
  paused: true,
  approval: 'f'.repeat(64),
  approvedAt: NOW + 3,
  approvedBy: 'ada',
  hits: 7,
  hitAt: NOW + 4,
};

export function describeSourceStates({ store, namespace }: StoreFixture): void {
  const changeState = async (
    ns: string,
    source: string,
    change: Partial<SourceState> | null,
  ): Promise<void> => {
    await store.records.commit(ns, { items: [sourceStateChange(source, change)] });
  };
  const statesOf = async (ns: string): Promise<Record<string, SourceState>> =>
    Object.fromEntries(await sourceStates(store.records, ns));

  describe('the state of a source', () => {
    it('has all changes made in its namespace until it is removed', async () => {
      const [ours, theirs] = [namespace(), namespace()];
      expect(await sourceStates(store.records, ours)).toEqual(new Map());
      await changeState(ours, 'work', {});
      await changeState(ours, 'notes', ALL_STATE_FIELDS);
      await changeState(theirs, 'notes', { root: '/theirs', readAt: 7 });
      expect(await statesOf(ours)).toEqual({ notes: ALL_STATE_FIELDS, work: NEVER_REFRESHED });
      expect([...(await sourceStates(store.records, ours)).keys()]).toEqual(['notes', 'work']);
      await changeState(ours, 'notes', { error: null, paused: false, problems: [], readAt: 1 });
      const notes = { ...ALL_STATE_FIELDS, error: null, paused: false, problems: [], readAt: 1 };
      expect(await statesOf(ours)).toEqual({ notes, work: NEVER_REFRESHED });
      await changeState(ours, 'work', null);
      await changeState(ours, 'never', null);
      await changeState(namespace(), 'notes', null);
      expect(await statesOf(ours)).toEqual({ notes });
      expect(await statesOf(theirs)).toEqual({ notes: { ...NEVER_REFRESHED, root: '/theirs', readAt: 7 } });
      await changeState(ours, 'work', { hits: 1 });
      expect((await statesOf(ours))['work']).toEqual({ ...NEVER_REFRESHED, hits: 1 });
      expect(await store.admin.namespaces(ADMIN_NAMESPACE)).not.toContain(ours);
    });

    it('keeps twenty problems of at most 300 characters, and never splits a character', async () => {
      const ns = namespace();
      const problems = Array.from({ length: 30 }, (_, i) => `${String(i % 10)}${'x'.repeat(298)}\u{1F600}`);
      await changeState(ns, 'todos', { problems, error: 'half \ud800' });
      const { todos } = await statesOf(ns);
      const kept = problems.slice(0, 20).map((problem) => `${problem.slice(0, 299)}\uFFFD`);
      expect(todos).toEqual({ ...NEVER_REFRESHED, problems: kept, error: 'half \uFFFD' });
    });

    it('is unchanged after a change with a number that is not whole', async () => {
      const ns = namespace();
      await changeState(ns, 'todos', ALL_STATE_FIELDS);
      for (const change of [{ readAt: 0.5 }, { nextAt: Number.NaN }, { tookMs: 1.5 }, { hits: Infinity }]) {
        await expect(changeState(ns, 'todos', { error: 'new', ...change })).rejects.toMatchObject({
          code: 'invalid_input',
        });
      }
      expect(await statesOf(ns)).toEqual({ todos: ALL_STATE_FIELDS });
    });

    it('counts hits only of sources that have a state', async () => {
      const [ns, other] = [namespace(), namespace()];
      for (const source of ['a', 'b']) await changeState(ns, source, ALL_STATE_FIELDS);
      await changeState(other, 'a', ALL_STATE_FIELDS);
      const hits = new Map([
        ['a', 2],
        ['unknown', 9],
      ]);
      await Promise.all([
        store.records.commit(ns, { items: hitChanges(hits, NOW + 8) }),
        store.records.commit(ns, { items: hitChanges(hits, NOW + 8) }),
      ]);
      await store.records.commit(ns, { items: hitChanges(new Map(), NOW + 9) });
      await store.records.commit(namespace(), { items: hitChanges(hits, NOW + 9) });
      expect(await statesOf(ns)).toEqual({
        a: { ...ALL_STATE_FIELDS, hits: 11, hitAt: NOW + 8 },
        b: ALL_STATE_FIELDS,
      });
      expect(await statesOf(other)).toEqual({ a: ALL_STATE_FIELDS });
    });
  });
}
