import { z } from 'zod';
import type { Operation } from '../operation.ts';
import { formatToken, tokenOutput } from './token-output.ts';
import { filterValue } from '../../engine/fields/record-fields.ts';
import { accessOf } from '../../engine/access/access.ts';

const input = z.strictObject({
  token: filterValue().trim().min(1).describe('Its id, or its name if no other active token has it.'),
});

export const revokeTokenOperation: Operation<typeof input, typeof tokenOutput> = {
  name: 'token-revoke',
  title: 'Revoke a token',
  description: 'Revokes a token permanently. A running server refuses it after at most one second.',
  input,
  output: tokenOutput,
  readOnly: false,
  destructive: true,
  idempotent: true,
  scope: 'admin',
  local: true,
  examples: [{ title: 'The laptop is lost', input: { token: 'laptop' } }],
  run: async (context, { token }) => {
    const loci = await context.loci();
    return formatToken(await accessOf(loci).revoke(token));
  },
};
