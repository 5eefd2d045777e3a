import type { Timestamp } from '../../../core/types.ts';
import type { LeaseRequest } from '../../admin-model.ts';
import type { Fence } from '../../model.ts';
import { assertFence, isLeaseHeld } from '../../rules/leases.ts';
import type { Database } from '../database/database.ts';

export function takeLease(db: Database, namespace: string, request: LeaseRequest): number | null {
  const { name, holder, until } = request;
  return db.transaction(() => {
    const current = db
      .prepare('SELECT holder, token, until FROM lease WHERE namespace = ? AND name = ?')
      .get(namespace, name);
    const isRenewal = current?.['holder'] === holder;
    if (current !== undefined && !isRenewal && isLeaseHeld(current['until'] as number, request)) return null;
    const before = (current?.['token'] ?? 0) as number;
    const token = isRenewal ? before : before + 1;
    db.prepare(
      'INSERT OR REPLACE INTO lease (namespace, name, holder, token, until) VALUES (?, ?, ?, ?, ?)',
    ).run(namespace, name, holder, token, until);
    return token;
  });
}

/** Ends the lease without deleting its row, so that the next holder gets a higher token. */
export function dropLease(db: Database, namespace: string, name: string, holder: string): void {
  db.prepare('UPDATE lease SET until = 0 WHERE namespace = ? AND name = ? AND holder = ?').run(
    namespace,
    name,
    holder,
  );
}

export function leaseHolder(db: Database, namespace: string, name: string, now: Timestamp): string | null {
  const current = db
    .prepare('SELECT holder FROM lease WHERE namespace = ? AND name = ? AND until > ?')
    .get(namespace, name, now);
  return (current?.['holder'] ?? null) as string | null;
}

/** Within the transaction that the fence guards. @throws LociError `conflict` */
export function checkFence(db: Database, namespace: string, fence: Fence): void {
  const current = db
    .prepare('SELECT token FROM lease WHERE namespace = ? AND name = ?')
    .get(namespace, fence.lease);
  assertFence(current?.['token'] as number | undefined, fence);
}
