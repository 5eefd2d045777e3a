import { ADMIN_NAMESPACE } from '../../src/store/rules/admin-namespace.ts';
import { describe, expect, it } from 'vitest';
import { sha256 } from '../../src/core/ids.ts';
import type { StoredToken } from '../../src/store/admin-model.ts';
import type { StoreFixture } from './store-contract.ts';
import { NOW } from './store-samples.ts';

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

export function describeTokens({ store }: StoreFixture): void {
  describe('tokens', () => {
    it('are found by their hash and listed unchanged, oldest first', async () => {
      const [young, old, lasting] = [
        token('young', { createdAt: NOW + 1 }),
        token('old', { scopes: [] }),
        token('lasting', { expiresAt: null }),
      ];
      for (const each of [young, old, lasting]) await store().admin.addToken(ADMIN_NAMESPACE, each, []);
      expect(await store().admin.tokens(ADMIN_NAMESPACE)).toEqual([lasting, old, young]);
      expect(await store().admin.tokens(ADMIN_NAMESPACE, old.hash)).toEqual([old]);
      expect(await store().admin.tokens(ADMIN_NAMESPACE, sha256('unknown'))).toEqual([]);
    });

    it('are rejected if their id or hash is taken', async () => {
      const first = token('first');
      await store().admin.addToken(ADMIN_NAMESPACE, first, []);
      const count = (await store().admin.tokens(ADMIN_NAMESPACE)).length;
      await expect(
        store().admin.addToken(ADMIN_NAMESPACE, token('first', { hash: sha256('x') }), []),
      ).rejects.toMatchObject({
        code: 'conflict',
      });
      await expect(
        store().admin.addToken(ADMIN_NAMESPACE, token('second', { hash: first.hash }), []),
      ).rejects.toMatchObject({
        code: 'conflict',
      });
      expect(await store().admin.tokens(ADMIN_NAMESPACE)).toHaveLength(count);
    });

    it('remain in the list after they are revoked, with the time of the first revocation', async () => {
      const added = token('revoked');
      await store().admin.addToken(ADMIN_NAMESPACE, added, []);
      expect(await store().admin.revokeToken(ADMIN_NAMESPACE, 'revoked', NOW + 5, [])).toBe(true);
      expect(await store().admin.revokeToken(ADMIN_NAMESPACE, 'revoked', NOW + 9, [])).toBe(true);
      expect(await store().admin.tokens(ADMIN_NAMESPACE, added.hash)).toEqual([
        { ...added, revokedAt: NOW + 5 },
      ]);
      expect(await store().admin.revokeToken(ADMIN_NAMESPACE, 'unknown', NOW, [])).toBe(false);
    });
  });
}
