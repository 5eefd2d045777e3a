import { listFactsInput, listFactsOutput } from '../../engine/facts/fact-fields.ts';
import { listFacts } from '../../engine/facts/facts.ts';
import type { Operation } from '../operation.ts';

export const listFactsOperation: Operation<typeof listFactsInput, typeof listFactsOutput> = {
  name: 'fact-list',
  title: 'List facts',
  description:
    'Lists stored facts, newest or soonest to expire first: all of them, or those of a category, prefix or tag.',
  input: listFactsInput,
  output: listFactsOutput,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'read',
  tool: 'memory_list',
  examples: [
    { title: 'All facts', input: {} },
    { title: 'The facts of one category', input: { category: 'project_conventions' } },
  ],
  run: async (context, given) => listFacts(await context.loci(), given),
};
