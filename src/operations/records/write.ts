import { writeInput, writeOutput } from '../../engine/records/record-schemas.ts';
import { write } from '../../engine/records/write.ts';
import type { Operation } from '../operation.ts';

export const writeOperation: Operation<typeof writeInput, typeof writeOutput> = {
  name: 'write',
  title: 'Remember something',
  description:
    'Stores lasting knowledge that will matter later, such as a decision or what was learned, one thing in each record. When ' +
    'this returns, the record is durable and search finds it.',
  input: writeInput,
  output: writeOutput,
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
  run: async (context, given) => write(await context.loci({ create: true }), given),
};
