import { z } from 'zod';
import type { ProgressOptions } from '../../core/progress.ts';
import { countVectors } from '../../ingest/embed.ts';
import { ADMIN_NAMESPACE } from '../../store/rules/admin-namespace.ts';
import type { EngineContext } from '../context.ts';
import { embedderOf } from './models.ts';
import { fillingProcess, whileNoneIsRemoved } from './filling.ts';
import { generation, generationFields, generationOf } from './generations.ts';

export const pruneInput = z.strictObject({
  dry_run: z.boolean().exactOptional().describe('Remove nothing, and report what would be removed.'),
});

export const pruneOutput = z.strictObject({
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
export type EmbedPruneOutput = z.infer<typeof pruneOutput>;

/**
 * Removes the vectors that are not in use: by searches, by the configured model, or by a backfill in any process. A server that
 * still works with removed ones goes on with those in use, with a notice, until it is restarted.
 */
export async function prune(
  context: EngineContext,
  { dry_run = false }: z.infer<typeof pruneInput> = {},
  options: ProgressOptions = {},
): Promise<EmbedPruneOutput> {
  const { store } = context;
  const embedder = await embedderOf(context);
  const report = await whileNoneIsRemoved(context, options, async () => {
    const generations = await store.vectors.generations(ADMIN_NAMESPACE);
    const configured = embedder === null ? undefined : generationOf(generations, embedder);
    const removed: EmbedPruneOutput['removed'] = [];
    const inUse: EmbedPruneOutput['in_use'] = [];
    for (const { id, active, provider, model, dimensions } of generations) {
      if (active || id === configured?.id) continue;
      const spec = { provider, model, dimensions };
      const process = await fillingProcess(context, spec);
      if (process !== null) inUse.push({ ...generationFields(spec), process });
      else
        removed.push({
          ...generationFields(spec),
          vectors: dry_run
            ? await countVectors(store, id)
            : (await store.vectors.setGeneration(ADMIN_NAMESPACE, { remove: id })).removedVectors,
        });
    }
    return { dry_run, removed, in_use: inUse };
  });
  if (dry_run) return report;
  for (const namespace of await store.admin.namespaces(ADMIN_NAMESPACE)) await store.admin.compact(namespace);
  return report;
}
