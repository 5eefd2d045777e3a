import { setTimeout as delay } from 'node:timers/promises';

/**
 * The result of some work, or of `late` if the work takes longer than the deadline; a failure after it concerns nobody.
 * @throws what the work or `late` throws
 */
export async function withDeadline<Result, Late>(
  work: Promise<Result>,
  deadlineMs: number,
  late: () => Late,
): Promise<Result | Late> {
  const ended = new AbortController();
  try {
    return await Promise.race([work, delay(deadlineMs, undefined, { signal: ended.signal }).then(late)]);
  } finally {
    ended.abort();
  }
}
