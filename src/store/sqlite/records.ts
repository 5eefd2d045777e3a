import { LociError } from '../../core/errors.ts';
import type { LociRecord, Timestamp } from '../../core/types.ts';
import { isSourced } from '../admits.ts';
import { assertSafeTimes } from '../record-times.ts';
import type { Page } from '../page.ts';
import type { RecordImport } from '../portability.ts';
import type { CommitBatch, RecordDraft, RecordWrite, SourceEntry } from '../store.ts';
import { sameFields } from '../lexical/text-fields.ts';
import { wellFormed } from '../well-formed.ts';
import { assertUnchanged, assertRecordState } from '../record-states.ts';
import { appendAudit } from './audit.ts';
import type { Database } from './database.ts';
import { holdFence } from './leases.ts';
import { deleteRecords, noteOnce, restoreRecord } from './mortality.ts';
import { ensureNamespace, bumpEpoch } from './namespaces.ts';
import { insertPassages, reindexPassages, removePassages } from './passages.ts';
import { RECORD_COLUMNS, recordOf } from './rows.ts';
import { writeSourceState } from './source-states.ts';
import { noteWords, type WordCounts } from './vocabulary.ts';

const LIVE = 'r.deleted_at IS NULL AND (r.expires_at IS NULL OR r.expires_at > ?)';

export function commit(db: Database, namespace: string, batch: CommitBatch): number[] {
  assertSafeTimes(batch);
  return db.transaction(() => {
    if (batch.fence !== undefined) holdFence(db, batch.fence);
    const ns = ensureNamespace(db, namespace);
    const counts: WordCounts = new Map();
    for (const id of batch.evictions) evict(db, namespace, ns, id, counts);
    const writes = batch.writes.map(wellFormed);
    deleteRecords(db, namespace, ns, batch.deletions ?? [], counts);
    const ids = writes.map((write) => writeRecord(db, namespace, ns, write, batch.chunking, counts));
    for (const restoration of batch.restorations ?? [])
      restoreRecord(db, namespace, ns, restoration, batch.chunking, counts);
    for (const given of (batch.imports ?? []).map(wellFormed))
      ids.push(importRecord(db, namespace, ns, given, batch.chunking, counts));
    noteWords(db, ns, counts);
    if (batch.once !== undefined) noteOnce(db, ns, batch.once, ids);
    if (batch.sourceState !== undefined)
      writeSourceState(db, ns, batch.sourceState.source, batch.sourceState.change);
    appendAudit(db, ns, batch.audit ?? []);
    return ids;
  });
}

function writeRecord(
  db: Database,
  namespace: string,
  ns: number,
  write: RecordWrite,
  chunking: string,
  counts: WordCounts,
): number {
  refuseTakenIdentity(db, ns, write);
  if (write.id === null) {
    if (write.passages === 'keep')
      throw new LociError('invalid_input', 'a new record has no passages to keep');
    const id = nextId(db, ns);
    insertRow(db, ns, id, write.draft, chunking);
    insertPassages(db, ns, id, write.draft, write.passages, counts);
    return id;
  }
  const before = existing(db, namespace, ns, write.id);
  assertUnchanged(before, write);
  updateRow(db, ns, write.id, write.draft);
  if (write.passages !== 'keep') {
    removePassages(db, ns, write.id, before, counts);
    insertPassages(db, ns, write.id, write.draft, write.passages, counts);
    db.prepare('UPDATE record SET chunking = ? WHERE ns = ? AND id = ?').run(chunking, ns, write.id);
  } else if (!sameFields(before, write.draft)) {
    reindexPassages(db, ns, write.id, before, write.draft, counts);
  }
  return write.id;
}

function importRecord(
  db: Database,
  namespace: string,
  ns: number,
  given: RecordImport,
  chunking: string,
  counts: WordCounts,
): number {
  const { replaces, draft, deletedAt } = given;
  const isLive = deletedAt === null;
  const write = { id: replaces, draft, passages: isLive ? given.passages : [] };
  refuseTakenIdentity(db, ns, write, isLive);
  const id = replaces ?? nextId(db, ns, given.wanted);
  const mark = db.prepare('UPDATE record SET deleted_at = ?, chunking = ? WHERE ns = ? AND id = ?');
  if (replaces === null) insertRow(db, ns, id, write.draft, chunking, deletedAt);
  else {
    const before = existing(db, namespace, ns, id);
    assertRecordState(before, given);
    if (before.deletedAt === null) removePassages(db, ns, id, before, counts);
    // While it is deleted, what is live may have its key.
    mark.run(deletedAt ?? before.deletedAt, null, ns, id);
    updateRow(db, ns, id, write.draft);
  }
  mark.run(deletedAt, isLive ? chunking : null, ns, id);
  if (isLive) insertPassages(db, ns, id, draft, given.passages, counts);
  return id;
}

