import { LociError } from '../../../core/errors.ts';
import { storedTime } from '../../../core/time/whole-day.ts';
import type { LociRecord, Timestamp } from '../../../core/types.ts';
import { sameFields } from '../../lexical/text-fields.ts';
import type { CommitBatch, RecordDraft, RecordImport, RecordWrite } from '../../model.ts';
import { isSourced } from '../../rules/filter.ts';
import { assertRecordState, assertSafeTimes, assertUnchanged } from '../../rules/validation.ts';
import { wellFormed } from '../../rules/well-formed.ts';
import { appendAudit } from '../admin/audit.ts';
import { RecordChanges } from './changes.ts';
import type { Sql } from '../../sql/sql.ts';
import type { Database } from '../database/database.ts';
import { addHistory } from '../admin/history.ts';
import { checkFence } from '../admin/leases.ts';
import { deleteRecords, putIdempotencyKey, restoreRecord } from './lifecycle.ts';
import { bumpEpoch, ensureNamespace } from '../database/namespaces.ts';
import { insertPassages, reindexPassages, removePassages } from './passages.ts';
import { RECORD_COLUMNS, recordOf } from '../../sql/rows.ts';
import { putConceptChanges, putConcepts } from '../graph/write-concepts.ts';
import { putGraph } from '../graph/write.ts';
import { putBelongsTo } from './belongs-to.ts';
import { putGoldenQueries } from '../receipts/golden-queries.ts';
import { putLabels } from '../receipts/labels.ts';
import { addHits, changeSourceState } from './source-states.ts';
import { putStartupDigest, putStartupEntries } from './startup.ts';
import { addWordChanges } from '../text/vocabulary.ts';

export async function commit(
  db: Database,
  sql: Sql,
  namespace: string,
  batch: CommitBatch,
): Promise<number[]> {
  assertSafeTimes(batch);
  return sql.transaction(async () => {
    if (batch.fence !== undefined) checkFence(db, namespace, batch.fence);
    const ns = ensureNamespace(db, namespace);
    const ids = await commitRecords(db, sql, namespace, ns, batch);
    if (batch.idempotencyKey !== undefined) putIdempotencyKey(db, ns, batch.idempotencyKey, ids);
    if (batch.sourceState !== undefined) changeSourceState(db, ns, batch.sourceState);
    if (batch.hits !== undefined) addHits(db, ns, batch.hits);
    if (batch.startup !== undefined) putStartupEntries(db, ns, batch.startup);
    if (batch.startupDigest !== undefined) putStartupDigest(db, ns, batch.startupDigest);
    if (batch.history !== undefined) addHistory(db, ns, batch.history);
    if (batch.labels !== undefined) putLabels(db, ns, batch.labels);
    if (batch.goldenQueries !== undefined) putGoldenQueries(db, ns, batch.goldenQueries);
    if (batch.belongsTo !== undefined) putBelongsTo(db, ns, batch.belongsTo);
    if (batch.graph !== undefined) putGraph(db, ns, batch.graph);
    if (batch.conceptChanges !== undefined) putConceptChanges(db, ns, batch.conceptChanges);
    if (batch.concepts !== undefined) putConcepts(db, ns, batch.concepts);
    appendAudit(db, ns, batch.audit ?? []);
    return ids;
  });
}

async function commitRecords(
  db: Database,
  sql: Sql,
  namespace: string,
  ns: number,
  batch: CommitBatch,
): Promise<number[]> {
  const { evictions = [], deletions = [], writes = [], restorations = [], imports = [] } = batch;
  const { chunking = null } = batch;
  const changes = new RecordChanges();
  for (const id of evictions) evict(db, namespace, ns, id, changes);
  await deleteRecords(db, namespace, ns, deletions, changes);
  const ids = writes.map((write) => writeRecord(db, namespace, ns, wellFormed(write), chunking, changes));
  for (const restoration of restorations) restoreRecord(db, namespace, ns, restoration, chunking, changes);
  for (const each of imports) ids.push(importRecord(db, namespace, ns, wellFormed(each), chunking, changes));
  addWordChanges(db, ns, changes.words);
  await changes.derive(db, sql, ns);
  return ids;
}

function writeRecord(
  db: Database,
  namespace: string,
  ns: number,
  write: RecordWrite,
  chunking: string | null,
  changes: RecordChanges,
): number {
  assertIdentityIsFree(db, ns, write);
  if (write.id === null) {
    if (write.passages === 'keep')
      throw new LociError('invalid_input', 'a new record has no passages to keep');
    const id = nextId(db, ns);
    insertRow(db, ns, id, write.draft, chunking);
    insertPassages(db, ns, id, write.draft, write.passages, changes.words);
    changes.add(id, 'written', write.draft.key !== null);
    return id;
  }
  const before = requireAnyRecord(db, namespace, ns, write.id);
  assertUnchanged(before, write);
  changes.add(write.id, 'written', before.key !== null || write.draft.key !== null);
  updateRow(db, ns, write.id, write.draft);
  if (write.passages !== 'keep') {
    removePassages(db, ns, write.id, before, changes.words);
    insertPassages(db, ns, write.id, write.draft, write.passages, changes.words);
    db.prepare('UPDATE record SET chunking = ? WHERE ns = ? AND id = ?').run(chunking, ns, write.id);
  } else if (!sameFields(before, write.draft)) {
    reindexPassages(db, ns, write.id, before, write.draft, changes.words);
  }
  return write.id;
}

