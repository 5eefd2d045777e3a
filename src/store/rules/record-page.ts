import { isDeepStrictEqual } from 'node:util';
import type { LociRecord } from '../../core/types.ts';
import type { ChunkedRecord } from '../model.ts';

/** A page ends early once its contents are longer than this together; it always has at least one record. */
export const MAX_PAGE_CHARACTERS = 4_000_000;

/** Whether a record still is what its passages were cut from. Those of a source's document also have its project and tags. */
export function isUnchangedSinceChunking(record: LociRecord, chunked: ChunkedRecord['state']): boolean {
  return (
    record.contentHash === chunked.contentHash &&
    record.origin === chunked.origin &&
    record.title === chunked.title &&
    isDeepStrictEqual(record.metadata, chunked.metadata) &&
    (record.origin !== 'source' ||
      (record.project === chunked.project && isDeepStrictEqual(record.tags, chunked.tags)))
  );
}

/** The rows that fit into a page. Reads at most one row beyond them. */
export function firstOfPage<Row>(rows: Iterable<Row>, recordOf: (row: Row) => LociRecord): LociRecord[] {
  const records: LociRecord[] = [];
  let characters = 0;
  for (const row of rows) {
    const record = recordOf(row);
    characters += record.content.length;
    if (records.length > 0 && characters > MAX_PAGE_CHARACTERS) break;
    records.push(record);
  }
  return records;
}
