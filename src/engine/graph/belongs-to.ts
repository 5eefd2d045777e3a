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
  const excluded = await excludedSources(context);
  if (isUpToDate(await store.records.bounds(namespace), excluded)) return;
  const vectors = await vectorsOf(context);
  await withFreeLease(
    context,
    { namespace, name: 'belongs-to' },
    (_lease, signal) =>
      deriveBelongsTo({
        store,
        namespace,
        vectors,
        excludedSources: excluded,
        now: now(),
        signal,
        ...(options.onProgress !== undefined && { onProgress: options.onProgress }),
      }),
    pickSignal(options),
  );
}

/** Vaults that are not searched for the notes of documents. */
export async function excludedSources(context: EngineContext): Promise<string[]> {
  const { vaults } = await sourcesOfNamespace(context);
  return hiddenSources(vaults, [], 'user');
}
