import type { Deletion, IdempotencyKey, PurgeRequest, Restoration } from '../../model.ts';
import { LociError } from '../../../core/errors.ts';
import type { LociRecord } from '../../../core/types.ts';
import type { AuditDraft } from '../../admin-model.ts';
import { appendAudit, eraseDiffs } from '../admin/audit.ts';
import { RecordChanges } from './changes.ts';
import type { Sql } from '../../sql/sql.ts';
import type { Database } from '../database/database.ts';
import { removeExpiredHistory } from '../admin/history.ts';
import { withSecureDelete } from '../database/namespaces.ts';
import { insertPassages, removePassages } from './passages.ts';
import { RECORD_COLUMNS, recordOf } from '../../sql/rows.ts';
import { countWords, mergeWords, pendingWordCounts } from '../text/vocabulary.ts';

/** Removes records from every index. The rows remain until they are purged. Within a transaction. */
export async function deleteRecords(
  db: Database,
  namespace: string,
  ns: number,
  deletions: readonly Deletion[],
  changes: RecordChanges,
): Promise<void> {
  if (deletions.length === 0) return;
  await withSecureDelete(db, ns, async () => {
    for (const deletion of deletions) deleteRecord(db, namespace, ns, deletion, changes);
  });
}

function deleteRecord(
  db: Database,
  namespace: string,
  ns: number,
  { id, at }: Deletion,
  changes: RecordChanges,
): void {
  const record = requireRecord(db, namespace, ns, id, 'live');
  removePassages(db, ns, id, record, changes.words);
  changes.add(id, 'deleted', record.key !== null);
  db.prepare('UPDATE record SET deleted_at = ?, chunking = NULL WHERE ns = ? AND id = ?').run(at, ns, id);
}

/** Within a transaction. */
export function restoreRecord(
  db: Database,
  namespace: string,
  ns: number,
  { id, at, passages }: Restoration,
  chunking: string | null,
  changes: RecordChanges,
): void {
  const record = requireRecord(db, namespace, ns, id, 'deleted');
  assertFactKeyIsFree(db, ns, record);
  // An older export still has the deletion. The restoration must be newer, also when the clock was set back.
  db.prepare(
    `UPDATE record SET updated_at = max(updated_at, deleted_at + 1, ?), deleted_at = NULL, chunking = ? WHERE ns = ? AND id = ?`,
  ).run(at, chunking, ns, id);
  insertPassages(db, ns, id, record, passages, changes.words);
  changes.add(id, 'written', record.key !== null);
}

function assertFactKeyIsFree(db: Database, ns: number, { origin, category, key }: LociRecord): void {
  if (origin !== 'fact') return;
  const taken = db
    .prepare(
      `SELECT id FROM record WHERE ns = ? AND category = ? AND key = ? AND origin = 'fact' AND deleted_at IS NULL`,
    )
    .get(ns, category, key);
  if (taken === undefined) return;
  throw new LociError('conflict', `record ${String(taken['id'])} already is ${key ?? ''}`);
}

function requireRecord(
  db: Database,
  namespace: string,
  ns: number,
  id: number,
  state: 'live' | 'deleted',
): LociRecord {
  const row = db.prepare(`SELECT ${RECORD_COLUMNS} FROM record AS r WHERE r.ns = ? AND r.id = ?`).get(ns, id);
  const record = row === undefined ? undefined : recordOf(namespace, row);
  if (record !== undefined && (record.deletedAt === null) === (state === 'live')) return record;
  throw new LociError('not_found', `no ${state} record ${String(id)} in namespace ${namespace}`);
}

export async function purge(
  db: Database,
  sql: Sql,
  namespace: string,
  ns: number,
  request: PurgeRequest,
): Promise<number> {
  const purged = await sql.transaction(() => purgeDue(db, sql, namespace, ns, request));
  if (purged > 0) db.truncateWal();
  return purged;
}

async function purgeDue(
  db: Database,
  sql: Sql,
  namespace: string,
  ns: number,
  request: PurgeRequest,
): Promise<number> {
  const rows = db
    .prepare(
      `SELECT ${RECORD_COLUMNS} FROM record AS r
       WHERE r.ns = ? AND r.id IN (
         SELECT id FROM record WHERE ns = ? AND expires_at <= ?
         UNION SELECT id FROM record WHERE ns = ? AND deleted_at < ?)
       ORDER BY r.id LIMIT ?`,
    )
    .all(ns, ns, request.expiredBy, ns, request.deletedBefore, request.limit);
  const records = rows.map((row) => recordOf(namespace, row, 'is empty'));
  if (records.length > 0)
    await withSecureDelete(db, ns, async () => {
      const changes = new RecordChanges();
      for (const record of records) purgeRecord(db, ns, record, changes);
      eraseDiffs(db, ns, new Set(records.map(({ uuid }) => uuid)));
      for (const [word, change] of pendingWordCounts(db, ns)) countWords(changes.words, [word], change);
      mergeWords(db, ns, changes.words);
      await changes.derive(db, sql, ns);
    });
  const drafts = records.map(({ uuid, deletedAt }): AuditDraft => {
    const action = deletedAt === null ? 'expire' : 'purge';
    return { ...request.by, action, subject: uuid, diff: null };
  });
  appendAudit(db, ns, drafts);
  db.prepare('DELETE FROM idempotency WHERE ns = ? AND expires_at <= ?').run(ns, request.by.at);
  removeExpiredHistory(db, ns, request.by.at);
  return rows.length;
}

function purgeRecord(db: Database, ns: number, record: LociRecord, changes: RecordChanges): void {
  removePassages(db, ns, record.id, record, changes.words);
  changes.add(record.id, 'removed', record.key !== null);
  db.prepare('DELETE FROM record WHERE ns = ? AND id = ?').run(ns, record.id);
}

/** Within a transaction. @throws LociError `conflict` for a key that was used already */
export function putIdempotencyKey(
  db: Database,
  ns: number,
  { key, fingerprint, at, expiresAt }: IdempotencyKey,
  records: readonly number[],
): void {
  const used = db
    .prepare('SELECT 1 FROM idempotency WHERE ns = ? AND key = ? AND expires_at > ?')
    .get(ns, key, at);
  if (used !== undefined) {
    throw new LociError('conflict', `the idempotency key ${JSON.stringify(key)} was used already`);
  }
  // Expired keys are also deleted here, because a namespace without purges would never delete them.
  db.prepare('DELETE FROM idempotency WHERE ns = ? AND expires_at <= ?').run(ns, at);
  db.prepare(
    'INSERT OR REPLACE INTO idempotency (ns, key, fingerprint, records, expires_at) VALUES (?, ?, ?, ?, ?)',
  ).run(ns, key, fingerprint, JSON.stringify(records), expiresAt);
}
