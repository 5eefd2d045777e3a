import { z } from 'zod';
import type { Operation } from '../operation.ts';
import { factCategories } from '../../engine/facts/facts.ts';

const RECENT_KEYS = 10;

const input = z.strictObject({});
const output = z.strictObject({
  categories: z.array(
    z.strictObject({
      name: z.string(),
      count: z.number().int().nonnegative(),
      recent_keys: z.array(z.string()).describe('The keys stored last, newest first.'),
    }),
  ),
  note: z.string().describe('Which tool to use next.'),
});
export type FactCategoriesOutput = z.infer<typeof output>;

export const factCategoriesOperation: Operation<typeof input, typeof output> = {
  name: 'fact-categories',
  title: 'List categories of facts',
  description: 'Lists the categories of facts, with the number of facts in each and the keys stored last.',
  input,
  output,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'read',
  tool: 'memory_categories',
  examples: [{ title: 'All categories', input: {} }],
  run: async (context) => {
    const loci = await context.loci();
    const categories = await factCategories(loci, RECENT_KEYS);
    return {
      categories: categories.map(({ name, count, recentKeys }) => ({
        name,
        count,
        recent_keys: [...recentKeys],
      })),
      note:
        categories.length === 0
          ? 'No facts are stored yet; `memory_store` stores one.'
          : '`memory_recall` reads one fact, `memory_list` lists a category, `memory_search` searches the values.',
    };
  },
};
