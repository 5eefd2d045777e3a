import { z } from 'zod';
import type { Operation, OperationContext } from '../operation.ts';
import {
  embeddedFields,
  label,
  maskedKinds,
  recordId,
  tagList,
  titleField,
} from '../shared/record-fields.ts';

export interface UpdateInput {
  readonly id: number;
  readonly content?: string;
  readonly title?: string;
  readonly category?: string;
  readonly record_type?: string;
  readonly tags?: string[];
  readonly project?: string;
}

export interface UpdateOutput {
  readonly id: number;
  readonly citation: string;
  readonly changed: string[];
  readonly reembedded: boolean;
  readonly embedded: boolean;
  readonly why: string | null;
  readonly masked: string[];
}

export const update: Operation<UpdateInput, UpdateOutput> = {
  name: 'update',
  title: 'Change a record',
  description:
    'Changes the given fields of a record that was written; the others stay as they are. The former state stays in the ' +
    'audit log. Notes are changed in their vault, facts by storing them again.',
  input: z.strictObject({
    id: recordId(),
    content: z.string().exactOptional().describe('The new text, whole.'),
    title: titleField().exactOptional().describe('The new heading.'),
    category: label().exactOptional().describe('The new shelf.'),
    record_type: label().exactOptional().describe('The new kind.'),
    tags: tagList().exactOptional().describe('The new tags, in place of all former ones.'),
    project: label().exactOptional().describe('The new project.'),
  }),
  output: z.strictObject({
    id: recordId(),
    citation: z.string().describe('`get` reads it.'),
    changed: z.array(z.string()).describe('Fields that differ now.'),
    reembedded: z.boolean().describe('Whether its text was cut and embedded anew.'),
    ...embeddedFields(),
    masked: maskedKinds(),
  }),
  readOnly: false,
  destructive: false,
  idempotent: true,
  scope: 'write',
  tool: 'memory_update',
  examples: [
    { title: 'Another title', input: { id: 2, title: 'Worktop: oak' } },
    { title: 'Other tags, in place of those it has', input: { id: 2, tags: ['kitchen', 'decided'] } },
  ],
  run: runUpdate,
};

async function runUpdate(
  context: OperationContext,
  { record_type, ...input }: UpdateInput,
): Promise<UpdateOutput> {
  const loci = await context.loci();
  const { changed, masked, ...answer } = await loci.update({
    ...input,
    ...(record_type !== undefined && { recordType: record_type }),
  });
  return { ...answer, changed: [...changed], masked: [...masked] };
}
