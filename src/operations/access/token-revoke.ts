import { z } from 'zod';
import type { Operation, OperationContext } from '../operation.ts';
import { tokenFields, tokenOutput, type TokenOutput } from './token-output.ts';

export interface TokenRevokeInput {
  readonly token: string;
}

export const tokenRevoke: Operation<TokenRevokeInput, TokenOutput> = {
  name: 'token-revoke',
  title: 'Revoke a token',
  description:
    'Ends the use of a token for good. A running server lets nobody in with it after a second at most.',
  input: z.strictObject({
    token: z.string().trim().min(1).describe('Its id, or its name where only one token in use has it.'),
  }),
  output: z.strictObject(tokenFields),
  readOnly: false,
  destructive: true,
  idempotent: true,
  scope: 'admin',
  local: true,
  examples: [{ title: 'The laptop is lost', input: { token: 'laptop' } }],
  run: runTokenRevoke,
};

async function runTokenRevoke(context: OperationContext, { token }: TokenRevokeInput): Promise<TokenOutput> {
  const loci = await context.loci();
  return tokenOutput(await loci.access.revoke(token));
}
