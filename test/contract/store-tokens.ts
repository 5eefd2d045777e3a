import { describe, expect, it } from 'vitest';
import { sha256 } from '../../src/core/ids.ts';
import type { StoredToken } from '../../src/store/tokens.ts';
import type { Subject } from './store-contract.ts';
import { NOW } from './store-samples.ts';

function token(id: string, rest: Partial<StoredToken> = {}): StoredToken {
  return {
    id,
    hash: sha256(id),
    subject: 'älice 世界',
    name: 'laptop',
    scopes: ['read', 'write'],
    createdAt: NOW,
    expiresAt: NOW + 1000,
    revokedAt: null,
    ...rest,
  };
}

export function describeTokens({ store }: Subject): void {
  describe('tokens', () => {
    it('are found by their hash and listed as they were given, oldest first', async () => {
      const [young, old, lasting] = [
        token('young', { createdAt: NOW + 1 }),
        token('old', { scopes: [] }),
        token('lasting', { expiresAt: null }),
      ];
      for (const each of [young, old, lasting]) await store().addToken(each, []);
      expect(await store().tokens()).toEqual([lasting, old, young]);
      expect(await store().tokenByHash(old.hash)).toEqual(old);
      expect(await store().tokenByHash(sha256('nobody'))).toBeNull();
    });

    it('refuse an id or a hash that is taken', async () => {
      const first = token('first');
      await store().addToken(first, []);
      const count = (await store().tokens()).length;
      await expect(store().addToken(token('first', { hash: sha256('x') }), [])).rejects.toMatchObject({
        code: 'conflict',
      });
      await expect(store().addToken(token('second', { hash: first.hash }), [])).rejects.toMatchObject({
        code: 'conflict',
      });
      expect(await store().tokens()).toHaveLength(count);
    });

    it('are revoked once and for all, and stay in the list', async () => {
      const given = token('revoked');
      await store().addToken(given, []);
      expect(await store().revokeToken('revoked', NOW + 5, [])).toBe(true);
      expect(await store().revokeToken('revoked', NOW + 9, [])).toBe(true);
      expect(await store().tokenByHash(given.hash)).toEqual({ ...given, revokedAt: NOW + 5 });
      expect(await store().revokeToken('nobody', NOW, [])).toBe(false);
    });
  });
}
