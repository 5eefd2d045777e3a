import { z } from 'zod';
import type { Operation, OperationContext } from '../operation.ts';
import {
  embeddedFields,
  label,
  maskedKinds,
  recordId,
  tagList,
  titleField,
  contentField,
} from '../../engine/fields/record-fields.ts';
import { update } from '../../engine/records/update.ts';

const input = z.strictObject({
  id: recordId(),
  content: contentField().exactOptional().describe('The new text, complete.'),
  title: titleField().exactOptional().describe('The new heading.'),
  category: label().exactOptional().describe('The new category.'),
  record_type: label().exactOptional().describe('The new type.'),
  tags: tagList().exactOptional().describe('The new tags, which replace all former ones.'),
  project: label().exactOptional().describe('The new project.'),
});

const output = z.strictObject({
  id: recordId(),
  citation: z.string().describe('`get` reads it.'),
  changed: z.array(z.string()).describe('The fields whose values changed.'),
  reembedded: z.boolean().describe('Whether its text was cut into passages and embedded again.'),
  ...embeddedFields(),
  masked: maskedKinds(),
});

export type UpdateOutput = z.infer<typeof output>;

export const updateOperation: Operation<typeof input, typeof output> = {
  name: 'update',
  title: 'Change a record',
  description:
    'Changes the given fields of a record that `write` stored; the others stay. The former values are in the audit log. ' +
    'Notes are changed in their vault, facts by storing them again.',
  input,
  output,
  readOnly: false,
  destructive: false,
  idempotent: true,
  scope: 'write',
  needsWrites: true,
  tool: 'memory_update',
  examples: [
    { title: 'A new title', input: { id: 2, title: 'Worktop: oak' } },
    { title: 'New tags in place of the former ones', input: { id: 2, tags: ['kitchen', 'decided'] } },
  ],
  run: runUpdate,
};

async function runUpdate(
  context: OperationContext,
  { record_type, ...fields }: z.infer<typeof input>,
): Promise<UpdateOutput> {
  const loci = await context.loci();
  const { changed, masked, ...response } = await update(loci, {
    ...fields,
    ...(record_type !== undefined && { recordType: record_type }),
  });
  return { ...response, changed: [...changed], masked: [...masked] };
}
