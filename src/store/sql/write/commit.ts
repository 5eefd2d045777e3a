import { LociError } from '../../../core/errors.ts';
import type { CommitBatch, Purge } from '../../model.ts';
import type { AuditDraft } from '../../admin-model.ts';
import { idempotencyPut } from '../../items/kinds.ts';
import { ADMIN_NAMESPACE } from '../../rules/admin-namespace.ts';
import { assertSafeTimes } from '../../rules/validation.ts';
import { putBelongsTo, putConcepts, putGraph } from '../graph/write.ts';
import { RECORD_COLUMNS } from '../rows.ts';
import { appendAudit, attachAudit, eraseDiffs } from '../admin/audit.ts';
import { checkFence } from '../admin/leases.ts';
import type { Driver } from '../driver.ts';
import { changeItems } from '../item.ts';
import { lockExisting, lockNamespace } from '../namespace.ts';
import { assertWithinQuota, putLimits } from '../quota.ts';
import { RecordPlan } from './record-plan.ts';
import { applyPlan, commitRecords, storedRecordOf } from './records.ts';

/** Writes all of the batch or nothing. Returns the ids of the writes, then those of the imports, or of what it purged. */
export async function commit(
  driver: Driver,
  namespace: string,
  batch: CommitBatch | Purge,
): Promise<number[]> {
  if ('purge' in batch) return purge(driver, namespace, batch);
  assertSafeTimes(batch);
  const { sql, text } = driver;
  return sql.transaction(async () => {
    if (batch.fence !== undefined) await checkFence(sql, namespace, batch.fence);
    const row =
      batch.chunked === undefined
        ? await lockNamespace(sql, text, namespace)
        : await lockExisting(sql, namespace);
    if (row === null) throw new LociError('not_found', `no namespace ${namespace}`);
    const ns = row.id;
    const ids = await commitRecords(driver, namespace, row, batch);
    if (batch.idempotencyKey !== undefined) {
      // Expired keys are removed first, because one may be used again.
      await changeItems(sql, ns, [{ forgetExpired: batch.idempotencyKey.at }]);
      await changeItems(sql, ns, [idempotencyPut(batch.idempotencyKey, ids)]);
    }
    if (batch.items !== undefined) await changeItems(sql, ns, batch.items);
    const { adminItems } = batch;
    if (adminItems !== undefined)
      await sql.inNamespace(ADMIN_NAMESPACE, async () => {
        const admin = await lockNamespace(sql, text, ADMIN_NAMESPACE);
        await changeItems(sql, admin.id, adminItems);
      });
    if (batch.belongsTo !== undefined) await putBelongsTo(sql, ns, batch.belongsTo);
    if (batch.graph !== undefined) await putGraph(sql, ns, batch.graph);
    if (batch.concepts !== undefined) await putConcepts(sql, ns, batch.concepts);
    await appendAudit(sql, row, batch.audit ?? []);
    if (batch.attachedAudit !== undefined) await attachAudit(sql, ns, batch.attachedAudit);
    if (batch.quota !== undefined) await putLimits(sql, ns, batch.quota);
    await assertWithinQuota(sql, ns, row.quota);
    return ids;
  });
}

/** Removes expired and long deleted records for ever. Returns their ids. */
async function purge(driver: Driver, namespace: string, { purge: request }: Purge): Promise<number[]> {
  const { sql, storage } = driver;
  const { expiredBy, deletedBefore, limit, by } = request;
  const purged = await sql.transaction(async () => {
    const row = await lockExisting(sql, namespace);
    if (row === null) return [];
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
    await appendAudit(sql, row, drafts);
    await changeItems(sql, ns, [{ forgetExpired: by.at }]);
    return stored.map(({ record }) => record.id);
  });
  if (purged.length > 0) await storage.reclaim();
  return purged;
}
