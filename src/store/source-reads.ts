import type { Timestamp } from '../core/types.ts';

export interface SourceReads {
  /** Notes that a source was read through at this time; `null` for one that is forgotten. */
  markRead(namespace: string, source: string, at: Timestamp | null): Promise<void>;
  /** When each source was last read through. */
  lastReads(namespace: string): Promise<Map<string, Timestamp>>;
}
