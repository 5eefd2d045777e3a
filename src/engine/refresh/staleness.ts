import type { Timestamp } from '../../core/types.ts';
import type { SourceState } from '../../store/source-states.ts';

/** Refreshes that a source may miss before what is known of it is stale. */
const MISSED = 2;

/** Whether nobody has read it for so long that two refreshes were missed, or the last attempts failed. */
export function isStale(
  { readAt, failures }: Pick<SourceState, 'readAt' | 'failures'>,
  interval: number,
  now: Timestamp,
): boolean {
  return readAt !== null && (failures > 0 || now - readAt > MISSED * interval);
}
