import { z } from 'zod';
import type { Operation, OperationContext } from '../operation.ts';
import { tokenFields, tokenOutput, type TokenOutput } from './token-output.ts';

export interface TokenListOutput {
  readonly tokens: TokenOutput[];
}

export const tokenList: Operation<Record<string, never>, TokenListOutput> = {
  name: 'token-list',
  title: 'List tokens',
  description: 'Lists every token that was made, oldest first: whose it is, what it allows, and until when.',
  input: z.strictObject({}),
  output: z.strictObject({
    tokens: z.array(z.strictObject(tokenFields)).describe('Those that expired or were revoked too.'),
  }),
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'admin',
  local: true,
  examples: [{ title: 'Who may come in', input: {} }],
  run: runTokenList,
};

async function runTokenList(context: OperationContext): Promise<TokenListOutput> {
  const loci = await context.loci();
  return { tokens: (await loci.access.list()).map(tokenOutput) };
}
