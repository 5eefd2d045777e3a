/** Records which process makes the vectors of which model, so that no other process removes them meanwhile. */

import { setTimeout as delay } from 'node:timers/promises';
import { LociError } from '../../core/errors.ts';
import { assertNotAborted, pickSignal, type ProgressOptions } from '../../core/progress.ts';
import { ADMIN_NAMESPACE } from '../../store/rules/admin-namespace.ts';
import type { Generation, GenerationSpec } from '../../store/search-model.ts';
import type { EngineContext } from '../context.ts';
import { leaseProcess, withLease } from '../shared/lease.ts';
import { describeGeneration } from './generations.ts';

const POLL_INTERVAL_MS = 250;
/** A backfill has as many parts in each namespace. More processes wait until one of these ends. */
const MAX_PROCESSES = 16;
/** Held for a moment: by a process that adds a generation to fill it, or removes those that no process fills. */
const GENERATIONS_LEASE = { namespace: ADMIN_NAMESPACE, name: 'embedding generations' };

/** The leases of the processes that fill a generation. They have its name: they are taken before it has an id. */
function fillingLeases(spec: GenerationSpec): string[] {
  const name = describeGeneration(spec);
  return Array.from({ length: MAX_PROCESSES }, (_, i) => `backfill of ${name}, process ${String(i + 1)}`);
}

/**
 * Fills a generation, which is added if it does not exist. Until the work ends, or its process dies, no other process removes it.
 * @throws LociError `conflict` if the generation was removed nevertheless, such as after this process was suspended; what `work`
 *   throws
 */
export async function whileFilling<Result>(
  context: EngineContext,
  spec: GenerationSpec,
  options: ProgressOptions,
  work: (generation: Generation) => Promise<Result>,
): Promise<Result> {
  const { vectors } = context.store;
  let result: { readonly value: Result } | undefined;
  const fill = async (): Promise<void> => {
    const generation = await whileNoneIsRemoved(context, options, () =>
      vectors.setGeneration(ADMIN_NAMESPACE, { add: spec }),
    );
    try {
      result = { value: await work(generation) };
    } catch (error) {
      const all = await vectors.generations(ADMIN_NAMESPACE);
      if (all.some(({ id }) => id === generation.id)) throw error;
      throw removedMeanwhile(spec, error);
    }
  };
  for (;;) {
    assertNotAborted(options);
    await withOneLease(context, fillingLeases(spec), fill, options);
    if (result !== undefined) return result.value;
    await delay(POLL_INTERVAL_MS);
  }
}

function removedMeanwhile(spec: GenerationSpec, cause: unknown): LociError {
  return new LociError(
    'conflict',
    `the vectors of ${describeGeneration(spec)} were removed while they were being made, because searches use those of another model now`,
    { hint: 'Run `loci embed backfill`, which makes them anew.', cause },
  );
}

/**
 * Lets searches use a generation, in one transaction, and removes all others but those that another process is making.
 * @param isReady asked while no other process removes or adds generations; otherwise nothing changes
 * @returns whether searches use it
 */
export async function switchTo(
  context: EngineContext,
  id: number,
  options: ProgressOptions,
  isReady: () => Promise<boolean> = () => Promise.resolve(true),
): Promise<boolean> {
  const { vectors } = context.store;
  return whileNoneIsRemoved(context, options, async () => {
    if (!(await isReady())) return false;
    await vectors.setGeneration(ADMIN_NAMESPACE, { activate: id });
    for (const other of await vectors.generations(ADMIN_NAMESPACE))
      if (other.id !== id && !(await isBeingFilled(context, other)))
        await vectors.setGeneration(ADMIN_NAMESPACE, { remove: other.id });
    return true;
  });
}

async function isBeingFilled(context: EngineContext, spec: GenerationSpec): Promise<boolean> {
  for (const name of fillingLeases(spec))
    if ((await leaseProcess(context, { namespace: ADMIN_NAMESPACE, name })) !== null) return true;
  return false;
}

/** One process at a time removes generations or begins to fill one, so that none acts on what another changes. */
function whileNoneIsRemoved<Result>(
  context: EngineContext,
  options: ProgressOptions,
  work: () => Promise<Result>,
): Promise<Result> {
  return withLease(context, GENERATIONS_LEASE, work, { wait: true, ...pickSignal(options) });
}

/** Works under the first of the leases that no other process has. Returns whether there was one. */
export async function withOneLease(
  context: EngineContext,
  names: Iterable<string>,
  work: (name: string, signal: AbortSignal) => Promise<void>,
  options: ProgressOptions,
): Promise<boolean> {
  for (const name of names) {
    let isStarted = false;
    try {
      await withLease(
        context,
        { namespace: ADMIN_NAMESPACE, name },
        (_lease, signal) => {
          isStarted = true;
          return work(name, signal);
        },
        pickSignal(options),
      );
      return true;
    } catch (error) {
      const isTaken = error instanceof LociError && error.code === 'conflict' && !isStarted;
      if (!isTaken) throw error;
    }
  }
  return false;
}
