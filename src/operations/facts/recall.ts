import { z } from 'zod';
import type { Operation } from '../operation.ts';
import { factCategory, factKey, factOutput, formatFact } from './fact-fields.ts';
import { recallFact } from '../../engine/facts/facts.ts';

const input = z.strictObject({
  key: factKey().describe('The key of the fact.'),
  category: factCategory()
    .exactOptional()
    .describe('Its category; needed only when several categories have the key.'),
});

export const recallFactOperation: Operation<typeof input, typeof factOutput> = {
  name: 'fact-recall',
  title: 'Recall a fact',
  description: 'Reads the fact with a key. To find facts by their values, search.',
  input,
  output: factOutput,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'read',
  tool: 'memory_recall',
  examples: [{ title: 'What the user prefers', input: { key: 'preferred_framework' } }],
  run: async (context, { key, category }) => {
    const loci = await context.loci();
    return formatFact(await recallFact(loci, key, category));
  },
};
