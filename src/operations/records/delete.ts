import { deleteRecord } from '../../engine/records/delete.ts';
import { deleteInput, deleteOutput } from '../../engine/records/record-schemas.ts';
import type { Operation } from '../operation.ts';

export const deleteRecordOperation: Operation<typeof deleteInput, typeof deleteOutput> = {
  name: 'delete',
  title: 'Delete a record',
  description:
    'Removes a record from all results. Nothing is destroyed yet: `undelete` restores it until it is purged, after 30 ' +
    'days unless configured otherwise. Notes are removed by deleting their files.',
  input: deleteInput,
  output: deleteOutput,
  readOnly: false,
  destructive: false,
  idempotent: false,
  scope: 'write',
  needsWrites: true,
  tool: 'memory_delete',
  examples: [{ title: 'A record that is no longer true', input: { id: 1 } }],
  run: async (context, given) => deleteRecord(await context.loci(), given),
};
