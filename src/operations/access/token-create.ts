import { createToken, createTokenInput, createTokenOutput } from '../../engine/access/tokens.ts';
import type { Operation } from '../operation.ts';

export const createTokenOperation: Operation<typeof createTokenInput, typeof createTokenOutput> = {
  name: 'token-create',
  title: 'Create a token',
  description:
    'Creates a token that gives access to a memory over HTTP, by REST or MCP. It is shown once; Loci stores only its ' +
    'hash. Give each program a token of its own, so that each can be revoked separately.',
  input: createTokenInput,
  output: createTokenOutput,
  readOnly: false,
  destructive: false,
  idempotent: false,
  scope: 'admin',
  local: true,
  examples: [
    {
      title: 'A token for Alice’s laptop that is valid for three months',
      input: { subject: 'alice', scopes: ['read', 'write'], expires: '90d', name: 'laptop' },
    },
    { title: 'A token that only reads', input: { subject: 'alice', name: 'dashboard' } },
  ],
  run: async (context, given) => createToken(await context.loci({ create: true }), given),
};
