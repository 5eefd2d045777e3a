import { z } from 'zod';
import type { Timestamp } from '../../core/types.ts';
import { NO_TIME } from '../../store/rules/record-time.ts';

/** The field `took_ms` of an output. */
export function tookMs(): z.ZodType<number> {
  return z.number().int().nonnegative().describe('How long it took, in whole milliseconds.');
}

/** @param started a value of `performance.now()` */
export function millisecondsSince(started: number): number {
  return Math.round(performance.now() - started);
}

export function isoTime(time: Timestamp): string {
  return new Date(time).toISOString();
}

/** A time of the timeline; `null` for a note without a date. */
export function timelineTime(time: Timestamp): string | null {
  return time === NO_TIME ? null : isoTime(time);
}
