import { LociError } from '../../core/errors.ts';
import { formatCount } from '../../core/text/format-count.ts';
import { countAllPending } from '../../ingest/embed.ts';
import { ADMIN_NAMESPACE } from '../../store/rules/admin-namespace.ts';
import type { GenerationSpec } from '../../store/search-model.ts';
import type { EngineContext } from '../context.ts';
import { requireEmbedder } from './backfill.ts';
import { activeGeneration, describeGeneration, generationOf } from './generations.ts';

export interface SwitchOptions {
  readonly partial?: boolean;
  readonly dryRun?: boolean;
}

export interface SwitchReport {
  /** What searches used before; `null` if there was nothing. */
  readonly from: GenerationSpec | null;
  /** What they use now. */
  readonly to: GenerationSpec;
  /** Texts without a vector of it: they are found by words until they are embedded. */
  readonly remaining: number;
}

/**
 * Makes searches use the vectors of the configured model, in one transaction. The others stay, so that the change can be undone
 * by setting the previous model and switching again.
 * @param options `partial` accepts that some texts have no vector yet; `dryRun` changes nothing
 * @throws LociError `conflict` if there are none, or if some are missing
 */
export async function switchGeneration(
  context: EngineContext,
  { partial = false, dryRun = false }: SwitchOptions = {},
): Promise<SwitchReport> {
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
  if (!target.active && !dryRun) await store.vectors.setGeneration(ADMIN_NAMESPACE, { activate: target.id });
  return { from: active ?? null, to: target, remaining };
}
