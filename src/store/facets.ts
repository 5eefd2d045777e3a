import type { Timestamp } from '../core/types.ts';

/** What of a record searches filter by. */
export type FacetField = 'project' | 'origin' | 'source' | 'category' | 'recordType' | 'tag';

export interface FacetValue {
  /** As it was written. */
  readonly value: string;
  /** How many records have it. */
  readonly records: number;
}

/** `Filter` is the store's, which knows of this interface and so cannot be named here. */
export interface Facets<Filter> {
  /**
   * What the records that a filter lets through have in a field: most records first, ties by code point. Looks at every
   * record: for answers that may take a moment.
   */
  facet(namespace: string, field: FacetField, filter: Filter): Promise<FacetValue[]>;
  /** Live records of the origin `memory` whose content has this hash, by id. */
  writtenWith(namespace: string, contentHash: string, now: Timestamp): Promise<number[]>;
}
