import { LociError } from '../../core/errors.ts';
import type { EngineContext } from '../context.ts';
import type { ProgressOptions } from '../../core/progress.ts';
import { withLease, type LeaseHandle } from '../refresh/lease.ts';
import { leaseOf } from '../refresh/refresh.ts';

const PAGE = 1000;

/**
 * Takes every record that a vault or source brought out of the store, with what is known of it; the notes themselves are
 * not touched. Whoever reads it now is ended, in another process too, and must not bring back what goes. Stopped anywhere,
 * the next call goes on. Answers how many records went.
 * @throws LociError `aborted`; `conflict` when another process forgets it too
 */
export function forgetSource(
  context: EngineContext,
  source: string,
  { signal }: Pick<ProgressOptions, 'signal'> = {},
): Promise<number> {
  return withLease(
    context,
    leaseOf(context, source),
    (held, either) => forget(context, source, held, either),
    {
      takesOver: true,
      ...(signal !== undefined && { signal }),
    },
  );
}

async function forget(
  context: EngineContext,
  source: string,
  fence: LeaseHandle,
  signal: AbortSignal,
): Promise<number> {
  const { store, namespace } = context;
  let forgotten = 0;
  for (;;) {
    if (signal.aborted) throw new LociError('aborted', `forgetting ${source} was stopped`);
    const page = await store.sourceEntries(namespace, source, { after: null, limit: PAGE });
    if (page.length === 0) break;
    try {
      const evictions = page.map(({ id }) => id);
      await store.commit(namespace, { writes: [], evictions, chunking: '', fence });
      forgotten += page.length;
    } catch (error) {
      // Another process took some of them out meanwhile: look again.
      if (!(error instanceof LociError) || error.code !== 'not_found') throw error;
    }
  }
  await store.dropSourceState(namespace, source);
  await store.sweep();
  return forgotten;
}
