import { z } from 'zod';
import { factCategoriesOutput } from '../../engine/facts/fact-fields.ts';
import { factCategories } from '../../engine/facts/facts.ts';
import type { Operation } from '../operation.ts';

const input = z.strictObject({});

export const factCategoriesOperation: Operation<typeof input, typeof factCategoriesOutput> = {
  name: 'fact-categories',
  title: 'List categories of facts',
  description: 'Lists the categories of facts, with the number of facts in each and the keys stored last.',
  input,
  output: factCategoriesOutput,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'read',
  tool: 'memory_categories',
  examples: [{ title: 'All categories', input: {} }],
  run: async (context) => factCategories(await context.loci()),
};
