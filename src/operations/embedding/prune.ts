import { z } from 'zod';
import type { Operation } from '../operation.ts';
import { generation, generationFields } from './backfill.ts';

const output = z.strictObject({
  removed: z.array(generation.extend({ vectors: z.number().int().nonnegative() })),
  in_use: z
    .array(generation.extend({ process: z.string().describe('Such as `process 4711`.') }))
    .describe(
      'Not removed, because a process is making them: `embed_backfill`, or `reindex` with `vectors`.',
    ),
});
export type EmbedPruneOutput = z.infer<typeof output>;

export const embedPrune: Operation<Record<string, never>, EmbedPruneOutput> = {
  name: 'embed-prune',
  title: 'Remove vectors that are no longer used',
  description:
    'Removes the vectors of previous embedding models. Those that searches use, those of the configured model, and those ' +
    'that a process is making, stay. To switch back to a previous model, everything must then be embedded again.',
  input: z.strictObject({}),
  output,
  readOnly: false,
  destructive: true,
  idempotent: true,
  scope: 'admin',
  examples: [{ title: 'After `loci embed switch`, when the new model has proved itself', input: {} }],
  run: async (context) => {
    const loci = await context.loci();
    const { removed, inUse } = await loci.embedding.prune({ signal: context.signal });
    return {
      removed: removed.map((each) => ({ ...generationFields(each), vectors: each.vectors })),
      in_use: inUse.map((each) => ({ ...generationFields(each), process: each.process })),
    };
  },
};
