import { z } from 'zod';
import { LociError } from '../../core/errors.ts';
import { formatCount } from '../../core/text/format-count.ts';
import { countAllPending } from '../../ingest/embed.ts';
import { ADMIN_NAMESPACE } from '../../store/rules/admin-namespace.ts';
import type { EngineContext } from '../context.ts';
import { requireEmbedder } from './backfill.ts';
import {
  activeGeneration,
  describeGeneration,
  generation,
  generationFields,
  generationOf,
} from './generations.ts';

export const switchInput = z.strictObject({
  partial: z
    .boolean()
    .exactOptional()
    .describe(
      'Switch although some texts have no vector yet. They are found by their words until they have one.',
    ),
  dry_run: z.boolean().exactOptional().describe('Change nothing, and report what a switch would do.'),
});

export const switchOutput = z.strictObject({
  dry_run: z.boolean(),
  from: generation.nullable().describe('The model whose vectors searches used before.'),
  to: generation.describe('The model whose vectors they use now.'),
  remaining: z.number().int().nonnegative().describe('Texts that have no vector of it yet.'),
});
export type EmbedSwitchOutput = z.infer<typeof switchOutput>;

/**
 * Makes searches use the vectors of the configured model, in one transaction. The others stay, so that the change can be undone
 * by setting the previous model and switching again.
 * @throws LociError `conflict` if there are none, or if some are missing
 */
export async function switchGeneration(
  context: EngineContext,
  { partial = false, dry_run = false }: z.infer<typeof switchInput> = {},
): Promise<EmbedSwitchOutput> {
  const { store } = context;
  const embedder = await requireEmbedder(context);
  const generations = await store.vectors.generations(ADMIN_NAMESPACE);
  const target = generationOf(generations, embedder);
  if (target === undefined)
    throw new LociError('conflict', 'there are no vectors of the configured model yet', {
      hint: 'Run `loci embed backfill` first.',
    });
  const active = activeGeneration(generations);
  const remaining = await countAllPending(store, target.id);
  if (remaining > 0 && !partial && !target.active)
    throw new LociError(
      'conflict',
      `${formatCount(remaining, 'text')} without a vector of ${describeGeneration(target, active)}`,
      {
        hint: 'Run `loci embed backfill` first, or switch with `--partial`: these texts are then found by their words alone.',
      },
    );
  if (!target.active && !dry_run) await store.vectors.setGeneration(ADMIN_NAMESPACE, { activate: target.id });
  const from = active === undefined ? null : generationFields(active);
  return { dry_run, from, to: generationFields(target), remaining };
}