/** Said before anything is written, in words; the unique indexes are the second lock. */
function refuseTakenIdentity(db: Database, ns: number, write: RecordWrite, isLive = true): void {
  const { uuid, origin, source, category } = write.draft;
  // The key of a deleted fact is free.
  const key = origin === 'fact' && !isLive ? null : write.draft.key;
  const [same, place] =
    origin === 'fact'
      ? ["origin = 'fact' AND category = ? AND deleted_at IS NULL", category]
      : ["origin <> 'fact' AND source = ?", source];
  const taken = db
    .prepare(`SELECT id FROM record WHERE ns = ? AND (uuid = ? OR (${same} AND key = ?))`)
    .all(ns, uuid, place, key)
    .find((row) => row['id'] !== write.id);
  if (taken === undefined) return;
  throw new LociError(
    'conflict',
    `record ${String(taken['id'])} already is ${key === null ? uuid : `${source}:${key}`}`,
  );
}

/** Two statements: one with RETURNING opens a savepoint, at which FTS5 writes out what it holds, record by record. */
function nextId(db: Database, ns: number, wanted: number | null = null): number {
  const row = db.prepare('SELECT next_record AS id FROM namespace WHERE id = ?').get(ns);
  const id = Math.max(Number(row?.['id']), wanted ?? 0);
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
    draft.createdAt,
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
  chunking: string,
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

function existing(db: Database, namespace: string, ns: number, id: number): LociRecord {
  const row = db.prepare(`SELECT ${RECORD_COLUMNS} FROM record AS r WHERE ns = ? AND id = ?`).get(ns, id);
  if (row === undefined)
    throw new LociError('not_found', `no record ${String(id)} in namespace ${namespace}`);
  return recordOf(namespace, row);
}

function evict(db: Database, namespace: string, ns: number, id: number, counts: WordCounts): void {
  const record = existing(db, namespace, ns, id);
  if (!isSourced(record)) {
    throw new LociError(
      'invalid_input',
      `record ${String(id)} is ${record.origin}: only what a source brought can go`,
    );
  }
  removePassages(db, ns, id, record, counts);
  db.prepare('DELETE FROM record WHERE ns = ? AND id = ?').run(ns, id);
}

export function records(
  db: Database,
  namespace: string,
  ns: number,
  ids: readonly number[],
  now: Timestamp,
): LociRecord[] {
  const select = db.prepare(
    `SELECT ${RECORD_COLUMNS} FROM record AS r WHERE r.ns = ? AND r.id = ? AND ${LIVE}`,
  );
  return ids.flatMap((id) => {
    const row = select.get(ns, id, now);
    return row === undefined ? [] : [recordOf(namespace, row)];
  });
}

export function recordsByKey(
  db: Database,
  namespace: string,
  ns: number,
  key: string,
  now: Timestamp,
): LociRecord[] {
  return db
    .prepare(
      `SELECT ${RECORD_COLUMNS} FROM record AS r
       WHERE r.ns = ? AND r.key = ? AND r.origin = 'vault' AND ${LIVE} ORDER BY r.source`,
    )
    .all(ns, key, now)
    .map((row) => recordOf(namespace, row));
}

export function countByKey(db: Database, ns: number, keys: readonly string[], now: Timestamp): number[] {
  const count = db.prepare(
    `SELECT count(*) AS n FROM record AS r WHERE r.ns = ? AND r.key = ? AND r.origin = 'vault' AND ${LIVE}`,
  );
  return keys.map((key) => Number(count.get(ns, key, now)?.['n']));
}

export function sourceEntries(db: Database, ns: number, source: string, page: Page<string>): SourceEntry[] {
  // Every key is at or behind the empty one.
  const behind = page.after === null ? '>=' : '>';
  return db
    .prepare(
      `SELECT id, key, identity, revision, content_hash FROM record
       WHERE ns = ? AND source = ? AND origin IN ('vault', 'source') AND key ${behind} ? AND deleted_at IS NULL
       ORDER BY key LIMIT ?`,
    )
    .all(ns, source, page.after ?? '', page.limit)
    .map((row) => ({
      id: row['id'] as number,
      key: row['key'] as string,
      identity: row['identity'] as string | null,
      revision: row['revision'] as string | null,
      contentHash: row['content_hash'] as string,
    }));
}
