import { LociError } from '../../core/errors.ts';
import type { Timestamp } from '../../core/types.ts';
import type { LeaseRequest } from '../admin-model.ts';
import type { Fence } from '../model.ts';

/** All requests for a lease ask for about the same duration. A lease with more than this multiple of it left was taken under a wrong clock. */
const MAX_TIME_RATIO = 2;

/** Whether a lease that another holder has until this time blocks the request. */
export function isLeaseHeld(until: Timestamp, request: LeaseRequest): boolean {
  if (request.takesOver === true) return false;
  const remaining = until - request.now;
  return remaining > 0 && remaining <= MAX_TIME_RATIO * (request.until - request.now);
}

/**
 * An expired lease still counts as long as no other holder has taken it.
 * @param current the token of the lease's last holder
 * @throws LociError `conflict`
 */
export function assertFence(current: number | undefined, { lease, token }: Fence): void {
  if (current === token) return;
  throw new LociError('conflict', `another process refreshes ${lease} now`);
}
