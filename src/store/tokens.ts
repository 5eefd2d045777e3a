import type { Timestamp } from '../core/types.ts';
import type { AuditDraft } from './audit.ts';

/** A key to one subject's memory, without the key: of its text only the hash is known. */
export interface StoredToken {
  readonly id: string;
  /** SHA-256 of the token's text, hexadecimal. */
  readonly hash: string;
  /** Whose memory it opens. */
  readonly subject: string;
  /** What people call it. */
  readonly name: string;
  readonly scopes: readonly string[];
  readonly createdAt: Timestamp;
  /** From this time on it opens nothing; `null` for one that does not expire. */
  readonly expiresAt: Timestamp | null;
  readonly revokedAt: Timestamp | null;
}

/** Who may come in over HTTP. Tokens stand beside the namespaces, not in one. */
export interface Tokens {
  /**
   * Durable when it resolves, with what the subject's audit log says of it.
   * @throws LociError `conflict` for an id or a hash that is taken
   */
  addToken(token: StoredToken, audit: readonly AuditDraft[]): Promise<void>;
  /** All of them, revoked and expired ones too; oldest first, ties by id. */
  tokens(): Promise<StoredToken[]>;
  tokenByHash(hash: string): Promise<StoredToken | null>;
  /** From now on it opens nothing; what was revoked before stays so since then, unsaid. Whether there is one of this id. */
  revokeToken(id: string, at: Timestamp, audit: readonly AuditDraft[]): Promise<boolean>;
}
