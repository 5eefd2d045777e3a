import { factOutput, recallFactInput } from '../../engine/facts/fact-fields.ts';
import { recallFact } from '../../engine/facts/facts.ts';
import type { Operation } from '../operation.ts';

export const recallFactOperation: Operation<typeof recallFactInput, typeof factOutput> = {
  name: 'fact-recall',
  title: 'Recall a fact',
  description: 'Reads the fact with a key. To find facts by their values, search.',
  input: recallFactInput,
  output: factOutput,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'read',
  tool: 'memory_recall',
  examples: [{ title: 'What the user prefers', input: { key: 'preferred_framework' } }],
  run: async (context, given) => recallFact(await context.loci(), given),
};
