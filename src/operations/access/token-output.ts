import { z } from 'zod';
import type { Timestamp } from '../../core/types.ts';
import type { TokenInfo } from '../../engine/access/access.ts';
import { isoTime } from '../shared/dates.ts';
import { type Scope, SCOPES } from '../operation.ts';

/** A token as the verbs tell of it. */
export interface TokenOutput {
  readonly id: string;
  readonly name: string;
  readonly subject: string;
  readonly scopes: Scope[];
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
}

const time = () => z.iso.datetime();

/** Fields of `TokenOutput`. */
export const tokenFields: { [Name in keyof TokenOutput]: z.ZodType<TokenOutput[Name]> } = {
  id: z.string().describe('`token-revoke` takes it.'),
  name: z.string(),
  subject: z.string().describe('Whose memory it opens.'),
  scopes: z.array(z.enum(SCOPES)),
  created_at: time(),
  expires_at: time().nullable().describe('From then on it opens nothing; null: never.'),
  revoked_at: time().nullable(),
};

export function tokenOutput(token: TokenInfo): TokenOutput {
  return {
    id: token.id,
    name: token.name,
    subject: token.subject,
    scopes: SCOPES.filter((scope) => token.scopes.includes(scope)),
    created_at: isoTime(token.createdAt),
    expires_at: timeOrNever(token.expiresAt),
    revoked_at: timeOrNever(token.revokedAt),
  };
}

function timeOrNever(at: Timestamp | null): string | null {
  return at === null ? null : isoTime(at);
}
