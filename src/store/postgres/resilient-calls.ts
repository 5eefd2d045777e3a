import type { Purge } from '../model.ts';
import type { RunCall } from '../sql/calls/store-proxy.ts';
import type { Sql } from '../sql/sql.ts';
import { isConnectionLost, isReadOnlyError, isTimeout } from './store-error.ts';

/** How long Loci believes that the store can only be read, in milliseconds. */
const READ_ONLY_MS = 1000;

/** Whether the store can only be read: on a replica until it is promoted, or for a user who may only read. */
export class Access {
  isReadOnly = false;
  #checkedAt = 0;
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async check(): Promise<void> {
    const row = await this.#sql.get("SELECT current_setting('transaction_read_only') = 'on' AS is_read_only");
    [this.isReadOnly, this.#checkedAt] = [row?.['is_read_only'] === 1, performance.now()];
  }

  /** Whether it was read-only, and may no longer be. */
  get isOutdated(): boolean {
    return this.isReadOnly && performance.now() - this.#checkedAt > READ_ONLY_MS;
  }
}

/** Calls that go on when a connection is lost, and when a replica takes the place of the primary server or the other way round. */
export function resilient(sql: Sql, access: Access, run: RunCall): RunCall {
  return async (call, route, given) => {
    // The call itself says why, if this fails.
    if (access.isOutdated) await access.check().catch(() => undefined);
    const parameters = call === 'records.commit' ? await byServerClock(sql, given) : given;
    try {
      return await run(call, route, parameters);
    } catch (error) {
      // Another connection may still work. What writes is repeated by the transaction, which knows whether it took place.
      if (route === 'reader' && isConnectionLost(error) && !isTimeout(error))
        return run(call, route, parameters);
      if (isReadOnlyError(error)) await access.check().catch(() => undefined);
      throw error;
    }
  };
}

/**
 * Several machines write to the store, and the clock of one of them may be ahead. A purge by that clock would remove what has not
 * expired, so that it counts by the clock of the server.
 */
async function byServerClock(sql: Sql, parameters: readonly unknown[]): Promise<readonly unknown[]> {
  const [namespace, batch] = parameters as [string, object];
  if (!('purge' in batch)) return parameters;
  const { purge } = batch as Purge;
  const { by, expiredBy, deletedBefore } = purge;
  const row = await sql.get('SELECT (1000 * extract(epoch FROM clock_timestamp()))::bigint AS now');
  const aheadMs = Math.max(0, by.at - Number(row?.['now']));
  const times = { expiredBy: expiredBy - aheadMs, deletedBefore: deletedBefore - aheadMs };
  return [namespace, { purge: { ...purge, ...times, by: { ...by, at: by.at - aheadMs } } }];
}
