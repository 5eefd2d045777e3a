import { z } from 'zod';
import type { Operation, OperationContext } from '../operation.ts';
import {
  embeddedFields,
  idempotencyKey,
  label,
  maskedKinds,
  recordId,
  tagList,
  titleField,
  contentField,
} from '../../engine/fields/record-fields.ts';
import { write } from '../../engine/records/write.ts';

const input = z.strictObject({
  content: contentField().describe('The text to remember, up to 1 MiB; may be Markdown.'),
  title: titleField().exactOptional().describe('A short heading.'),
  category: label().exactOptional().describe('A category of your choice; `general` unless given.'),
  record_type: label().exactOptional().describe('The type of the record; `fact` unless given.'),
  tags: tagList().exactOptional().describe('Words to filter by.'),
  project: label()
    .exactOptional()
    .describe('The project that it belongs to; the configured one unless given.'),
  idempotency_key: idempotencyKey().exactOptional(),
});

const output = z.strictObject({
  id: recordId(),
  citation: z.string().describe('`get` reads it.'),
  ...embeddedFields(),
  same_as: z
    .number()
    .int()
    .positive()
    .nullable()
    .describe('An earlier record with exactly the same text; this one is stored nevertheless.'),
  masked: maskedKinds(),
  replayed: z.boolean().describe('It was stored before, with the same idempotency key.'),
});

export type WriteOutput = z.infer<typeof output>;

export const writeOperation: Operation<typeof input, typeof output> = {
  name: 'write',
  title: 'Remember something',
  description:
    'Stores lasting knowledge that will matter later, such as a decision or what was learned, one thing in each record. When ' +
    'this returns, the record is durable and search finds it.',
  input,
  output,
  readOnly: false,
  destructive: false,
  idempotent: false,
  scope: 'write',
  needsWrites: true,
  tool: 'memory_write',
  examples: [
    { title: 'A fact', input: { content: 'The plumber is Tove, she prefers text messages' } },
    {
      title: 'A decision with a title and tags',
      input: {
        content: 'We take the oak worktop, oiled, not lacquered.',
        title: 'Worktop',
        record_type: 'decision',
        tags: ['kitchen', 'home'],
      },
    },
  ],
  run: runWrite,
};

async function runWrite(
  context: OperationContext,
  { record_type, idempotency_key, ...fields }: z.infer<typeof input>,
): Promise<WriteOutput> {
  const loci = await context.loci({ create: true });
  const { id, citation, embedded, why, sameAs, masked, replayed } = await write(loci, {
    ...fields,
    ...(record_type !== undefined && { recordType: record_type }),
    ...(idempotency_key !== undefined && { idempotencyKey: idempotency_key }),
  });
  return { id, citation, embedded, why, same_as: sameAs, masked: [...masked], replayed };
}
