import { forgetFactsInput, forgetFactsOutput } from '../../engine/facts/fact-fields.ts';
import { forgetFacts } from '../../engine/facts/facts.ts';
import type { Operation } from '../operation.ts';

export const forgetFactsOperation: Operation<typeof forgetFactsInput, typeof forgetFactsOutput> = {
  name: 'fact-forget',
  title: 'Forget facts',
  description:
    'Deletes facts by key, by the beginning of their keys or by category; all of the given conditions must hold. Until ' +
    'a fact expires, `memory_undelete` with its id restores it.',
  input: forgetFactsInput,
  output: forgetFactsOutput,
  readOnly: false,
  destructive: false,
  idempotent: true,
  scope: 'write',
  tool: 'memory_forget',
  examples: [
    { title: 'One fact', input: { key: 'preferred_framework' } },
    { title: 'A whole category', input: { category: 'project_conventions' } },
  ],
  run: async (context, given) => forgetFacts(await context.loci(), given),
};
