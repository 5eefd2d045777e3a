import { setTimeout as wait } from 'node:timers/promises';
import { LociError } from '../../core/errors.ts';

const ATTEMPTS = 20;
/** Milliseconds; grows with each attempt. */
const PAUSE = 50;

/**
 * Does something again as long as another process keeps coming between: it starts from the new state each time, and
 * the other one gets ahead meanwhile.
 * @throws what the work throws, a `conflict` only after the last attempt; `aborted`
 */
export async function patiently<Result>(work: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
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
