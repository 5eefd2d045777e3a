import { z } from 'zod';
import { MAX_KEY } from '../../engine/records/limits.ts';
import { factCategory, factKey } from './fact-fields.ts';
import type { Operation, OperationContext } from '../operation.ts';

export interface FactForgetInput {
  readonly key?: string;
  readonly prefix?: string;
  readonly category?: string;
}

export interface FactForgetOutput {
  readonly forgotten: number;
  readonly facts: { readonly id: number; readonly key: string; readonly category: string }[];
}

/** So many are named. */
const NAMED = 100;

export const factForget: Operation<FactForgetInput, FactForgetOutput> = {
  name: 'fact-forget',
  title: 'Forget facts',
  description:
    'Forgets facts by key, by the beginning of their keys or by category; everything given must hold. Nothing is ' +
    'destroyed: `memory_undelete` with the id brings a fact back, until its time is over.',
  input: z.strictObject({
    key: factKey().exactOptional().describe('The fact of this key.'),
    prefix: z.string().min(1).max(MAX_KEY).exactOptional().describe('All whose keys begin so.'),
    category: factCategory().exactOptional().describe('All of this shelf, or the key or prefix within it.'),
  }),
  output: z.strictObject({
    forgotten: z.number().int().nonnegative().describe('How many.'),
    facts: z
      .array(z.strictObject({ id: z.number().int().positive(), key: z.string(), category: z.string() }))
      .describe(`Which, the first ${String(NAMED)}.`),
  }),
  readOnly: false,
  destructive: false,
  idempotent: true,
  scope: 'write',
  tool: 'memory_forget',
  examples: [
    { title: 'One fact', input: { key: 'preferred_framework' } },
    { title: 'A whole shelf', input: { category: 'project_conventions' } },
  ],
  run: async (context: OperationContext, input: FactForgetInput): Promise<FactForgetOutput> => {
    const loci = await context.loci();
    const { facts } = await loci.facts.forget(input);
    const named = facts.slice(0, NAMED).map(({ id, key, category }) => ({ id, key: key ?? '', category }));
    return { forgotten: facts.length, facts: named };
  },
};
