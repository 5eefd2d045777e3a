import { pickSignal, type ProgressOptions } from '../../../core/progress.ts';
import { deriveConcepts, isConceptsCurrent } from '../../../graph/concepts/derive-concepts.ts';
import type { EngineContext } from '../../context.ts';
import { withFreeLease } from '../../shared/lease.ts';

/**
 * Derives the names, mentions and edges of concepts, after records of the namespace have changed or an operator has changed
 * concepts. Returns at once if nothing has, while another process does this, or where the store is read-only.
 * @throws LociError `aborted`, and the errors of the store
 */
export async function updateConcepts(context: EngineContext, options: ProgressOptions = {}): Promise<void> {
  const { store, namespace, now, thread } = context;
  const { onProgress } = options;
  const derivation = {
    store,
    namespace,
    thread,
    now: now(),
    ...(onProgress !== undefined && { onProgress }),
  };
  if (store.capabilities.readOnly || isConceptsCurrent(await store.graph.state(namespace))) return;
  await withFreeLease(
    context,
    { namespace, name: 'concepts' },
    (fence, signal) => deriveConcepts({ ...derivation, fence, signal }),
    pickSignal(options),
  );
}
