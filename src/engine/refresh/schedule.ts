import type { Timestamp } from '../../core/types.ts';
import type { SourceState } from '../../store/source-states.ts';

const FIRST_RETRY = 30_000;
const HOUR = 3_600_000;
/** Milliseconds. Whatever the settings say: nobody reads a source without a pause. */
const SHORTEST = 1000;
/** A share of the time, either way: sources that failed together do not all come back together. */
const JITTER = 0.2;

/** When a source that was read is read again. */
export function nextRead(now: Timestamp, interval: number): Timestamp {
  return now + Math.max(SHORTEST, interval);
}

/**
 * When a source that failed so many times in a row is tried again: after its interval or half a minute, whichever is
 * shorter, then after twice as long each time, up to an hour.
 * @param random 0 to 1
 */
export function nextTry(
  now: Timestamp,
  interval: number,
  failures: number,
  random: number = Math.random(),
): Timestamp {
  const first = Math.max(SHORTEST, Math.min(interval, FIRST_RETRY));
  const wait = Math.min(HOUR, first * 2 ** Math.min(failures - 1, 30));
  return now + Math.round(Math.min(HOUR, wait * (1 + JITTER * (2 * random - 1))));
}

/** Whether it is time, as far as the clock can be trusted: times that lie too far ahead were told by another clock. */
export function isDue(
  { nextAt, triedAt, tookMs, failures }: Pick<SourceState, 'nextAt' | 'triedAt' | 'tookMs' | 'failures'>,
  interval: number,
  now: Timestamp,
): boolean {
  if (nextAt === null || nextAt <= now) return true;
  // The interval may be shorter by now than it was when the time was set.
  const sooner = triedAt !== null && nextRead(triedAt + (tookMs ?? 0), interval) <= now;
  if (sooner && failures === 0) return true;
  const longest = Math.max(interval, HOUR) * (1 + JITTER);
  return nextAt - now > longest || (triedAt !== null && triedAt > now);
}
