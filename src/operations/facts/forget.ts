import { z } from 'zod';
import type { Operation } from '../operation.ts';
import { factCategory, factKey, factPrefix } from './fact-fields.ts';
import { forgetFacts } from '../../engine/facts/forget-facts.ts';

const MAX_LISTED = 100;

const input = z.strictObject({
  key: factKey().exactOptional().describe('Only the fact with this key.'),
  prefix: factPrefix().exactOptional(),
  category: factCategory().exactOptional().describe('Only facts of this category.'),
});

const output = z.strictObject({
  forgotten: z.number().int().nonnegative().describe('How many facts were deleted.'),
  facts: z
    .array(z.strictObject({ id: z.number().int().positive(), key: z.string(), category: z.string() }))
    .describe(`The first ${String(MAX_LISTED)} of them.`),
});
export type FactForgetOutput = z.infer<typeof output>;

export const forgetFactsOperation: Operation<typeof input, typeof output> = {
  name: 'fact-forget',
  title: 'Forget facts',
  description:
    'Deletes facts by key, by the beginning of their keys or by category; all of the given conditions must hold. Until ' +
    'a fact expires, `memory_undelete` with its id restores it.',
  input,
  output,
  readOnly: false,
  destructive: false,
  idempotent: true,
  scope: 'write',
  tool: 'memory_forget',
  examples: [
    { title: 'One fact', input: { key: 'preferred_framework' } },
    { title: 'A whole category', input: { category: 'project_conventions' } },
  ],
  run: async (context, request) => {
    const loci = await context.loci();
    const { facts } = await forgetFacts(loci, request);
    const listed = facts.slice(0, MAX_LISTED);
    return {
      forgotten: facts.length,
      facts: listed.map(({ id, key, category }) => ({ id, key: key ?? '', category })),
    };
  },
};
