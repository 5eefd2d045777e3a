import { revokeToken, revokeTokenInput, tokenOutput } from '../../engine/access/tokens.ts';
import type { Operation } from '../operation.ts';

export const revokeTokenOperation: Operation<typeof revokeTokenInput, typeof tokenOutput> = {
  name: 'token-revoke',
  title: 'Revoke a token',
  description: 'Revokes a token permanently. A running server refuses it after at most one second.',
  input: revokeTokenInput,
  output: tokenOutput,
  readOnly: false,
  destructive: true,
  idempotent: true,
  scope: 'admin',
  local: true,
  onPage: true,
  examples: [{ title: 'The laptop is lost', input: { token: 'laptop' } }],
  run: async (context, given) => revokeToken(await context.loci(), given),
};
