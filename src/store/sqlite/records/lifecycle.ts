import { parseJson } from '../../../core/json.ts';
import { storedJson } from '../../sql/stored-json.ts';
import type { BelongsToPass } from '../../belongs-to-model.ts';
import type {
  Deletion,
  IdempotencyKey,
  IdempotentResult,
  PurgeRequest,
  RecordBounds,
  RecordState,
  Restoration,
} from '../../model.ts';
import { LociError } from '../../../core/errors.ts';
import type { LociRecord, Timestamp } from '../../../core/types.ts';
import type { AuditDraft } from '../../admin-model.ts';
import { RecordChanges } from './changes.ts';
import { appendAudit, eraseDiffs } from '../../sql/admin/audit.ts';
import { changeItems } from '../../sql/item.ts';
import type { Sql } from '../../sql/sql.ts';
import type { Database } from '../database/database.ts';
import { withSecureDelete } from '../database/namespaces.ts';
import { insertPassages, removePassages } from './passages.ts';
import { RECORD_COLUMNS, recordOf } from './rows.ts';
import { countWords, mergeWords, pendingWordCounts } from '../search/vocabulary.ts';

const LIVE = 'r.deleted_at IS NULL AND (r.expires_at IS NULL OR r.expires_at > ?)';

export function recordsInState(
  db: Database,
  namespace: string,
  ns: number,
  ids: readonly number[],
  state: RecordState,
): LociRecord[] {
  const [condition, parameters] = state === 'any' ? ['', []] : [`AND ${LIVE}`, [state.liveAt]];
  const select = db.prepare(
    `SELECT ${RECORD_COLUMNS} FROM record AS r WHERE r.ns = ? AND r.id = ? ${condition}`,
  );
  return ids.flatMap((id) => {
    const row = select.get(ns, id, ...parameters);
    return row === undefined ? [] : [recordOf(namespace, row, state === 'any' ? 'fails' : state.damaged)];
  });
}

export function bounds(db: Database, ns: number): RecordBounds {
  const earliest = (column: 'expires_at' | 'deleted_at', table: 'record' | 'item'): number | null => {
    const select = db.prepare(
      `SELECT min(${column}) AS at FROM ${table} WHERE ns = ? AND ${column} IS NOT NULL`,
    );
    return (select.get(ns)?.['at'] ?? null) as number | null;
  };
  const row = db
    .prepare(
      `SELECT next_record - 1 AS id, last_change, belongs_to_change, belongs_to_excluded, belongs_to_pass
       FROM namespace WHERE id = ?`,
    )
    .get(ns);
  return {
    highestId: Number(row?.['id'] ?? 0),
    nextExpiry: earliest('expires_at', 'record'),
    oldestDeletion: earliest('deleted_at', 'record'),
    nextHistoryExpiry: earliest('expires_at', 'item'),
    lastChange: Number(row?.['last_change'] ?? 0),
    belongsTo: {
      upTo: Number(row?.['belongs_to_change'] ?? 0),
      // What cannot be read is derived again.
      excludedSources: (parseJson(String(row?.['belongs_to_excluded'] ?? '[]')) ?? []) as string[],
      pass: (parseJson(String(row?.['belongs_to_pass'] ?? 'null')) ?? null) as BelongsToPass | null,
    },
  };
}

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
  const [record] = recordsInState(db, namespace, ns, [id], 'any');
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
      await eraseDiffs(sql, ns, new Set(records.map(({ uuid }) => uuid)));
      for (const [word, change] of pendingWordCounts(db, ns)) countWords(changes.words, [word], change);
      mergeWords(db, ns, changes.words);
      await changes.derive(db, sql, ns);
    });
  const drafts = records.map(({ uuid, deletedAt }): AuditDraft => {
    const action = deletedAt === null ? 'expire' : 'purge';
    return { ...request.by, action, subject: uuid, diff: null };
  });
  await appendAudit(sql, ns, drafts);
  db.prepare('DELETE FROM idempotency WHERE ns = ? AND expires_at <= ?').run(ns, request.by.at);
  await changeItems(sql, ns, [{ forgetExpired: request.by.at }]);
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
  if (findIdempotentResult(db, ns, key, at) !== null) {
    throw new LociError('conflict', `the idempotency key ${JSON.stringify(key)} was used already`);
  }
  // Expired keys are also deleted here, because a namespace without purges would never delete them.
  db.prepare('DELETE FROM idempotency WHERE ns = ? AND expires_at <= ?').run(ns, at);
  db.prepare(
    'INSERT OR REPLACE INTO idempotency (ns, key, fingerprint, records, expires_at) VALUES (?, ?, ?, ?, ?)',
  ).run(ns, key, fingerprint, JSON.stringify(records), expiresAt);
}

export function findIdempotentResult(
  db: Database,
  ns: number,
  key: string,
  now: Timestamp,
): IdempotentResult | null {
  const row = db
    .prepare('SELECT fingerprint, records FROM idempotency WHERE ns = ? AND key = ? AND expires_at > ?')
    .get(ns, key, now);
  if (row === undefined) return null;
  return {
    fingerprint: row['fingerprint'] as string,
    records: storedJson(row['records'], () => 'the answer for an idempotency key') as number[],
  };
}
