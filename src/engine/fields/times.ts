import { z } from 'zod';
import type { Timestamp } from '../../core/types.ts';

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
