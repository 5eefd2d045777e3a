/** The types of golden queries: recorded queries and the records that they should find. */

import type { Timestamp } from '../core/types.ts';

/** A record that a golden query should find. */
export interface GoldenResult {
  /** Its UUID. */
  readonly record: string;
  /** As it was cited when the query was recorded, to name it to a person. */
  readonly citation: string;
  /** Its place among the results when the query was recorded, from 1; `null` if it was not among them. */
  readonly rank: number | null;
}

/** A query of the operator and what it should find. Canonical. */
export interface GoldenQuery {
  /** A UUID. */
  readonly id: string;
  /** Empty after it was removed. */
  readonly query: string;
  /** The project to which the search is limited. */
  readonly project: string | null;
  /** Without any, the query was removed. The rest remains, so that an import does not bring it back. */
  readonly expected: readonly GoldenResult[];
  readonly at: Timestamp;
  readonly actor: string;
}

export interface StoredGoldenQuery extends GoldenQuery {
  /** Grows with every new golden query of the namespace; one that changes keeps it. */
  readonly sequence: number;
}
