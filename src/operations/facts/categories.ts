import { z } from 'zod';
import type { Operation, OperationContext } from '../operation.ts';

export interface FactCategoriesOutput {
  readonly categories: { readonly name: string; readonly count: number; readonly recent_keys: string[] }[];
  readonly note: string;
}

const RECENT = 10;

export const factCategories: Operation<Record<string, never>, FactCategoriesOutput> = {
  name: 'fact-categories',
  title: 'Show what facts there are',
  description:
    'Tells which categories of facts there are, how many each has and which keys were stored last.',
  input: z.strictObject({}),
  output: z.strictObject({
    categories: z.array(
      z.strictObject({
        name: z.string(),
        count: z.number().int().nonnegative(),
        recent_keys: z.array(z.string()).describe('Those stored last, newest first.'),
      }),
    ),
    note: z.string().describe('How to go on.'),
  }),
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'read',
  tool: 'memory_categories',
  examples: [{ title: 'What is there', input: {} }],
  run: async (context: OperationContext): Promise<FactCategoriesOutput> => {
    const loci = await context.loci();
    const categories = await loci.facts.categories(RECENT);
    return {
      categories: categories.map(({ name, count, recentKeys }) => ({
        name,
        count,
        recent_keys: [...recentKeys],
      })),
      note:
        categories.length === 0
          ? 'No facts are stored yet; `memory_store` keeps one.'
          : '`memory_recall` reads a key, `memory_list` lists a category, `memory_search` finds by what is said.',
    };
  },
};
