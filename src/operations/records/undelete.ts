import { z } from 'zod';
import type { Operation, OperationContext } from '../operation.ts';
import { embeddedFields, recordId } from '../shared/record-fields.ts';

const input = z.strictObject({ id: recordId() });
const output = z.strictObject({
  id: recordId(),
  title: z.string(),
  citation: z.string().describe('`get` reads it.'),
  ...embeddedFields(),
});

export type UndeleteOutput = z.infer<typeof output>;

export const undelete: Operation<z.infer<typeof input>, UndeleteOutput> = {
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
    (await context.loci()).undelete(id),
};
