import { configRemove } from '../../config/edit.ts';
import type { Json } from '../../core/types.ts';
import type { OperationContext } from '../operation.ts';
import { setTimeout as wait } from 'node:timers/promises';
import { LociError } from '../../core/errors.ts';

/**
 * Takes an entry out of a list of loci.yaml.
 * @param entry what people call it
 * @throws LociError `conflict` when the environment names the list
 */
export async function removeEntry(
  context: OperationContext,
  list: 'vaults' | 'sources',
  entry: string,
  isMeant: (each: Json) => boolean,
): Promise<void> {
  const origin = (await context.loadConfig()).origins.get(list) ?? '';
  if (origin.startsWith('env ')) {
    const variable = origin.slice('env '.length);
    throw new LociError('conflict', `the ${list} are those of ${variable}; ${entry} is still among them`, {
      hint: `Take ${entry} out of ${variable} first.`,
    });
  }
  await retryOnConflict(() => configRemove(list, isMeant, context), context.signal);
}

const ATTEMPTS = 20;
/** Milliseconds; grows with each attempt. */
const PAUSE = 50;

/**
 * Does something again as long as another process keeps coming between: it starts from the new state each time, and
 * the other one gets ahead meanwhile.
 * @throws what the work throws, a `conflict` only after the last attempt; `aborted`
 */
export async function retryOnConflict<Result>(
  work: () => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      const conflict = error instanceof LociError && error.code === 'conflict';
      if (!conflict || attempt === ATTEMPTS) throw error;
    }
    await wait(PAUSE * attempt, undefined, { signal });
  }
}
