import { LociError } from '../core/errors.ts';
import type { Timestamp } from '../core/types.ts';

export interface LeaseRequest {
  /** What only one process should do. */
  readonly name: string;
  /** Unique to the process. */
  readonly holder: string;
  readonly now: Timestamp;
  readonly until: Timestamp;
  /** Takes it from whoever holds it: what they write from now on is refused. */
  readonly takesOver?: boolean;
}

/** The number under which a lease was taken: what is written with it is refused once another holder has a higher one. */
export interface Fence {
  readonly lease: string;
  readonly token: number;
}

/** Who does what only one process should do at a time. */
export interface Leases {
  /**
   * Takes the lease, or prolongs it for its holder: answers a number that grows with each new holder (a fencing token);
   * `null` while somebody else holds it, unless it is taken over. A lease that lasts for more than twice the time that is asked for now was
   * taken under another clock, and counts as expired: whoever asks for a name asks for about the same time.
   */
  takeLease(request: LeaseRequest): Promise<number | null>;
  /** Gives it back, if it is still held. */
  dropLease(name: string, holder: string): Promise<void>;
}

/** Whether the request finds a lease that is somebody else's until this time. */
export function isHeld(until: Timestamp, request: LeaseRequest): boolean {
  if (request.takesOver === true) return false;
  const left = until - request.now;
  return left > 0 && left <= CLOCK_SLACK * (request.until - request.now);
}

const CLOCK_SLACK = 2;

/**
 * For whoever is late: `held` is the lease's number now. One that has expired counts as long as nobody took it over.
 * @throws LociError `conflict`
 */
export function assertLeaseHeld(held: number | undefined, { lease, token }: Fence): void {
  if (held === token) return;
  throw new LociError('conflict', `another process refreshes ${lease} now`);
}
