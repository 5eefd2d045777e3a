import { z } from 'zod';
import { goldenListOutput, goldenOutputOf } from '../../engine/golden/golden-fields.ts';
import { goldenQueries } from '../../engine/golden/golden-queries.ts';
import type { Operation } from '../operation.ts';

const input = z.strictObject({});

export const goldenListOperation: Operation<typeof input, typeof goldenListOutput> = {
  name: 'golden-list',
  title: 'List golden queries',
  description: 'Lists the recorded queries and what they should find.',
  input,
  output: goldenListOutput,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'admin',
  examples: [{ title: 'All golden queries', input: {} }],
  run: async (context) => {
    const loci = await context.loci();
    return { queries: (await goldenQueries(loci)).map(goldenOutputOf) };
  },
};
