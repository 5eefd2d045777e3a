import { z } from 'zod';
import type { Operation } from '../operation.ts';
import { generation, generationFields } from './backfill.ts';
import { prune } from '../../engine/embedding/prune.ts';

const input = z.strictObject({
  dry_run: z.boolean().exactOptional().describe('Remove nothing, and report what would be removed.'),
});

const output = z.strictObject({
  dry_run: z.boolean(),
  removed: z
    .array(generation.extend({ vectors: z.number().int().nonnegative() }))
    .describe('With `dry_run`, what would be removed.'),
  in_use: z
    .array(generation.extend({ process: z.string().describe('Such as `process 4711`.') }))
    .describe(
      'Not removed, because a process is making them: `embed_backfill`, or `reindex` with `vectors`.',
    ),
});
export type EmbedPruneOutput = z.infer<typeof output>;

export const embedPruneOperation: Operation<typeof input, typeof output> = {
  name: 'embed-prune',
  title: 'Remove vectors that are no longer used',
  description:
    'Removes the vectors of previous embedding models. Those that searches use, those of the configured model, and those ' +
    'that a process is making, stay. To switch back to a previous model, everything must then be embedded again.',
  input,
  output,
  readOnly: false,
  destructive: true,
  idempotent: true,
  scope: 'operator',
  examples: [
    { title: 'What would be removed', input: { dry_run: true } },
    { title: 'After `loci embed switch`, when the new model has proved itself', input: {} },
  ],
  run: async (context, { dry_run: dryRun = false }) => {
    const loci = await context.loci();
    const { removed, inUse } = await prune(loci, { dryRun, signal: context.signal });
    return {
      dry_run: dryRun,
      removed: removed.map((each) => ({ ...generationFields(each), vectors: each.vectors })),
      in_use: inUse.map((each) => ({ ...generationFields(each), process: each.process })),
    };
  },
};
