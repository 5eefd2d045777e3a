import { z } from 'zod';
import type { Timestamp } from '../../core/types.ts';
import type { TokenInfo } from '../../engine/access/access.ts';
import { SCOPES } from '../operation.ts';
import { isoTime } from '../../engine/fields/times.ts';

/** A token in the output of every operation. It never has the text of the token. */
export const tokenOutput = z.strictObject({
  id: z.string().describe('`token-revoke` accepts it.'),
  name: z.string(),
  subject: z.string().describe('The namespace that it gives access to.'),
  scopes: z.array(z.enum(SCOPES)),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime().nullable().describe('Null: never.'),
  revoked_at: z.iso.datetime().nullable(),
});
export type TokenOutput = z.infer<typeof tokenOutput>;

export function formatToken(token: TokenInfo): TokenOutput {
  return {
    id: token.id,
    name: token.name,
    subject: token.subject,
    scopes: SCOPES.filter((scope) => token.scopes.includes(scope)),
    created_at: isoTime(token.createdAt),
    expires_at: formatTime(token.expiresAt),
    revoked_at: formatTime(token.revokedAt),
  };
}

function formatTime(at: Timestamp | null): string | null {
  return at === null ? null : isoTime(at);
}
