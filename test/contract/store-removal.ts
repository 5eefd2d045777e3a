import { describe, expect, it } from 'vitest';
import { randomUUID } from 'node:crypto';
import { sha256 } from '../../src/core/ids.ts';
import { storedTokens, tokenPut } from '../../src/store/items/kinds.ts';
import { ADMIN_NAMESPACE } from '../../src/store/rules/admin-namespace.ts';
import type { RemovalPlace, RemovalStep } from '../../src/store/admin-model.ts';
import type { Store } from '../../src/store/store.ts';
import { searchText } from './queries.ts';
import type { StoreFixture } from './store-contract.ts';
import { ALL_LIVE, anyOf, CHUNKING, embed, note, NOW, unit, verifyStore } from './store-samples.ts';
import { auditDraft, deleteRecords } from './written-samples.ts';

const BY = { at: NOW, actor: 'operator', surface: 'cli' };
const LEASE = { holder: 'process', now: NOW, until: NOW + 1000 };

/** Writes something to most tables. */
export async function fillNamespace(store: Store, ns: string, generation: number): Promise<void> {
  const id = randomUUID();
  const token = { kind: 'token', id, hash: sha256(id), subject: ns, name: ns, scopes: ['read'] } as const;
  const lasting = { createdAt: NOW, expiresAt: null, revokedAt: null, csrfHash: null, usedAt: null };
  const writes = Array.from({ length: 9 }, (_, i) => note(`granite ${String(i)} of ${ns}`));
  await store.records.commit(ns, {
    writes,
    chunking: CHUNKING,
    audit: writes.map((_, i) => auditDraft({ subject: String(i), diff: { text: ns } })),
    items: [{ put: { kind: 'receipt', key: ns, at: NOW, body: { text: ns } } }],
    adminItems: [tokenPut({ ...token, ...lasting })],
  });
  await embed(store, generation, ns, (text) => unit(1, text.length, 2));
  await deleteRecords(store, ns, 1);
  await store.admin.lease(ns, { name: 'refresh', ...LEASE });
}

/** Removes a namespace in steps. @param onStep called after each of them */
export async function removeInSteps(
  { admin }: Pick<Store, 'admin'>,
  namespace: string,
  onStep: (rows: number) => unknown = () => undefined,
): Promise<number> {
  let removed = 0;
  let after: RemovalPlace | null = null;
  do {
    const step: RemovalStep = await admin.removeNamespace(namespace, { by: BY, limit: 4, after });
    removed += step.rows;
    after = step.next;
    await onStep(step.rows);
  } while (after !== null);
  return removed;
}

