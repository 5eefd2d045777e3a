import type { Timestamp } from '../../core/types.ts';

/** ISO 8601 writes years with four digits. */
export const MIN_TIME = Date.parse('0001-01-01T00:00:00Z');
export const MAX_TIME = Date.parse('9999-12-31T00:00:00Z');

/** Limits the time of a file to what ISO 8601 can write. Some file systems store times outside of that. */
export function timeOfFile(milliseconds: bigint): Timestamp {
  return Math.max(MIN_TIME, Math.min(MAX_TIME, Number(milliseconds)));
}

/** Nobody edits half of a vault of at least this many notes within this time, so a program has written those files. */
const MIN_FILES = 20;
const MAX_SPAN_MS = 600_000;

/** A span of times, both ends included. */
export interface TimeSpan {
  readonly from: Timestamp;
  readonly until: Timestamp;
}

/**
 * When the files of a folder were written by a program, such as `git clone`, a synchronisation or a copy. Their times then say nothing of
 * what is in them. It is the span of ten minutes with the most files, if it has half of at least 20. More than half is not asked for,
 * since the notes that nobody has edited would else have the time of the copy again as soon as some others have been edited.
 * @param times of the last changes; `null` where no program has written them
 */
export function copySpan(times: readonly Timestamp[]): TimeSpan | null {
  if (times.length < MIN_FILES) return null;
  const sorted = Float64Array.from(times).toSorted();
  let [first, best, count] = [0, 0, 0];
  for (const [last, time] of sorted.entries()) {
    while (time - sorted[first]! > MAX_SPAN_MS) first++;
    if (last - first + 1 > count) [best, count] = [first, last - first + 1];
  }
  return 2 * count < times.length ? null : { from: sorted[best]!, until: sorted[best + count - 1]! };
}
