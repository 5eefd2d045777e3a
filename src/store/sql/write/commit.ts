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
import { assertFree, changeItems, type ItemsBefore, itemsBefore, writeItems } from '../item.ts';
import { lockExisting, lockNamespace, type NamespaceRow, updateState } from '../namespace.ts';
import { atOnce, findNamespace } from '../sql.ts';
import { assertWithinQuota, putLimits } from '../quota.ts';
import { derivedState } from './derived-state.ts';
import { RecordPlan } from './record-plan.ts';
import { applyPlan, commitRecords, storedRecordOf, type StoredState, storedState } from './records.ts';

/** Writes all of the batch or nothing. Returns the ids of the writes, then those of the imports, or of what it purged. */
export async function commit(
  driver: Driver,
  namespace: string,
  batch: CommitBatch | Purge,
): Promise<number[]> {
  if ('purge' in batch) return purge(driver, namespace, batch);
  assertSafeTimes(batch);
  const { sql } = driver;
  return sql.transaction(async () => {
    const known = await findNamespace(sql, namespace);
    const { row, stored, items } = await lockAndRead(driver, namespace, known, batch);
    const ns = row.id;
    const { ids, columns, counts } = await commitRecords(driver, namespace, row, batch, stored);
    const audit = await appendAudit(sql, row, batch.audit ?? []);
    const key = batch.idempotencyKey;
    const changes = [...(key === undefined ? [] : [idempotencyPut(key, ids)]), ...(batch.items ?? [])];
    // Expired keys are removed first, because one may be used again.
    if (key !== undefined) await changeItems(sql, ns, [{ forgetExpired: key.at }]);
    await writeItems(sql, ns, changes, items, audit.unseen);
    const { adminItems } = batch;
    if (adminItems !== undefined)
      await sql.inNamespace(ADMIN_NAMESPACE, async () => {
        const admin = await lockNamespace(sql, driver.text, ADMIN_NAMESPACE);
        await changeItems(sql, admin.id, adminItems);
      });
    const belongsTo = batch.belongsTo === undefined ? {} : await putBelongsTo(sql, ns, batch.belongsTo);
    if (batch.graph !== undefined) await putGraph(sql, ns, batch.graph);
    if (batch.concepts !== undefined) await putConcepts(sql, ns, batch.concepts);
    await updateState(sql, ns, { ...columns, ...belongsTo, ...audit.state }, counts);
    if (batch.attachedAudit !== undefined) await attachAudit(sql, ns, batch.attachedAudit);
    if (batch.quota !== undefined) await putLimits(sql, ns, batch.quota);
    await assertWithinQuota(sql, ns, row.quota);
    return [...ids];
  });
}

interface Locked {
  readonly row: NamespaceRow;
  readonly stored: StoredState;
  readonly items: ItemsBefore;
}

/** Locks the namespace, and reads all that the batch needs to know of it: in one round trip, if its id is known. */
async function lockAndRead(
  { sql, text }: Driver,
  namespace: string,
  known: number | null,
  batch: CommitBatch,
): Promise<Locked> {
  const { fence, idempotencyKey: key } = batch;
  const changes = [...(key === undefined ? [] : [idempotencyPut(key, [])]), ...(batch.items ?? [])];
  const read = (ns: number): Promise<[StoredState, ItemsBefore]> =>
    atOnce(sql, [() => storedState(sql, namespace, ns, batch), () => itemsBefore(sql, ns, changes, key?.at)]);
  const [, row, early] = await atOnce(sql, [
    async () => (fence === undefined ? undefined : checkFence(sql, namespace, fence)),
    () =>
      batch.chunked === undefined
        ? lockNamespace(sql, text, namespace, known)
        : lockExisting(sql, namespace, known),
    async () => (known === null ? null : read(known)),
  ]);
  if (row === null) throw new LociError('not_found', `no namespace ${namespace}`);
  const [stored, items] = early !== null && row.id === known ? early : await read(row.id);
  // Else a request that is repeated might fail because of what it has changed before.
  if (key !== undefined) assertFree({ kind: 'idempotency', key: key.key }, items);
  return { row, stored, items };
}

/** Removes expired and long deleted records for ever. Returns their ids. */
async function purge(driver: Driver, namespace: string, { purge: request }: Purge): Promise<number[]> {
  const { sql, storage } = driver;
  const { expiredBy, deletedBefore, limit, by } = request;
  const purged = await sql.transaction(async () => {
    const known = await findNamespace(sql, namespace);
    const row = await lockExisting(sql, namespace, known);
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
    const derived = await derivedState(sql, ns, stored.map(({ record }) => record.id)); // prettier-ignore
    const { columns, counts } = await applyPlan(driver, row, plan, derived, true);
    if (stored.length > 0) await eraseDiffs(sql, ns, new Set(stored.map(({ record }) => record.uuid)));
    const drafts = stored.map(({ record }): AuditDraft => {
      const action = record.deletedAt === null ? 'expire' : 'purge';
      return { ...by, action, subject: record.uuid, diff: null };
    });
    const audit = await appendAudit(sql, row, drafts);
    await changeItems(sql, ns, [{ forgetExpired: by.at }]);
    await updateState(sql, ns, { ...columns, ...audit.state }, counts);
    return stored.map(({ record }) => record.id);
  });
  if (purged.length > 0) await storage.reclaim();
  return purged;
}
