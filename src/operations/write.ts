import { z } from 'zod';
import type { Operation, OperationContext } from './operation.ts';

export interface WriteInput {
  readonly content: string;
  readonly title?: string;
  readonly category?: string;
  readonly record_type?: string;
  readonly tags?: string[];
  readonly project?: string;
}

export interface WriteOutput {
  readonly id: number;
  readonly citation: string;
  readonly embedded: boolean;
  readonly why: string | null;
  readonly same_as: number | null;
}

const label = () => z.string().trim().min(1).max(128).exactOptional();

export const write: Operation<WriteInput, WriteOutput> = {
  name: 'write',
  title: 'Remember something',
  description:
    'Keeps a new record, such as a decision, a preference or a fact. It is safe on the disk and found by search as ' +
    'soon as this answers. One thing a record; say it so that it can be understood alone.',
  input: z.strictObject({
    content: z.string().describe('What to remember, up to 1 MiB; Markdown may be used.'),
    title: z.string().trim().max(500).exactOptional().describe('A short heading.'),
    category: label().describe('A shelf of your own choice; `general` unless given.'),
    record_type: label().describe('What kind of thing it is; `fact` unless given.'),
    tags: z.array(z.string().trim().min(1).max(128)).max(100).exactOptional().describe('Words to filter by.'),
    project: label().describe('The project that it belongs to; as configured unless given.'),
  }),
  output: z.strictObject({
    id: z.number().int().positive().describe('Number of the record in its namespace.'),
    citation: z.string().describe('`get` reads it.'),
    embedded: z.boolean().describe('False while it is found by its words alone.'),
    why: z.string().nullable().describe('What kept it from being embedded.'),
    same_as: z
      .number()
      .int()
      .positive()
      .nullable()
      .describe('An earlier record of exactly the same text; this one was kept all the same.'),
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
  { record_type, ...input }: WriteInput,
): Promise<WriteOutput> {
  const loci = await context.loci({ create: true });
  const { id, citation, embedded, why, sameAs } = await loci.write({
    ...input,
    ...(record_type !== undefined && { recordType: record_type }),
  });
  return { id, citation, embedded, why, same_as: sameAs };
}
