import { z } from 'zod';
import { listTokens, listTokensOutput } from '../../engine/access/tokens.ts';
import type { Operation } from '../operation.ts';

const input = z.strictObject({});

export const listTokensOperation: Operation<typeof input, typeof listTokensOutput> = {
  name: 'token-list',
  title: 'List tokens',
  description:
    'Lists every token that was created, oldest first, with its subject, its scopes and its expiry.',
  input,
  output: listTokensOutput,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'admin',
  local: true,
  onPage: true,
  examples: [{ title: 'All tokens', input: {} }],
  run: async (context) => listTokens(await context.loci()),
};
