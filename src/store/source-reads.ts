import type { Timestamp } from '../core/types.ts';

/** The last time that a source was read through. */
export interface SourceRead {
  readonly at: Timestamp;
  /** The folder it was read from; `null` where an earlier Loci did not note it. */
  readonly root: string | null;
}

export interface SourceReads {
  /** Notes that a source was read through; `null` for one that is forgotten. */
  markRead(namespace: string, source: string, read: SourceRead | null): Promise<void>;
  /** When each source was last read through, and where. */
  lastReads(namespace: string): Promise<Map<string, SourceRead>>;
}
