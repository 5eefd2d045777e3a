import { type Fence, isHeld, type LeaseRequest, assertLeaseHeld } from '../leases.ts';
import type { Database } from './database.ts';

export function takeLease(db: Database, request: LeaseRequest): number | null {
  const { name, holder, until } = request;
  return db.transaction(() => {
    const held = db.prepare('SELECT holder, token, until FROM lease WHERE name = ?').get(name);
    const mine = held?.['holder'] === holder;
    if (held !== undefined && !mine && isHeld(held['until'] as number, request)) return null;
    const before = (held?.['token'] ?? 0) as number;
    const token = mine ? before : before + 1;
    db.prepare('INSERT OR REPLACE INTO lease (name, holder, token, until) VALUES (?, ?, ?, ?)').run(
      name,
      holder,
      token,
      until,
    );
    return token;
  });
}

/** The row stays, so that the next holder's number is another. */
export function dropLease(db: Database, name: string, holder: string): void {
  db.prepare('UPDATE lease SET until = 0 WHERE name = ? AND holder = ?').run(name, holder);
}

/** Within the transaction that it guards. @throws LociError `conflict` */
export function holdFence(db: Database, fence: Fence): void {
  const held = db.prepare('SELECT token FROM lease WHERE name = ?').get(fence.lease);
  assertLeaseHeld(held?.['token'] as number | undefined, fence);
}
