import { undelete } from '../../engine/records/delete.ts';
import { undeleteInput, undeleteOutput } from '../../engine/records/record-schemas.ts';
import type { Operation } from '../operation.ts';

export const undeleteOperation: Operation<typeof undeleteInput, typeof undeleteOutput> = {
  name: 'undelete',
  title: 'Restore a record',
  description: 'Restores a deleted record or fact as it was; search finds it again at once.',
  input: undeleteInput,
  output: undeleteOutput,
  readOnly: false,
  destructive: false,
  idempotent: false,
  scope: 'write',
  tool: 'memory_undelete',
  examples: [{ title: 'A record that was deleted by mistake', input: { id: 1 } }],
  run: async (context, given) => undelete(await context.loci(), given),
};
