import { z } from 'zod';
import type { Operation } from '../operation.ts';
import { nextPage, pageStart, tagList } from '../../engine/fields/record-fields.ts';
import { factCategory, factOutput, factPrefix, formatFact } from './fact-fields.ts';
import { listFacts } from '../../engine/facts/facts.ts';

const DEFAULT_LIMIT = 50;

const input = z.strictObject({
  category: factCategory().exactOptional().describe('Only facts of this category.'),
  prefix: factPrefix().exactOptional(),
  tags: tagList().exactOptional().describe('Only facts with all of these tags.'),
  limit: z
    .number()
    .int()
    .min(1)
    .max(500)
    .exactOptional()
    .describe(
      `The highest number of facts; ${String(DEFAULT_LIMIT)} unless given. Fewer are returned when values are long.`,
    ),
  after: pageStart(),
});

const output = z.strictObject({
  facts: z.array(factOutput),
  total: z.number().int().nonnegative().describe('How many facts match, on all pages.'),
  next: nextPage(),
});
export type FactListOutput = z.infer<typeof output>;

export const listFactsOperation: Operation<typeof input, typeof output> = {
  name: 'fact-list',
  title: 'List facts',
  description: 'Lists stored facts, newest first: all of them, or those of a category, prefix or tag.',
  input,
  output,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'read',
  tool: 'memory_list',
  examples: [
    { title: 'All facts', input: {} },
    { title: 'The facts of one category', input: { category: 'project_conventions' } },
  ],
  run: async (context, { limit = DEFAULT_LIMIT, ...filter }) => {
    const loci = await context.loci();
    const { facts, total, next } = await listFacts(loci, { ...filter, limit });
    return { facts: facts.map(formatFact), total, next };
  },
};
