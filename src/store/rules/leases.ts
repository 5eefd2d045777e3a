import { LociError } from '../../core/errors.ts';
import type { Timestamp } from '../../core/types.ts';
import type { LeaseRequest } from '../admin-model.ts';
import type { Fence } from '../model.ts';

/** Requests for one lease ask for about the same time; a lease with more than this multiple left has a wrong clock. */
const MAX_TIME_RATIO = 2;

/** Whether another holder's lease until this time keeps the request from being granted. */
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
