import type { Timestamp } from '../../core/types.ts';

/** ISO 8601 writes years with four digits. */
export const MIN_TIME = Date.parse('0001-01-01T00:00:00Z');
export const MAX_TIME = Date.parse('9999-12-31T00:00:00Z');

/** Limits the time of a file to what ISO 8601 can write. Some file systems store times outside of that. */
export function timeOfFile(milliseconds: bigint): Timestamp {
  return Math.max(MIN_TIME, Math.min(MAX_TIME, Number(milliseconds)));
}
