import type { Timestamp } from '../core/types.ts';

export interface LeaseRequest {
  /** What only one process should do. */
  readonly name: string;
  /** Unique to the process. */
  readonly holder: string;
  readonly now: Timestamp;
  readonly until: Timestamp;
}

/** Who does what only one process should do at a time. */
export interface Leases {
  /**
   * Takes the lease, or prolongs it for its holder: answers a number that grows with each new holder (a fencing token);
   * `null` while somebody else holds it.
   */
  takeLease(request: LeaseRequest): Promise<number | null>;
  /** Gives it back, if it is still held. */
  dropLease(name: string, holder: string): Promise<void>;
}
