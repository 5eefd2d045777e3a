import { z } from 'zod';
import {
  embeddedFields,
  idempotencyKey,
  label,
  maskedKinds,
  recordId,
  tagList,
  titleField,
} from '../shared/record-fields.ts';
import type { Operation, OperationContext } from '../operation.ts';

export interface WriteInput {
  readonly content: string;
  readonly title?: string;
  readonly category?: string;
  readonly record_type?: string;
  readonly tags?: string[];
  readonly project?: string;
  readonly idempotency_key?: string;
}

export interface WriteOutput {
  readonly id: number;
  readonly citation: string;
  readonly embedded: boolean;
  readonly why: string | null;
  readonly same_as: number | null;
  readonly masked: string[];
  readonly replayed: boolean;
}

export const write: Operation<WriteInput, WriteOutput> = {
  name: 'write',
  title: 'Remember something',
  description:
    'Keeps a new record, such as a decision, a preference or a fact. It is safe on the disk and found by search as ' +
    'soon as this answers. One thing a record; say it so that it can be understood alone.',
  input: z.strictObject({
    content: z.string().describe('What to remember, up to 1 MiB; Markdown may be used.'),
    title: titleField().exactOptional().describe('A short heading.'),
    category: label().exactOptional().describe('A shelf of your own choice; `general` unless given.'),
    record_type: label().exactOptional().describe('What kind of thing it is; `fact` unless given.'),
    tags: tagList().exactOptional().describe('Words to filter by.'),
    project: label().exactOptional().describe('The project that it belongs to; as configured unless given.'),
    idempotency_key: idempotencyKey().exactOptional(),
  }),
  output: z.strictObject({
    id: recordId(),
    citation: z.string().describe('`get` reads it.'),
    ...embeddedFields(),
    same_as: z
      .number()
      .int()
      .positive()
      .nullable()
      .describe('An earlier record of exactly the same text; this one was kept all the same.'),
    masked: maskedKinds(),
    replayed: z.boolean().describe('It was written before, under the same idempotency key.'),
  }),
  readOnly: false,
  destructive: false,
  idempotent: false,
  scope: 'write',
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
  { record_type, idempotency_key, ...input }: WriteInput,
): Promise<WriteOutput> {
  const loci = await context.loci({ create: true });
  const { id, citation, embedded, why, sameAs, masked, replayed } = await loci.write({
    ...input,
    ...(record_type !== undefined && { recordType: record_type }),
    ...(idempotency_key !== undefined && { idempotencyKey: idempotency_key }),
  });
  return { id, citation, embedded, why, same_as: sameAs, masked: [...masked], replayed };
}
