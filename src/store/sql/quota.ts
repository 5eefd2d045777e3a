import { LociError } from '../../core/errors.ts';
import type { Quota, QuotaLimits, RequestAdmission } from '../admin-model.ts';
import type { Driver, Scope } from './driver.ts';
import type { Row, Sql } from './sql.ts';

/** The columns of a row `q` of `quota`, which may be missing. */
const QUOTA = 'q.records AS used_records, q.bytes AS used_bytes, q.max_records, q.max_bytes, q.max_requests';

export function quotaOf(row: Row | undefined): Quota {
  const limit = (column: string): number | null => (row?.[column] ?? null) as number | null;
  return {
    records: Number(row?.['used_records'] ?? 0),
    bytes: Number(row?.['used_bytes'] ?? 0),
    maxRecords: limit('max_records'),
    maxBytes: limit('max_bytes'),
    maxRequests: limit('max_requests'),
  };
}

export async function readQuota({ sql, ns }: Pick<Scope, 'sql' | 'ns'>): Promise<Quota> {
  return quotaOf(await sql.get(`SELECT ${QUOTA} FROM quota AS q WHERE q.ns = :ns`, { ns }));
}

const UNITS = { records: 'records', bytes: 'bytes of text' } as const;

/**
 * At the end of the transaction of a write, before which the namespace had this. One that makes it smaller is allowed beyond the limit.
 * @throws LociError `quota_exceeded`
 */
export async function assertWithinQuota(sql: Sql, ns: number, before: Quota): Promise<void> {
  if (before.maxRecords === null && before.maxBytes === null) return;
  const after = await readQuota({ sql, ns });
  for (const [figure, limit] of [
    ['records', before.maxRecords],
    ['bytes', before.maxBytes],
  ] as const)
    if (limit !== null && after[figure] > limit && after[figure] > before[figure])
      throw new LociError(
        'quota_exceeded',
        `this memory may have ${String(limit)} ${UNITS[figure]}; it has ${String(before[figure])}, and would have ${String(after[figure])}`,
      );
}

/** Sets the limits of a namespace. Within the transaction that has locked it. */
export async function putLimits(
  sql: Sql,
  ns: number,
  { maxRecords, maxBytes, maxRequests }: QuotaLimits,
): Promise<void> {
  await sql.change(
    `INSERT INTO quota (ns, max_records, max_bytes, max_requests) VALUES (:ns, :maxRecords, :maxBytes, :maxRequests)
     ON CONFLICT (ns) DO UPDATE SET
       max_records = excluded.max_records, max_bytes = excluded.max_bytes, max_requests = excluded.max_requests`,
    { ns, maxRecords, maxBytes, maxRequests },
  );
}

/** Counts again what the triggers of `record` count. Within a transaction that has locked the namespace. */
export async function recount(sql: Sql, ns: number): Promise<void> {
  await sql.change(
    `INSERT INTO quota (ns, records, bytes) SELECT * FROM (${COUNTED}) AS counted WHERE TRUE
     ON CONFLICT (ns) DO UPDATE SET records = excluded.records, bytes = excluded.bytes`,
    { ns },
  );
}

const COUNTED = `SELECT CAST(:ns AS BIGINT) AS ns, count(CASE WHEN deleted_at IS NULL THEN 1 END) AS records,
  CAST(coalesce(sum(octet_length(content)), 0) AS BIGINT) AS bytes FROM record WHERE ns = :ns`;

/** Compares what is counted with the records. Returns a message if it differs. */
export async function verifyQuota(sql: Sql, ns: number): Promise<string[]> {
  const counted = await sql.get(COUNTED, { ns });
  const row = await sql.get(`SELECT ${QUOTA} FROM quota AS q WHERE q.ns = :ns`, { ns });
  // A cluster of Citus counts nothing.
  if (row === undefined) return [];
  const { records, bytes } = quotaOf(row);
  const isEqual = records === Number(counted?.['records']) && bytes === Number(counted?.['bytes']);
  return isEqual ? [] : ['the numbers of records and bytes that quotas compare are wrong'];
}

const MINUTE_US = 60_000_000;

/**
 * Counts a request if the namespace has a limit. As many requests as are allowed in a minute may come at once; each of them uses up its
 * share of a minute, and later ones come when that is over (the generic cell rate algorithm). It is one statement with the clock of the
 * database, so that it holds for all processes. A clock that was set back begins anew.
 */
export async function admitRequest({ sql }: Driver, namespace: string): Promise<RequestAdmission> {
  const minute = String(MINUTE_US);
  const used = `CASE WHEN request_rate.until > excluded.at AND request_rate.until <= excluded.at + ${minute} THEN request_rate.until ELSE excluded.at END
    + excluded.until - excluded.at`;
  const [row] = await sql.all(
    `INSERT INTO request_rate (ns, at, until, refused)
     SELECT q.ns, t.now, t.now + ${minute} / q.max_requests, 0 FROM quota AS q CROSS JOIN (SELECT ${sql.dialect.now} AS now) AS t
     WHERE q.ns = (SELECT id FROM namespace WHERE name = :namespace) AND q.max_requests IS NOT NULL
     ON CONFLICT (ns) DO UPDATE SET at = excluded.at,
       until = CASE WHEN ${used} > excluded.at + ${minute} THEN request_rate.until ELSE ${used} END,
       refused = CASE WHEN ${used} > excluded.at + ${minute} THEN 1 ELSE 0 END
     RETURNING at, until, refused, (SELECT max_requests FROM quota AS q WHERE q.ns = request_rate.ns) AS max_requests`,
    { namespace },
  );
  if (row === undefined) return { limit: null, waitMs: 0 };
  const limit = Number(row['max_requests']);
  if (Number(row['refused']) === 0) return { limit, waitMs: 0 };
  const waitUs = Number(row['until']) + Math.floor(MINUTE_US / limit) - (Number(row['at']) + MINUTE_US);
  return { limit, waitMs: Math.max(1, Math.ceil(waitUs / 1000)) };
}
