import { z } from 'zod';
import type { Operation, OperationContext } from '../operation.ts';
import { embeddedFields, recordId } from '../../engine/fields/record-fields.ts';
import { undelete } from '../../engine/records/delete.ts';

const input = z.strictObject({ id: recordId() });
const output = z.strictObject({
  id: recordId(),
  title: z.string(),
  citation: z.string().describe('`get` reads it.'),
  ...embeddedFields(),
});

export type UndeleteOutput = z.infer<typeof output>;

export const undeleteOperation: Operation<typeof input, typeof output> = {
  name: 'undelete',
  title: 'Restore a record',
  description: 'Restores a deleted record or fact as it was; search finds it again at once.',
  input,
  output,
  readOnly: false,
  destructive: false,
  idempotent: false,
  scope: 'write',
  tool: 'memory_undelete',
  examples: [{ title: 'A record that was deleted by mistake', input: { id: 1 } }],
  run: async (context: OperationContext, { id }): Promise<UndeleteOutput> =>
    undelete(await context.loci(), id),
};
