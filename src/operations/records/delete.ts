import { z } from 'zod';
import type { Operation, OperationContext } from '../operation.ts';
import { isoTime } from '../../engine/fields/times.ts';
import { recordId } from '../../engine/fields/record-fields.ts';
import { deleteRecord } from '../../engine/records/delete.ts';

const input = z.strictObject({ id: recordId() });
const output = z.strictObject({
  id: recordId(),
  title: z.string(),
  deleted_at: z.iso.datetime(),
  purged_after: z.iso.datetime().describe('Until then `undelete` can restore it.'),
});

export type DeleteOutput = z.infer<typeof output>;

export const deleteRecordOperation: Operation<typeof input, typeof output> = {
  name: 'delete',
  title: 'Delete a record',
  description:
    'Removes a record from all results. Nothing is destroyed yet: `undelete` restores it until it is purged, after 30 ' +
    'days unless configured otherwise. Notes are removed by deleting their files.',
  input,
  output,
  readOnly: false,
  destructive: false,
  idempotent: false,
  scope: 'write',
  needsWrites: true,
  tool: 'memory_delete',
  examples: [{ title: 'A record that is no longer true', input: { id: 1 } }],
  run: async (context: OperationContext, { id }): Promise<DeleteOutput> => {
    const loci = await context.loci();
    const { title, deletedAt, purgedAfter } = await deleteRecord(loci, id);
    return { id, title, deleted_at: isoTime(deletedAt), purged_after: isoTime(purgedAfter) };
  },
};