function importRecord(
  db: Database,
  namespace: string,
  ns: number,
  imported: RecordImport,
  chunking: string | null,
  changes: RecordChanges,
): number {
  const { replaces, draft, deletedAt } = imported;
  const isLive = deletedAt === null;
  const write = { id: replaces, draft, passages: isLive ? imported.passages : [] };
  assertIdentityIsFree(db, ns, write, isLive);
  const id = replaces ?? nextId(db, ns, imported.preferredId);
  const setState = db.prepare('UPDATE record SET deleted_at = ?, chunking = ? WHERE ns = ? AND id = ?');
  if (replaces === null) insertRow(db, ns, id, write.draft, chunking, deletedAt);
  else {
    const before = requireAnyRecord(db, namespace, ns, id);
    assertRecordState(before, imported);
    if (before.deletedAt === null) removePassages(db, ns, id, before, changes.words);
    // The state is set before the key, because the unique index allows a deleted fact to have the key of a live one.
    setState.run(deletedAt ?? before.deletedAt, null, ns, id);
    updateRow(db, ns, id, write.draft);
  }
  setState.run(deletedAt, isLive ? chunking : null, ns, id);
  // The replaced record may have had a key.
  changes.add(id, isLive ? 'written' : 'deleted', replaces !== null || draft.key !== null);
  if (isLive) insertPassages(db, ns, id, draft, imported.passages, changes.words);
  return id;
}

/** Throws an error that names the conflicting record. Otherwise a unique index would fail with SQLite's message. */
function assertIdentityIsFree(db: Database, ns: number, write: RecordWrite, isLive = true): void {
  const { uuid, origin, source, category } = write.draft;
  // Another fact may use the key of a deleted fact.
  const key = origin === 'fact' && !isLive ? null : write.draft.key;
  const [sameKey, scope] =
    origin === 'fact'
      ? ["origin = 'fact' AND category = ? AND deleted_at IS NULL", category]
      : ["origin <> 'fact' AND source = ?", source];
  const taken = db
    .prepare(`SELECT id FROM record WHERE ns = ? AND (uuid = ? OR (${sameKey} AND key = ?))`)
    .all(ns, uuid, scope, key)
    .find((row) => row['id'] !== write.id);
  if (taken === undefined) return;
  throw new LociError(
    'conflict',
    `record ${String(taken['id'])} already is ${key === null ? uuid : `${source}:${key}`}`,
  );
}

/** Two statements, because RETURNING would open a savepoint for each record, at which FTS5 flushes its pending terms. */
function nextId(db: Database, ns: number, preferred: number | null = null): number {
  const row = db.prepare('SELECT next_record AS id FROM namespace WHERE id = ?').get(ns);
  const id = Math.max(Number(row?.['id']), preferred ?? 0);
  db.prepare('UPDATE namespace SET next_record = ? WHERE id = ?').run(id + 1, ns);
  return id;
}

function columnsOf(draft: RecordDraft): (string | number | null)[] {
  return [
    draft.uuid,
    draft.project,
    draft.origin,
    draft.source,
    draft.trust,
    draft.key,
    draft.identity,
    draft.category,
    draft.recordType,
    draft.title,
    JSON.stringify(draft.tags),
    draft.content,
    JSON.stringify(draft.metadata),
    storedTime(draft),
    draft.updatedAt,
    draft.expiresAt,
    draft.contentHash,
    draft.revision,
  ];
}

function insertRow(
  db: Database,
  ns: number,
  id: number,
  draft: RecordDraft,
  chunking: string | null,
  deletedAt: Timestamp | null = null,
): void {
  db.prepare(
    `INSERT INTO record (ns, id, chunking, deleted_at, uuid, project, origin, source, trust, key, identity, category,
       record_type, title, tags, content, metadata, created_at, updated_at, expires_at, content_hash, revision)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(ns, id, chunking, deletedAt, ...columnsOf(draft));
}

function updateRow(db: Database, ns: number, id: number, draft: RecordDraft): void {
  bumpEpoch(db, ns);
  db.prepare(
    `UPDATE record SET uuid = ?, project = ?, origin = ?, source = ?, trust = ?, key = ?, identity = ?, category = ?,
       record_type = ?, title = ?, tags = ?, content = ?, metadata = ?, created_at = ?, updated_at = ?,
       expires_at = ?, content_hash = ?, revision = ? WHERE ns = ? AND id = ?`,
  ).run(...columnsOf(draft), ns, id);
}

function requireAnyRecord(db: Database, namespace: string, ns: number, id: number): LociRecord {
  const row = db.prepare(`SELECT ${RECORD_COLUMNS} FROM record AS r WHERE ns = ? AND id = ?`).get(ns, id);
  if (row === undefined)
    throw new LociError('not_found', `no record ${String(id)} in namespace ${namespace}`);
  // Its damaged parts are replaced, or removed with it.
  return recordOf(namespace, row, 'is empty');
}

function evict(db: Database, namespace: string, ns: number, id: number, changes: RecordChanges): void {
  const record = requireAnyRecord(db, namespace, ns, id);
  if (!isSourced(record)) {
    throw new LociError(
      'invalid_input',
      `record ${String(id)} is ${record.origin}: only documents of a source can be evicted`,
    );
  }
  changes.add(id, 'removed', record.key !== null);
  removePassages(db, ns, id, record, changes.words);
  db.prepare('DELETE FROM record WHERE ns = ? AND id = ?').run(ns, id);
}
