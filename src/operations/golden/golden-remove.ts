import { z } from 'zod';
import type { Operation, OperationContext } from '../operation.ts';
import { goldenOutput, goldenOutputOf, type GoldenOutput } from './golden-fields.ts';
import { removeGolden } from '../../engine/golden/golden-queries.ts';

const MAX_QUERY_LENGTH = 1_000_000;

const input = z.strictObject({
  id: z.string().min(1).max(MAX_QUERY_LENGTH).describe('Its id, or the query itself.'),
});

export const goldenRemoveOperation: Operation<typeof input, typeof goldenOutput> = {
  name: 'golden-remove',
  title: 'Remove a golden query',
  description: 'Removes a recorded query. An import of an older export does not bring it back.',
  input,
  output: goldenOutput,
  readOnly: false,
  destructive: true,
  idempotent: false,
  scope: 'admin',
  examples: [{ title: 'One that matters no more', input: { id: 'kitchen remodel' } }],
  run: runRemove,
};

async function runRemove(context: OperationContext, { id }: z.infer<typeof input>): Promise<GoldenOutput> {
  const loci = await context.loci();
  return goldenOutputOf(await removeGolden(loci, id));
}
