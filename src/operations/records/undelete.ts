import { z } from 'zod';
import type { Operation, OperationContext } from '../operation.ts';
import { embeddedFields, recordId } from '../shared/record-fields.ts';

export interface UndeleteInput {
  readonly id: number;
}

export interface UndeleteOutput {
  readonly id: number;
  readonly title: string;
  readonly citation: string;
  readonly embedded: boolean;
  readonly why: string | null;
}

export const undelete: Operation<UndeleteInput, UndeleteOutput> = {
  name: 'undelete',
  title: 'Bring back a record',
  description: 'Brings back a record or a fact that was deleted, as it was; search finds it again at once.',
  input: z.strictObject({ id: recordId() }),
  output: z.strictObject({
    id: recordId(),
    title: z.string(),
    citation: z.string().describe('`get` reads it.'),
    ...embeddedFields(),
  }),
  readOnly: false,
  destructive: false,
  idempotent: false,
  scope: 'write',
  tool: 'memory_undelete',
  examples: [{ title: 'What was deleted by mistake', input: { id: 1 } }],
  run: async (context: OperationContext, { id }: UndeleteInput): Promise<UndeleteOutput> =>
    (await context.loci()).undelete(id),
};
