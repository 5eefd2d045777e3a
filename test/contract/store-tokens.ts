import { describe, expect, it } from 'vitest';
import { sha256 } from '../../src/core/ids.ts';
import type { AuditDraft, StoredToken } from '../../src/store/admin-model.ts';
import { storedTokens, tokenPut, tokenRevocation } from '../../src/store/items/kinds.ts';
import { ADMIN_NAMESPACE } from '../../src/store/rules/admin-namespace.ts';
import type { StoreFixture } from './store-contract.ts';
import { NOW } from './store-samples.ts';
import { auditDraft, auditEntries } from './written-samples.ts';

function token(id: string, fields: Partial<StoredToken> = {}): StoredToken {
  return {
    id,
    hash: sha256(id),
    subject: 'älice 世界',
    name: 'laptop',
    scopes: ['read', 'write'],
    createdAt: NOW,
    expiresAt: NOW + 1000,
    revokedAt: null,
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
  });
}
