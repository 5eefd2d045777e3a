import { z } from 'zod';
import type { Operation } from '../operation.ts';
import { formatToken, tokenOutput } from './token-output.ts';
import { accessOf } from '../../engine/access/access.ts';

const input = z.strictObject({});
const output = z.strictObject({
  tokens: z.array(tokenOutput).describe('Expired and revoked tokens included.'),
});
export type TokenListOutput = z.infer<typeof output>;

export const listTokensOperation: Operation<typeof input, typeof output> = {
  name: 'token-list',
  title: 'List tokens',
  description:
    'Lists every token that was created, oldest first, with its subject, its scopes and its expiry.',
  input,
  output,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'admin',
  local: true,
  examples: [{ title: 'All tokens', input: {} }],
  run: async (context) => {
    const loci = await context.loci();
    return { tokens: (await accessOf(loci).list()).map(formatToken) };
  },
};
