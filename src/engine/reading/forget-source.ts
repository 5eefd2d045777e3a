import { LociError } from '../../core/errors.ts';
import type { Fence } from '../../store/model.ts';
import type { EngineContext } from '../context.ts';
import type { ProgressOptions } from '../../core/progress.ts';
import { withLease } from '../shared/lease.ts';
import { leaseName } from './refresh/refresh.ts';
import { sourceFileRemoval, sourceFiles, sourceStateChange } from '../../store/items/kinds.ts';

const PAGE_SIZE = 1000;
/**
 * Removes every record of a vault or source, and its state, from the store. The notes themselves are not touched. A refresh that is
 * running, in this or another process, loses its lease, so that it cannot write removed records again. A call that was interrupted
 * is continued by the next one. Returns the number of removed records.
 * @throws LociError `aborted`; `conflict` when another process forgets it at the same time
 */
export function forgetSource(
  context: EngineContext,
  source: string,
  { signal }: Pick<ProgressOptions, 'signal'> = {},
): Promise<number> {
  return withLease(
    context,
    leaseName(context, source),
    (lease, anySignal) => forget(context, source, lease, anySignal),
    {
      takeOver: true,
      ...(signal !== undefined && { signal }),
    },
  );
}

async function forget(
  context: EngineContext,
  source: string,
  fence: Fence,
  signal: AbortSignal,
): Promise<number> {
  const { store, namespace } = context;
  let forgotten = 0;
  for (;;) {
    if (signal.aborted) throw new LociError('aborted', `forgetting ${source} was stopped`);
    const page = await store.records.sourceEntries(namespace, source, { after: null, limit: PAGE_SIZE });
    if (page.length === 0) break;
    try {
      const evictions = page.map(({ id }) => id);
      await store.records.commit(namespace, { evictions, fence });
      forgotten += page.length;
    } catch (error) {
      // Another process removed some of them in the meantime.
      if (!(error instanceof LociError) || error.code !== 'not_found') throw error;
    }
  }
  const files = await sourceFiles(store.records, namespace, source);
  const removals = [...files.keys()].map((path) => sourceFileRemoval(source, path));
  await store.records.commit(namespace, { items: [sourceStateChange(source, null), ...removals] });
  return forgotten;
}
