import { setTimeout as delay } from 'node:timers/promises';
import { LociError } from '../../core/errors.ts';
import { assertNotAborted, type ProgressOptions } from '../../core/progress.ts';
import type { EngineContext } from '../context.ts';
import { leaseProcess } from '../shared/lease.ts';
import { graphCondition } from './graph-status.ts';
import { updateGraph, updateRelations } from './update-relations.ts';

/** How long to wait for another process that derives the graph. The lease of a process that was killed ends sooner. */
const MAX_WAIT_MS = 12_000;
const POLL_INTERVAL_MS = 250;

/**
 * Derives what the graph lacks, after another process that does so has ended. Returns whether the graph is complete.
 * @throws LociError `aborted`, and the errors of the store
 */
export async function deriveFirst(context: EngineContext, options: ProgressOptions): Promise<boolean> {
  const deadline = performance.now() + MAX_WAIT_MS;
  for (let wasFree = false; ;) {
    assertNotAborted(options);
    await updateGraph(context, options);
    await updateRelations(context, options).catch((error: unknown) => {
      // Without the vectors of the configured model, for example, the rest of the graph can be exported.
      if (error instanceof LociError && error.code === 'aborted') throw error;
    });
    if ((await graphCondition(context)) === 'current') return true;
    const isFree = await isNobodyDeriving(context);
    // The other process may have ended just after this one could not begin.
    if ((isFree && wasFree) || performance.now() > deadline) return false;
    wasFree = isFree;
    if (!isFree) await delay(POLL_INTERVAL_MS);
  }
}

async function isNobodyDeriving(context: EngineContext): Promise<boolean> {
  const { namespace } = context;
  const names = ['graph', 'concepts'];
  const holders = await Promise.all(names.map((name) => leaseProcess(context, { namespace, name })));
  return holders.every((holder) => holder === null);
}
