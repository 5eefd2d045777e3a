import type { Timestamp } from '../../core/types.ts';

export function isoTime(time: Timestamp): string {
  return new Date(time).toISOString();
}
