import { z } from 'zod';
import type { Operation, OperationContext } from '../operation.ts';
import { goldenId, goldenOutput, goldenOutputOf, type GoldenOutput } from './golden-fields.ts';

const input = z.strictObject({ id: goldenId() });

export const goldenRemove: Operation<z.infer<typeof input>, GoldenOutput> = {
  name: 'golden-remove',
  title: 'Remove a golden query',
  description: 'Removes a recorded query. An import of an older export does not bring it back.',
  input,
  output: goldenOutput,
  readOnly: false,
  destructive: true,
  idempotent: false,
  scope: 'admin',
  examples: [{ title: 'One that matters no more', input: { id: '019a8f6e-2f5c-7b31-9f0a-5d1c3a7e4b22' } }],
  run: runRemove,
};

async function runRemove(context: OperationContext, { id }: z.infer<typeof input>): Promise<GoldenOutput> {
  const loci = await context.loci();
  return goldenOutputOf(await loci.golden.remove(id));
}
