import { configRemove } from '../../config/edit.ts';
import type { Json } from '../../core/types.ts';
import type { OperationContext } from '../operation.ts';
import { setTimeout as wait } from 'node:timers/promises';
import { LociError } from '../../core/errors.ts';

/**
 * Removes an entry from a list of loci.yaml.
 * @param entry the name of the entry in messages
 * @throws LociError `conflict` if an environment variable sets the list
 */
export async function removeEntry(
  context: OperationContext,
  list: 'vaults' | 'sources',
  entry: string,
  matches: (entry: Json) => boolean,
): Promise<void> {
  const origin = (await context.loadConfig()).origins.get(list) ?? '';
  if (origin.startsWith('env ')) {
    const variable = origin.slice('env '.length);
    throw new LociError('conflict', `${variable} sets the ${list}, and still has ${entry}`, {
      hint: `Remove ${entry} from ${variable} first.`,
    });
  }
  await retryOnConflict(() => configRemove(list, matches, context), context.signal);
}

const MAX_ATTEMPTS = 20;
/** The pause after the first attempt. Each further pause is longer by the same amount. */
const PAUSE_MS = 50;

/**
 * Repeats work that fails with `conflict` because another process changes the same file.
 * @throws the errors of the work, `conflict` only after the last attempt; `aborted`
 */
export async function retryOnConflict<Result>(
  work: () => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      const isConflict = error instanceof LociError && error.code === 'conflict';
      if (!isConflict || attempt === MAX_ATTEMPTS) throw error;
    }
    await wait(PAUSE_MS * attempt, undefined, { signal });
  }
}
