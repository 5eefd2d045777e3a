import { z } from 'zod';
import type { Operation } from '../operation.ts';
import { generation, generationFields } from './backfill.ts';

const output = z.strictObject({
  removed: z.array(generation.extend({ vectors: z.number().int().nonnegative() })),
});
export type EmbedPruneOutput = z.infer<typeof output>;

export const embedPrune: Operation<Record<string, never>, EmbedPruneOutput> = {
  name: 'embed-prune',
  title: 'Remove vectors that are no longer used',
  description:
    'Removes the vectors of previous embedding models. Those that searches use, and those of the configured model, stay. To ' +
    'switch back to a previous model, everything must then be embedded again.',
  input: z.strictObject({}),
  output,
  readOnly: false,
  destructive: true,
  idempotent: true,
  scope: 'admin',
  examples: [{ title: 'After `loci embed switch`, when the new model has proved itself', input: {} }],
  run: async (context) => {
    const loci = await context.loci();
    const removed = await loci.embedding.prune();
    return { removed: removed.map((each) => ({ ...generationFields(each), vectors: each.vectors })) };
  },
};
