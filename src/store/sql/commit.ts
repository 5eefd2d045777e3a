import { LociError } from '../../core/errors.ts';
import type { CommitBatch, IdempotencyKey, PurgeRequest } from '../model.ts';
import type { AuditDraft } from '../admin-model.ts';
import { assertSafeTimes } from '../rules/validation.ts';
import { appendAudit, eraseDiffs } from '../sqlite/admin/audit.ts';
import { addHistory, removeExpiredHistory } from '../sqlite/admin/history.ts';
import { checkFence } from '../sqlite/admin/leases.ts';
import { putConceptChanges } from '../sqlite/graph/concept-changes.ts';
import { putConcepts } from './graph/write-concepts.ts';
import { putGraph } from './graph/write.ts';
import { putGoldenQueries } from '../sqlite/receipts/golden-queries.ts';
import { putLabels } from '../sqlite/receipts/labels.ts';
import { RECORD_COLUMNS } from './rows.ts';
import { addHits, changeSourceState } from '../sqlite/records/source-states.ts';
import { putStartupDigest, putStartupEntries } from '../sqlite/records/startup.ts';
import { putBelongsTo } from './derived/belongs-to.ts';
import type { Driver } from './driver.ts';
import { lockNamespace, requireNamespace } from './namespace.ts';
import { RecordPlan } from './record-plan.ts';
import { applyPlan, commitRecords, storedRecordOf } from './records.ts';
import type { Sql } from './sql.ts';

/** Writes all of the batch or nothing. Returns the ids of the writes, then those of the imports. */
export async function commit(driver: Driver, namespace: string, batch: CommitBatch): Promise<number[]> {
  assertSafeTimes(batch);
  const { sql, text, db } = driver;
  return sql.transaction(async () => {
    if (batch.fence !== undefined) checkFence(db, namespace, batch.fence);
    const row =
      batch.chunked === undefined
        ? await lockNamespace(sql, text, namespace)
        : await requireNamespace(sql, namespace);
    const ns = row.id;
    const ids = await commitRecords(driver, namespace, row, batch);
    if (batch.idempotencyKey !== undefined) await putIdempotencyKey(sql, ns, batch.idempotencyKey, ids);
    if (batch.sourceState !== undefined) changeSourceState(db, ns, batch.sourceState);
    if (batch.hits !== undefined) addHits(db, ns, batch.hits);
    if (batch.startup !== undefined) putStartupEntries(db, ns, batch.startup);
    if (batch.startupDigest !== undefined) putStartupDigest(db, ns, batch.startupDigest);
    if (batch.history !== undefined) addHistory(db, ns, batch.history);
    if (batch.labels !== undefined) putLabels(db, ns, batch.labels);
    if (batch.goldenQueries !== undefined) putGoldenQueries(db, ns, batch.goldenQueries);
    if (batch.belongsTo !== undefined) await putBelongsTo(sql, ns, batch.belongsTo);
    if (batch.graph !== undefined) await putGraph(sql, ns, batch.graph);
    if (batch.conceptChanges !== undefined) putConceptChanges(db, ns, batch.conceptChanges);
    if (batch.concepts !== undefined) await putConcepts(sql, ns, batch.concepts);
    appendAudit(db, ns, batch.audit ?? []);
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
  const { sql, db } = driver;
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
    if (stored.length > 0) eraseDiffs(db, ns, new Set(stored.map(({ record }) => record.uuid)));
    const drafts = stored.map(({ record }): AuditDraft => {
      const action = record.deletedAt === null ? 'expire' : 'purge';
      return { ...by, action, subject: record.uuid, diff: null };
    });
    appendAudit(db, ns, drafts);
    await removeExpiredKeys(sql, ns, by.at);
    removeExpiredHistory(db, ns, by.at);
    return stored.length;
  });
}
