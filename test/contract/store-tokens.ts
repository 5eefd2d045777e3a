import { describe, expect, it } from 'vitest';
import { sha256 } from '../../src/core/ids.ts';
import type { AuditDraft, StoredToken } from '../../src/store/admin-model.ts';
import { storedTokens, tokenPut, tokenRevocation, tokenUse } from '../../src/store/items/kinds.ts';
import { ADMIN_NAMESPACE } from '../../src/store/rules/admin-namespace.ts';
import type { StoreFixture } from './store-contract.ts';
import { NOW } from './store-samples.ts';
import { auditDraft, auditEntries } from './written-samples.ts';

function token(id: string, fields: Partial<StoredToken> = {}): StoredToken {
  return {
    kind: 'token',
    id,
    hash: sha256(id),
    subject: 'älice 世界',
    name: 'laptop',
    scopes: ['read', 'write'],
    createdAt: NOW,
    expiresAt: NOW + 1000,
    revokedAt: null,
    csrfHash: null,
    usedAt: null,
    ...fields,
  };
}

export function describeTokens({ store, namespace }: StoreFixture): void {
  const add = (added: StoredToken, audit: readonly AuditDraft[] = []): Promise<unknown> =>
    store().records.commit(added.subject, { adminItems: [tokenPut(added)], audit });
  const revoke = (id: string, at: number, subject: string): Promise<unknown> =>
    store().records.commit(subject, { adminItems: [tokenRevocation(id, at)], audit: [auditDraft()] });
  const tokens = (hash?: string): Promise<StoredToken[]> =>
    storedTokens(store().records, ADMIN_NAMESPACE, hash);

  describe('tokens', () => {
    it('are found by their hash and listed unchanged, oldest first', async () => {
      const [young, old, lasting] = [
        token('young', { createdAt: NOW + 1 }),
        token('old', { scopes: [] }),
        token('lasting', { expiresAt: null }),
      ];
      for (const each of [young, old, lasting]) await add(each);
      expect(await tokens()).toEqual([lasting, old, young]);
      expect(await tokens(old.hash)).toEqual([old]);
      expect(await tokens(sha256('unknown'))).toEqual([]);
      expect(await storedTokens(store().records, old.subject)).toEqual([]);
      const { namespaces } = await store().admin.stats(ADMIN_NAMESPACE);
      expect(namespaces.map((each) => each.namespace)).not.toContain(ADMIN_NAMESPACE);
    });

    it('are rejected if their id or hash is taken', async () => {
      const first = token('first');
      await add(first);
      const count = (await tokens()).length;
      for (const other of [token('first', { hash: sha256('x') }), token('second', { hash: first.hash })])
        await expect(add(other)).rejects.toMatchObject({
          code: 'conflict',
          message: `a token with the id ${other.id} or the same hash already exists`,
        });
      expect(await tokens()).toHaveLength(count);
    });

    it('remain in the list after they are revoked, once, together with the entry in the log of their subject', async () => {
      const added = token('revoked', { subject: namespace() });
      await add(added, [auditDraft()]);
      await revoke('revoked', NOW + 5, added.subject);
      await expect(revoke('revoked', NOW + 9, added.subject)).rejects.toMatchObject({ code: 'conflict' });
      expect(await tokens(added.hash)).toEqual([{ ...added, revokedAt: NOW + 5 }]);
      expect(await auditEntries(store(), added.subject, {}, { after: null, limit: 9 })).toHaveLength(2);
    });

    it('of which one makes another are exchanged once, in one transaction', async () => {
      const code = token('code', { kind: 'page_code', scopes: [] });
      await add(code);
      const sessions = ['first', 'second', 'third'].map((id) =>
        token(id, { kind: 'page_session', csrfHash: sha256(`csrf of ${id}`), usedAt: NOW }),
      );
      const exchange = (session: StoredToken): Promise<unknown> =>
        store().records.commit(session.subject, {
          adminItems: [tokenRevocation(code.id, NOW + 1), tokenPut(session)],
        });
      const outcomes = await Promise.allSettled(sessions.map(exchange));
      const made = sessions.filter((_, i) => outcomes[i]!.status === 'fulfilled');
      expect(made).toHaveLength(1);
      for (const outcome of outcomes)
        if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'conflict' });
      expect((await tokens()).filter(({ kind }) => kind === 'page_session')).toEqual(made);
      const [session] = made;
      await store().records.commit(code.subject, { adminItems: [tokenUse(session!.id, NOW + 7)] });
      expect(await tokens(session!.hash)).toEqual([{ ...session, usedAt: NOW + 7 }]);
    });

    it('are removed by a purge some time after they have expired, unless they were created by a person', async () => {
      const ids = ['page_code', 'page_session', 'token'] as const;
      for (const kind of ids) await add(token(`old ${kind}`, { kind }));
      const left = async (now: number): Promise<string[]> => {
        await store().records.commit(namespace(), { adminItems: [{ forgetExpired: now }] });
        return (await tokens()).filter(({ id }) => id.startsWith('old ')).map(({ kind }) => kind);
      };
      expect(await left(NOW + 2000)).toHaveLength(3);
      expect(await left(NOW + 3 * 86_400_000)).toEqual(['token']);
    });
  });
}
