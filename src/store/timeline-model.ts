import type { Timestamp } from '../core/types.ts';
import type { RecordHeader, SearchFilter } from './search-model.ts';

/** Which records of the timeline to read: those nearest to a record, or to a moment. */
export interface TimelineRequest {
  readonly filter: SearchFilter;
  /** Records at the moment itself count as after it. */
  readonly around: { readonly record: number } | { readonly time: Timestamp };
  /** Maximum numbers of records. */
  readonly before: number;
  readonly after: number;
}

/** A record and its time in the timeline (`rules/record-time.ts`). */
export interface TimedRecord {
  readonly at: Timestamp;
  readonly record: RecordHeader;
}

/** Records in the order of time, ties by id. */
export interface TimelineRecords {
  /** The record around which the others are, if it is live, whatever the filter hides; `null` for a moment. */
  readonly anchor: TimedRecord | null;
  /** Nearest first; both lists are empty if the record is not live. */
  readonly before: readonly TimedRecord[];
  readonly after: readonly TimedRecord[];
}
