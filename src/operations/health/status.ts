import { z } from 'zod';
import { status, statusOutput } from '../../engine/health/status.ts';
import type { Operation } from '../operation.ts';

const input = z.strictObject({});

export const statusOperation: Operation<typeof input, typeof statusOutput> = {
  name: 'status',
  title: 'Show status',
  description:
    'Shows how many records there are, where they come from, how they are embedded and where the store is.',
  input,
  output: statusOutput,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'admin',
  examples: [{ title: 'The status', input: {} }],
  run: async (context) => status(await context.loci(), context.home, context.vaults),
};
