import type { Timestamp } from '../../../core/types.ts';
import type { SourceState } from '../../../store/admin-model.ts';

const FIRST_RETRY_MS = 30_000;
const MAX_RETRY_MS = 3_600_000;
/** Also applies to shorter intervals in the settings, so that no source is read without a pause. */
const MIN_INTERVAL_MS = 1000;
/** A share of the delay, in both directions, so that sources that failed together are not all retried together. */
const JITTER = 0.2;
/** A source is stale when it has missed this many refreshes. */
const STALE_AFTER_MISSED = 2;

/** When a source that was read is read again. */
export function nextRead(now: Timestamp, interval: number): Timestamp {
  return now + Math.max(MIN_INTERVAL_MS, interval);
}

/**
 * When a source is retried after this many failures in a row: after its interval or half a minute, whichever is shorter, then
 * after twice as long each time, up to an hour.
 * @param random 0 to 1
 */
export function nextTry(
  now: Timestamp,
  interval: number,
  consecutiveFailures: number,
  random: number = Math.random(),
): Timestamp {
  const first = Math.max(MIN_INTERVAL_MS, Math.min(interval, FIRST_RETRY_MS));
  const delay = Math.min(MAX_RETRY_MS, first * 2 ** Math.min(consecutiveFailures - 1, 30));
  return now + Math.round(Math.min(MAX_RETRY_MS, delay * (1 + JITTER * (2 * random - 1))));
}

/** Whether a source is due. A time too far ahead was written while the clock was wrong, and counts as due. */
export function isDue(
  {
    nextAt,
    triedAt,
    tookMs,
    consecutiveFailures,
  }: Pick<SourceState, 'nextAt' | 'triedAt' | 'tookMs' | 'consecutiveFailures'>,
  interval: number,
  now: Timestamp,
): boolean {
  if (nextAt === null || nextAt <= now) return true;
  // The interval in the settings may have become shorter since `nextAt` was written.
  const isDueByInterval = triedAt !== null && nextRead(triedAt + (tookMs ?? 0), interval) <= now;
  if (isDueByInterval && consecutiveFailures === 0) return true;
  const longest = Math.max(interval, MAX_RETRY_MS) * (1 + JITTER);
  return nextAt - now > longest || (triedAt !== null && triedAt > now);
}

/** Whether the source has missed two refreshes, or the last attempts failed. */
export function isStale(
  { readAt, consecutiveFailures }: Pick<SourceState, 'readAt' | 'consecutiveFailures'>,
  interval: number,
  now: Timestamp,
): boolean {
  return readAt !== null && (consecutiveFailures > 0 || now - readAt > STALE_AFTER_MISSED * interval);
}
