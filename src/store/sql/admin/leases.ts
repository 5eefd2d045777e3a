import { LociError } from '../../../core/errors.ts';
import type { Timestamp } from '../../../core/types.ts';
import type { Lease, LeaseOperation, LeaseRequest } from '../../admin-model.ts';
import type { Fence } from '../../model.ts';
import type { Driver } from '../driver.ts';
import { assertNotRemoved } from '../namespace.ts';
import type { Row, Sql } from '../sql.ts';

/** Returns who has the lease afterwards. */
export async function lease(
  { sql }: Driver,
  namespace: string,
  operation: LeaseOperation,
): Promise<Lease | null> {
  const { name } = operation;
  if ('releasedBy' in operation) {
    const holder = operation.releasedBy;
    // The row stays, so that the next holder gets a higher token.
    await sql.run(
      'UPDATE lease SET until = 0 WHERE namespace = :namespace AND name = :name AND holder = :holder',
      { namespace, name, holder },
    );
    return null;
  }
  if ('holder' in operation) return sql.transaction(() => takeLease(sql, namespace, operation), 'lease');
  const current = await leaseRow(sql, namespace, name);
  return current !== undefined && Number(current['until']) > operation.at ? leaseOf(current) : null;
}

async function takeLease(sql: Sql, namespace: string, request: LeaseRequest): Promise<Lease> {
  const { name, holder, until } = request;
  const current = await lockLease(sql, namespace, name);
  const isRenewal = current['holder'] === holder;
  if (!isRenewal && isLeaseHeld(Number(current['until']), request)) return leaseOf(current);
  const token = Number(current['token']) + (isRenewal ? 0 : 1);
  await sql.write('lease', [{ namespace, name, holder, token, until }], 'replace');
  return { holder, token };
}

/** The row of a lease, which no other transaction changes; a row without a holder if nobody has had the lease. */
async function lockLease(sql: Sql, namespace: string, name: string): Promise<Row> {
  const { forUpdate } = sql.dialect;
  const found = await leaseRow(sql, namespace, name, forUpdate);
  if (found !== undefined) return found;
  await assertNotRemoved(sql, namespace);
  await sql.write('lease', [{ namespace, name, holder: '', token: 0, until: 0 }], 'skip');
  return (await leaseRow(sql, namespace, name, forUpdate))!;
}

function leaseOf(row: Row): Lease {
  return { holder: String(row['holder']), token: Number(row['token']) };
}

/** Within the transaction that the fence guards. @throws LociError `conflict` */
export async function checkFence(sql: Sql, namespace: string, fence: Fence): Promise<void> {
  // Nobody takes the lease over before the transaction ends.
  const current = await leaseRow(sql, namespace, fence.lease, sql.dialect.forUpdate);
  assertFence(current === undefined ? undefined : Number(current['token']), fence);
}

function leaseRow(sql: Sql, namespace: string, name: string, lock = ''): Promise<Row | undefined> {
  return sql.get(
    `SELECT holder, token, until FROM lease WHERE namespace = :namespace AND name = :name ${lock}`,
    { namespace, name },
  );
}

/** All requests for a lease ask for about the same duration. A lease with more than this multiple of it left was taken under a wrong clock. */
const MAX_TIME_RATIO = 2;

/** Whether a lease that another holder has until this time blocks the request. */
function isLeaseHeld(until: Timestamp, request: LeaseRequest): boolean {
  if (request.takesOver === true) return false;
  const remaining = until - request.now;
  return remaining > 0 && remaining <= MAX_TIME_RATIO * (request.until - request.now);
}

/**
 * An expired lease still counts as long as no other holder has taken it.
 * @param current the token of the lease's last holder
 * @throws LociError `conflict`
 */
function assertFence(current: number | undefined, { lease, token }: Fence): void {
  if (current === token) return;
  throw new LociError('conflict', `another process refreshes ${lease} now`);
}
