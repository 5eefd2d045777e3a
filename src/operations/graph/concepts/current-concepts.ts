import type { EngineContext } from '../../../engine/context.ts';
import { updateConcepts } from '../../../engine/graph/concepts/update-concepts.ts';
import type { OperationContext } from '../../operation.ts';

/** The concepts, after what has changed was derived. That may take long after the first `index`, so that it reports its progress. */
export async function currentConcepts(context: OperationContext): Promise<EngineContext> {
  const { signal, onProgress } = context;
  const loci = await context.loci();
  await updateConcepts(loci, { signal, onProgress });
  return loci;
}
