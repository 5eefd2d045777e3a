import { LociError } from '../../core/errors.ts';
import type { Timestamp } from '../../core/types.ts';
import type { StoredToken } from '../tokens.ts';
import { byCodePoint, type HeldTokens } from './state.ts';

export function addToken(held: HeldTokens, token: StoredToken): void {
  if (held.has(token.id) || tokenByHash(held, token.hash) !== null)
    throw new LociError('conflict', `there is a token of the id ${token.id} already`);
  held.set(token.id, structuredClone(token));
}

export function tokens(held: HeldTokens): StoredToken[] {
  return [...held.values()]
    .map((token) => structuredClone(token))
    .sort((a, b) => a.createdAt - b.createdAt || byCodePoint(a.id, b.id));
}

export function tokenByHash(held: HeldTokens, hash: string): StoredToken | null {
  return tokens(held).find((token) => token.hash === hash) ?? null;
}

export function revokeToken(held: HeldTokens, id: string, at: Timestamp): boolean {
  const token = held.get(id);
  if (token === undefined) return false;
  held.set(id, { ...token, revokedAt: token.revokedAt ?? at });
  return true;
}
