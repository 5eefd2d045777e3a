import { z } from 'zod';
import { isoTime } from '../shared/dates.ts';
import type { Operation, OperationContext } from '../operation.ts';
import { recordId } from '../shared/record-fields.ts';

export interface DeleteInput {
  readonly id: number;
}

export interface DeleteOutput {
  readonly id: number;
  readonly title: string;
  readonly deleted_at: string;
  readonly purged_after: string;
}

export const deleteRecord: Operation<DeleteInput, DeleteOutput> = {
  name: 'delete',
  title: 'Delete a record',
  description:
    'Takes a record out of every answer. Nothing is destroyed: `undelete` brings it back until it is purged, 30 days ' +
    'later unless configured otherwise. Notes leave when their files do.',
  input: z.strictObject({ id: recordId() }),
  output: z.strictObject({
    id: recordId(),
    title: z.string(),
    deleted_at: z.iso.datetime(),
    purged_after: z.iso.datetime().describe('Until then it can be brought back.'),
  }),
  readOnly: false,
  destructive: false,
  idempotent: false,
  scope: 'write',
  tool: 'memory_delete',
  examples: [{ title: 'Something that is no longer so', input: { id: 1 } }],
  run: async (context: OperationContext, { id }: DeleteInput): Promise<DeleteOutput> => {
    const loci = await context.loci();
    const { title, deletedAt, purgedAfter } = await loci.delete(id);
    return { id, title, deleted_at: isoTime(deletedAt), purged_after: isoTime(purgedAfter) };
  },
};
