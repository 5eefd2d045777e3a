import { pickSignal, type ProgressOptions } from '../../core/progress.ts';
import { deriveBelongsTo, isUpToDate } from '../../search/belongs-to.ts';
import type { EngineContext } from '../context.ts';
import { vectorsOf } from '../embedding/models.ts';
import { withFreeLease } from '../shared/lease.ts';
import { hiddenSources, sourcesOfNamespace } from '../reading/configured/source-policies.ts';

/**
 * Updates the notes to which documents of sources belong, after records of the namespace have changed. Returns at once if
 * none has, or while another process does this.
 * @throws LociError `aborted`, and the errors of the store
 */
export async function updateBelongsTo(context: EngineContext, options: ProgressOptions = {}): Promise<void> {
  const { store, namespace, now } = context;
  const { vaults } = await sourcesOfNamespace(context);
  const excludedSources = hiddenSources(vaults, [], 'user');
  if (isUpToDate(await store.records.bounds(namespace), excludedSources)) return;
  const vectors = await vectorsOf(context);
  await withFreeLease(
    context,
    { namespace, name: 'belongs-to' },
    (_lease, signal) =>
      deriveBelongsTo({
        store,
        namespace,
        vectors,
        excludedSources,
        now: now(),
        signal,
        ...(options.onProgress !== undefined && { onProgress: options.onProgress }),
      }),
    pickSignal(options),
  );
}
