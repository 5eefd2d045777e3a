import { dayInWords } from './time/whole-day.ts';
import type { LociRecord } from './types.ts';

/** When a written record stopped being true, in ISO 8601, if a later one has taken its place; `null` otherwise. */
export function validUntil({ origin, metadata }: Pick<LociRecord, 'origin' | 'metadata'>): string | null {
  const until = origin === 'memory' ? metadata['valid_until'] : undefined;
  return typeof until === 'string' ? until : null;
}

/** Until when a record was true, in words: `true until 2026-11-26`. */
export function trueUntil(until: string): string {
  return `true until ${until.slice(0, 10)}`;
}

/** A record that says the same as an earlier one at a later time. */
export interface LaterRecord {
  readonly citation: string;
  /** Its day: `2026-03-09`. */
  readonly date: string;
}

/** What an earlier record says of a later one: `earlier: see record/12 (9 March 2026)`. */
export function earlierThan({ citation, date }: LaterRecord): string {
  return `earlier: see ${citation} (${dayInWords(date)})`;
}
