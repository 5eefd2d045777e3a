import type { Loci } from '../../../engine/open.ts';
import type { OperationContext } from '../../operation.ts';

/** The concepts, after what has changed was derived. That may take long after the first `index`, so that it reports its progress. */
export async function currentConcepts(context: OperationContext): Promise<Loci['concepts']> {
  const { signal, onProgress } = context;
  const { concepts } = await context.loci();
  await concepts.derive({ signal, onProgress });
  return concepts;
}
