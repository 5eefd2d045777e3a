import { z } from 'zod';
import { fact, factCategory, factKey, factOf, type Fact } from './fact-fields.ts';
import type { Operation, OperationContext } from '../operation.ts';

export interface FactRecallInput {
  readonly key: string;
  readonly category?: string;
}

export const factRecall: Operation<FactRecallInput, Fact> = {
  name: 'fact-recall',
  title: 'Recall a fact',
  description: 'Reads the fact that was stored under a key. To find facts by what they say, search.',
  input: z.strictObject({
    key: factKey().describe('As it was stored.'),
    category: factCategory().exactOptional().describe('Its shelf; needed only where several have the key.'),
  }),
  output: fact,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'read',
  tool: 'memory_recall',
  examples: [{ title: 'What the user prefers', input: { key: 'preferred_framework' } }],
  run: async (context: OperationContext, { key, category }: FactRecallInput): Promise<Fact> => {
    const loci = await context.loci();
    return factOf(await loci.facts.recall(key, category));
  },
};
