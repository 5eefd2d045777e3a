import { z } from 'zod';
import { MAX_KEY } from '../../engine/records/limits.ts';
import { fact, factCategory, factOf, type Fact } from './fact-fields.ts';
import type { Operation, OperationContext } from '../operation.ts';
import { tagList } from '../shared/record-fields.ts';

export interface FactListInput {
  readonly category?: string;
  readonly prefix?: string;
  readonly tags?: string[];
  readonly limit?: number;
  readonly after?: number;
}

export interface FactListOutput {
  readonly facts: Fact[];
  readonly total: number;
  readonly next: number | null;
}

const USUAL = 50;

export const factList: Operation<FactListInput, FactListOutput> = {
  name: 'fact-list',
  title: 'List facts',
  description:
    'Lists the facts that are stored, the newest first: all of them, or those of a category, prefix or tag.',
  input: z.strictObject({
    category: factCategory().exactOptional().describe('Only this shelf.'),
    prefix: z.string().min(1).max(MAX_KEY).exactOptional().describe('Only keys that begin so.'),
    tags: tagList().exactOptional().describe('Only facts with all of these tags.'),
    limit: z
      .number()
      .int()
      .min(1)
      .max(500)
      .exactOptional()
      .describe(`Facts at most; ${String(USUAL)} unless given. Fewer come where values are long.`),
    after: z
      .number()
      .int()
      .positive()
      .max(Number.MAX_SAFE_INTEGER)
      .exactOptional()
      .describe('`next` of the page before.'),
  }),
  output: z.strictObject({
    facts: z.array(fact),
    total: z.number().int().nonnegative().describe('How many there are in all.'),
    next: z.number().int().positive().nullable().describe('Where the next page begins; null at the end.'),
  }),
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'read',
  tool: 'memory_list',
  examples: [
    { title: 'All of them', input: {} },
    { title: 'Of one shelf', input: { category: 'project_conventions' } },
  ],
  run: async (
    context: OperationContext,
    { limit = USUAL, ...input }: FactListInput,
  ): Promise<FactListOutput> => {
    const loci = await context.loci();
    const { facts, total, next } = await loci.facts.list({ ...input, limit });
    return { facts: facts.map(factOf), total, next };
  },
};