export function describeRemoval({ store, namespace, generation }: StoreFixture): void {
  const filled = async (): Promise<string> => {
    const ns = namespace();
    await fillNamespace(store, ns, await generation(3));
    return ns;
  };
  const contents = async (ns: string): Promise<unknown> => ({
    rows: await store.admin.namespaceRows(ns),
    found: await searchText(store, ns, anyOf('granite'), ALL_LIVE, 20),
    log: await store.admin.audit(ns, { log: { after: null, limit: 99 }, chains: true, faults: true }),
    stats: await store.admin.stats(ns),
  });
  const removals = async (ns: string): Promise<unknown[]> =>
    (
      await store.admin.audit(ADMIN_NAMESPACE, {
        log: { after: null, limit: 99, subject: `namespace:${ns}` },
      })
    ).entries.map(({ action, actor, diff }) => ({ action, actor, diff }));

  describe('the removal of a namespace', () => {
    it('leaves no row of it but an entry in the administrative log, and others as they were', async () => {
      const [ns, other] = [await filled(), await filled()];
      const before = await contents(other);
      const found = (await store.admin.namespaceRows(ns))!;
      expect(found).toMatchObject({ hasBegun: false, tokens: 1, rows: { record: 9, audit: 9, item: 1 } });
      const rows = Object.values(found.rows).reduce((sum, each) => sum + each, 0);
      const log = await store.admin.audit(ns, { log: { after: null, limit: 1 } });
      const steps: number[] = [];
      expect(await removeInSteps(store, ns, (each) => steps.push(each))).toBe(rows);
      expect(Math.max(...steps)).toBe(4);
      expect(await store.admin.namespaceRows(ns)).toBeNull();
      expect(await removals(ns)).toEqual([
        {
          ...{ action: 'namespace-delete', actor: 'operator' },
          diff: {
            records: 8,
            audit_log: { chain: log.entries[0]!.chain, entries: 9, head: log.entries[0]!.hash },
          },
        },
      ]);
      const tokens = await storedTokens(store.records, ADMIN_NAMESPACE);
      expect(tokens.map(({ subject }) => subject)).not.toContain(ns);
      expect(await contents(other)).toEqual(before);
      expect((await store.admin.audit(ADMIN_NAMESPACE, { faults: true })).faults).toEqual([]);
      expect(await verifyStore(store)).toEqual([]);
    });

    it('refuses writes from its first step on, and goes on where it was stopped', async () => {
      const ns = await filled();
      await store.admin.removeNamespace(ns, { by: BY, limit: 4, after: null });
      expect(await store.admin.unfinishedRemovals(ADMIN_NAMESPACE)).toEqual([ns]);
      expect(await store.admin.namespaces(ADMIN_NAMESPACE, ns)).toEqual([]);
      const write = (): Promise<unknown> => store.records.commit(ns, { writes: [note('again')] });
      await expect(write()).rejects.toMatchObject({ code: 'gone', hint: expect.stringMatching(/settings/) });
      await expect(store.admin.readmitNamespace(ADMIN_NAMESPACE, ns, BY)).rejects.toMatchObject({
        code: 'conflict',
      });
      await removeInSteps(store, ns);
      expect(await store.admin.unfinishedRemovals(ADMIN_NAMESPACE)).toEqual([]);
      expect(await removals(ns)).toHaveLength(1);
      await expect(write()).rejects.toMatchObject({ code: 'gone' });
      await expect(store.admin.lease(ns, { name: 'refresh', ...LEASE })).rejects.toMatchObject({
        code: 'gone',
      });
      expect(await store.admin.namespaceRows(ns)).toBeNull();
      await expect(removeInSteps(store, ns)).rejects.toMatchObject({ code: 'not_found' });
    });

    it('gets nothing derived from what is left', async () => {
      const ns = await filled();
      const { next } = await store.admin.removeNamespace(ns, { by: BY, limit: 4, after: null });
      const left = await store.admin.namespaceRows(ns);
      await store.admin.resetDerived(ns, { text: true, vectors: true });
      await store.admin.compact(ns);
      expect(await store.admin.namespaceRows(ns)).toEqual(left);
      for (let after = next; after !== null;)
        after = (await store.admin.removeNamespace(ns, { by: BY, limit: 4, after })).next;
      expect(await store.admin.namespaceRows(ns)).toBeNull();
    });

    it('does not go on with a namespace of the same name that was made meanwhile', async () => {
      const ns = await filled();
      const { next } = await store.admin.removeNamespace(ns, { by: BY, limit: 4, after: null });
      await removeInSteps(store, ns);
      const step = { by: BY, limit: 4, after: next };
      expect(await store.admin.removeNamespace(ns, step)).toEqual({ rows: 0, next: null });
      await store.admin.readmitNamespace(ADMIN_NAMESPACE, ns, BY);
      await fillNamespace(store, ns, await generation(3));
      const made = await store.admin.namespaceRows(ns);
      expect(await store.admin.removeNamespace(ns, step)).toEqual({ rows: 0, next: null });
      expect(await store.admin.namespaceRows(ns)).toEqual(made);
    });

    it('is over when the operator admits the namespace again, which is empty then', async () => {
      const ns = await filled();
      await removeInSteps(store, ns);
      await store.admin.readmitNamespace(ADMIN_NAMESPACE, ns, BY);
      await store.admin.readmitNamespace(ADMIN_NAMESPACE, ns, BY);
      expect(await removals(ns)).toHaveLength(2);
      expect(await store.records.commit(ns, { writes: [note('new')] })).toEqual([1]);
      expect(await store.admin.namespaceRows(ns)).toMatchObject({ tokens: 0, rows: { record: 1 } });
    });
  });
}
