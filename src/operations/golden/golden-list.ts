import { z } from 'zod';
import type { Operation, OperationContext } from '../operation.ts';
import { goldenOutput, goldenOutputOf } from './golden-fields.ts';
import { goldenQueries } from '../../engine/golden/golden-queries.ts';

const input = z.strictObject({});
const output = z.strictObject({
  queries: z.array(goldenOutput).describe('In the order in which they were recorded.'),
});
export type GoldenListOutput = z.infer<typeof output>;

export const goldenListOperation: Operation<typeof input, typeof output> = {
  name: 'golden-list',
  title: 'List golden queries',
  description: 'Lists the recorded queries and what they should find.',
  input,
  output,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'admin',
  examples: [{ title: 'All golden queries', input: {} }],
  run: runList,
};

async function runList(context: OperationContext): Promise<GoldenListOutput> {
  const loci = await context.loci();
  return { queries: (await goldenQueries(loci)).map(goldenOutputOf) };
}
