import { isDeepStrictEqual } from 'node:util';
import type { LociRecord, Passage } from '../core/types.ts';

/** Whole records, by id, after an id. */
export interface RecordPage {
  readonly after: number | null;
  /** At most so many; fewer, but one at least, where their contents are longer than `PAGE_CHARACTERS` together. */
  readonly limit: number;
}

/** Of contents that are held at once. Only an empty page is the last. */
export const PAGE_CHARACTERS = 4_000_000;

/** Passages, and the state of the record that they were cut from. */
export interface CutPassages {
  readonly from: Pick<LociRecord, 'title' | 'metadata' | 'contentHash'>;
  readonly passages: readonly Passage[];
}

/** Whether a record is still what its passages were cut from. */
export function isAsCut(record: LociRecord, from: CutPassages['from']): boolean {
  return (
    record.contentHash === from.contentHash &&
    record.title === from.title &&
    isDeepStrictEqual(record.metadata, from.metadata)
  );
}

/** The first records that may be held at once. Takes no more from what it is given than one behind them. */
export function firstOfPage<Row>(rows: Iterable<Row>, recordOf: (row: Row) => LociRecord): LociRecord[] {
  const records: LociRecord[] = [];
  let characters = 0;
  for (const row of rows) {
    const record = recordOf(row);
    characters += record.content.length;
    if (records.length > 0 && characters > PAGE_CHARACTERS) break;
    records.push(record);
  }
  return records;
}
