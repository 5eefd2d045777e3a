import { LociError } from '../../../core/errors.ts';
import type { CommitBatch, IdempotencyKey, PurgeRequest } from '../../model.ts';
import type { AuditDraft } from '../../admin-model.ts';
import { ADMIN_NAMESPACE } from '../../rules/admin-namespace.ts';
import { assertSafeTimes } from '../../rules/validation.ts';
import { putConcepts } from '../graph/write-concepts.ts';
import { putGraph } from '../graph/write.ts';
import { RECORD_COLUMNS } from '../rows.ts';
import { appendAudit, attachAudit, eraseDiffs } from '../admin/audit.ts';
import { checkFence } from '../admin/leases.ts';
import { putBelongsTo } from '../derived/belongs-to.ts';
import type { Driver } from '../driver.ts';
import { changeItems } from '../item.ts';
import { lockNamespace, requireNamespace } from '../namespace.ts';
import { RecordPlan } from './record-plan.ts';
import { applyPlan, commitRecords, storedRecordOf } from './records.ts';
import type { Sql } from '../sql.ts';

/** Writes all of the batch or nothing. Returns the ids of the writes, then those of the imports. */
export async function commit(driver: Driver, namespace: string, batch: CommitBatch): Promise<number[]> {
  assertSafeTimes(batch);
  const { sql, text } = driver;
  return sql.transaction(async () => {
    if (batch.fence !== undefined) await checkFence(sql, namespace, batch.fence);
    const row =
      batch.chunked === undefined
        ? await lockNamespace(sql, text, namespace)
        : await requireNamespace(sql, namespace);
    const ns = row.id;
    const ids = await commitRecords(driver, namespace, row, batch);
    if (batch.idempotencyKey !== undefined) await putIdempotencyKey(sql, ns, batch.idempotencyKey, ids);
    if (batch.items !== undefined) await changeItems(sql, ns, batch.items);
    if (batch.adminItems !== undefined) {
      const admin = await lockNamespace(sql, text, ADMIN_NAMESPACE);
      await changeItems(sql, admin.id, batch.adminItems);
    }
    if (batch.belongsTo !== undefined) await putBelongsTo(sql, ns, batch.belongsTo);
    if (batch.graph !== undefined) await putGraph(sql, ns, batch.graph);
    if (batch.concepts !== undefined) await putConcepts(sql, ns, batch.concepts);
    await appendAudit(sql, ns, batch.audit ?? []);
    if (batch.attachedAudit !== undefined) await attachAudit(sql, ns, batch.attachedAudit);
    return ids;
  });
}

/** Within a transaction. @throws LociError `conflict` for a key that was used already */
async function putIdempotencyKey(
  sql: Sql,
  ns: number,
  { key, fingerprint, at, expiresAt }: IdempotencyKey,
  ids: readonly number[],
): Promise<void> {
  // Expired keys are also deleted here, because a namespace without purges would never delete them.
  await removeExpiredKeys(sql, ns, at);
  const added = await sql.run(
    `INSERT INTO idempotency (ns, key, fingerprint, records, expires_at)
     VALUES (:ns, :key, :fingerprint, :records, :expiresAt) ON CONFLICT (ns, key) DO NOTHING`,
    { ns, key, fingerprint, records: JSON.stringify(ids), expiresAt },
  );
  if (added === 0)
    throw new LociError('conflict', `the idempotency key ${JSON.stringify(key)} was used already`);
}

async function removeExpiredKeys(sql: Sql, ns: number, at: number): Promise<void> {
  await sql.run('DELETE FROM idempotency WHERE ns = :ns AND expires_at <= :at', { ns, at });
}

/** Removes expired and long deleted records for ever. Within a transaction. Returns their number. */
export async function purge(driver: Driver, namespace: string, request: PurgeRequest): Promise<number> {
  const { sql } = driver;
  const { expiredBy, deletedBefore, limit, by } = request;
  return sql.transaction(async () => {
    const row = await requireNamespace(sql, namespace);
    const ns = row.id;
    const rows = await sql.all(
      `SELECT ${RECORD_COLUMNS}, r.chunking FROM record AS r
       WHERE r.ns = :ns AND r.id IN (
         SELECT id FROM record WHERE ns = :ns AND expires_at <= :expiredBy
         UNION SELECT id FROM record WHERE ns = :ns AND deleted_at < :deletedBefore)
       ORDER BY r.id LIMIT :limit`,
      { ns, expiredBy, deletedBefore, limit },
    );
    const stored = rows.map((each) => storedRecordOf(namespace, each));
    const plan = new RecordPlan(namespace, stored, row.nextRecord);
    for (const { record } of stored) plan.purge(record.id);
    await applyPlan(driver, row, plan, true);
    if (stored.length > 0) await eraseDiffs(sql, ns, new Set(stored.map(({ record }) => record.uuid)));
    const drafts = stored.map(({ record }): AuditDraft => {
      const action = record.deletedAt === null ? 'expire' : 'purge';
      return { ...by, action, subject: record.uuid, diff: null };
    });
    await appendAudit(sql, ns, drafts);
    await removeExpiredKeys(sql, ns, by.at);
    await changeItems(sql, ns, [{ forgetExpired: by.at }]);
    return stored.length;
  });
}
