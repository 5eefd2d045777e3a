import type { Lease, LeaseRequest } from '../../admin-model.ts';
import type { Fence } from '../../model.ts';
import { assertFence, isLeaseHeld } from '../../rules/leases.ts';
import type { Row, Sql } from '../sql.ts';

/** Takes, renews, drops or reads a lease. Returns who has it afterwards. */
export async function lease(sql: Sql, namespace: string, request: LeaseRequest): Promise<Lease | null> {
  const { name } = request;
  if ('drop' in request) {
    // The row stays, so that the next holder gets a higher token.
    await sql.run(
      'UPDATE lease SET until = 0 WHERE namespace = :namespace AND name = :name AND holder = :drop',
      { namespace, name, drop: request.drop },
    );
    return null;
  }
  if (!('holder' in request)) {
    const current = await leaseRow(sql, namespace, name);
    return current !== undefined && Number(current['until']) > request.now ? leaseOf(current) : null;
  }
  const { holder, until } = request;
  return sql.transaction(async () => {
    const current = await leaseRow(sql, namespace, name);
    const isRenewal = current?.['holder'] === holder;
    if (current !== undefined && !isRenewal && isLeaseHeld(Number(current['until']), request))
      return leaseOf(current);
    const token = Number(current?.['token'] ?? 0) + (isRenewal ? 0 : 1);
    await sql.write('lease', [{ namespace, name, holder, token, until }], 'replace');
    return { holder, token };
  });
}

function leaseOf(row: Row): Lease {
  return { holder: String(row['holder']), token: Number(row['token']) };
}

/** Within the transaction that the fence guards. @throws LociError `conflict` */
export async function checkFence(sql: Sql, namespace: string, fence: Fence): Promise<void> {
  const current = await leaseRow(sql, namespace, fence.lease);
  assertFence(current === undefined ? undefined : Number(current['token']), fence);
}

function leaseRow(sql: Sql, namespace: string, name: string): Promise<Row | undefined> {
  return sql.get(
    'SELECT holder, token, until FROM lease WHERE namespace = :namespace AND name = :name',
    { namespace, name },
  );
}
