import { type Fence, isHeld, type LeaseRequest, assertLeaseHeld } from '../leases.ts';
import type { State } from './state.ts';

export function takeLease(state: State, request: LeaseRequest): number | null {
  const { name, holder, until } = request;
  const held = state.leases.get(name);
  const mine = held?.holder === holder;
  if (held !== undefined && !mine && isHeld(held.until, request)) return null;
  const token = (held?.token ?? 0) + (mine ? 0 : 1);
  state.leases.set(name, { holder, token, until });
  return token;
}

export function dropLease({ leases }: State, name: string, holder: string): void {
  const held = leases.get(name);
  if (held?.holder === holder) leases.set(name, { ...held, until: 0 });
}

/** @throws LociError `conflict` */
export function holdFence({ leases }: State, fence: Fence): void {
  assertLeaseHeld(leases.get(fence.lease)?.token, fence);
}
