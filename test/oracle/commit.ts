import { isDeepStrictEqual } from 'node:util';
import { LociError } from '../../src/core/errors.ts';
import type { LociRecord, Passage } from '../../src/core/types.ts';
import { indexPassage } from '../../src/store/lexical/text-fields.ts';
import type {
  ChunkedRecord,
  CommitBatch,
  PurgeRequest,
  RecordDraft,
  RecordIdentity,
  RecordImport,
  RecordWrite,
} from '../../src/store/model.ts';
import { isSourced } from '../../src/store/rules/filter.ts';
import { isUnchangedSinceChunking } from '../../src/store/rules/record-page.ts';
import {
  assertRecordState,
  assertSafeTimes,
  assertUnchanged,
  wellFormed,
} from '../../src/store/rules/validation.ts';
import {
  type Namespace,
  noteChange,
  type OracleRecord,
  type OracleState,
  passagesOf,
  recordsOf,
  setPassages,
} from './state.ts';

type NextPassage = () => number;

/** Applies the parts of a batch that concern records; the others change nothing that the oracle can read. */
export function commit(state: OracleState, name: string, batch: CommitBatch): number[] {
  assertSafeTimes(batch);
  if (batch.chunked !== undefined && !state.isWritten(name))
    throw new LociError('not_found', `no namespace ${name}`);
  return state.change(name, (namespace, nextPassage) => {
    const { idempotencyKey } = batch;
    if (idempotencyKey !== undefined) {
      const { key, at } = idempotencyKey;
      const used = namespace.idempotent.get(key);
      if (used !== undefined && used.expiresAt > at) throw new LociError('conflict', `${key} was used`);
      removeExpiredKeys(namespace, at);
    }
    const ids = commitRecords(namespace, wellFormed(batch), nextPassage);
    if (idempotencyKey !== undefined)
      namespace.idempotent.set(idempotencyKey.key, { ...idempotencyKey, records: ids });
    return ids;
  });
}

function commitRecords(namespace: Namespace, batch: CommitBatch, nextPassage: NextPassage): number[] {
  const { chunking = null } = batch;
  for (const id of batch.evictions ?? []) {
    const { record } = existingRecord(namespace, id);
    if (!isSourced(record)) throw new LociError('invalid_input', `record ${String(id)} comes from no source`);
    removeRecord(namespace, record, nextPassage);
  }
  for (const { id, at } of batch.deletions ?? []) {
    const record = recordInState(namespace, id, 'live');
    put(namespace, { ...record, deletedAt: at }, null, [], nextPassage);
  }
  const ids = (batch.writes ?? []).map((write) => writeRecord(namespace, write, chunking, nextPassage));
  for (const { id, at, passages } of batch.restorations ?? []) {
    const record = recordInState(namespace, id, 'deleted');
    const isTaken = recordsOf(namespace).some(
      (other) => record.origin === 'fact' && other.deletedAt === null && hasSameKey(other, record),
    );
    if (isTaken) throw new LociError('conflict', `record ${String(id)} has a key that is taken`);
    const updatedAt = Math.max(record.updatedAt, (record.deletedAt ?? 0) + 1, at);
    put(namespace, { ...record, updatedAt, deletedAt: null }, chunking, passages, nextPassage);
  }
  for (const each of batch.imports ?? []) ids.push(importRecord(namespace, each, chunking, nextPassage));
  if (chunking !== null) replacePassages(namespace, chunking, batch.chunked ?? new Map(), nextPassage);
  return ids;
}

function put(
  namespace: Namespace,
  record: LociRecord,
  chunking: string | null,
  passages: readonly Passage[],
  nextPassage: NextPassage,
): void {
  namespace.records.set(record.id, { record, chunking });
  noteChange(namespace, record.id, record.deletedAt === null ? 'written' : 'deleted');
  setPassages(namespace, record, passages, nextPassage);
}

function writeRecord(
  namespace: Namespace,
  write: RecordWrite,
  chunking: string | null,
  nextPassage: NextPassage,
): number {
  assertIdentityIsFree(namespace, write.id, write.draft);
  if (write.id === null && write.passages === 'keep')
    throw new LociError('invalid_input', 'a new record has no passages to keep');
  const before = write.id === null ? null : existingRecord(namespace, write.id);
  if (before !== null) assertUnchanged(before.record, write);
  const id = write.id ?? namespace.nextRecord++;
  const record = { ...write.draft, namespace: namespace.name, id, deletedAt: null };
  if (write.passages !== 'keep') put(namespace, record, chunking, write.passages, nextPassage);
  else {
    namespace.records.set(id, { record, chunking: before?.chunking ?? null });
    noteChange(namespace, id, 'written');
    for (const each of passagesOf(namespace, id))
      namespace.passages.set(each.id, { ...each, indexed: indexPassage(record, each.passage) });
  }
  return id;
}

function importRecord(
  namespace: Namespace,
  imported: RecordImport,
  chunking: string | null,
  nextPassage: NextPassage,
): number {
  const { replaces, draft, passages, deletedAt, preferredId } = imported;
  const isLive = deletedAt === null;
  // The key of a deleted fact is free.
  assertIdentityIsFree(
    namespace,
    replaces,
    draft.origin === 'fact' && !isLive ? { uuid: draft.uuid } : draft,
  );
  if (replaces !== null) assertRecordState(existingRecord(namespace, replaces).record, imported);
  const id = replaces ?? Math.max(namespace.nextRecord, preferredId ?? 0);
  namespace.nextRecord = Math.max(namespace.nextRecord, id + 1);
  const record = { ...draft, namespace: namespace.name, id, deletedAt };
  put(namespace, record, isLive ? chunking : null, isLive ? passages : [], nextPassage);
  return id;
}

function assertIdentityIsFree(
  namespace: Namespace,
  id: number | null,
  draft: RecordDraft | RecordIdentity,
): void {
  const taken = recordsOf(namespace).some(
    (record) => record.id !== id && (record.uuid === draft.uuid || hasSameKey(record, draft)),
  );
  if (taken) throw new LociError('conflict', 'another record has this identity');
}

/** Whether both are documents of one source, or live facts of one category, with the same key. */
function hasSameKey(record: LociRecord, { origin, source, category, key = null }: RecordIdentity): boolean {
  if (key === null || record.key !== key) return false;
  if ((record.origin === 'fact') !== (origin === 'fact')) return false;
  if (origin !== 'fact') return record.source === source;
  return record.category === category && record.deletedAt === null;
}

function existingRecord(namespace: Namespace, id: number): OracleRecord {
  const found = namespace.records.get(id);
  if (found === undefined) throw new LociError('not_found', `no record ${String(id)}`);
  return found;
}

function recordInState(namespace: Namespace, id: number, state: 'live' | 'deleted'): LociRecord {
  const { record } = existingRecord(namespace, id);
  if ((record.deletedAt === null) === (state === 'live')) return record;
  throw new LociError('not_found', `no ${state} record ${String(id)}`);
}

function removeRecord(namespace: Namespace, record: LociRecord, nextPassage: NextPassage): void {
  setPassages(namespace, record, [], nextPassage);
  namespace.records.delete(record.id);
  noteChange(namespace, record.id, 'removed');
}

function removeExpiredKeys({ idempotent }: Namespace, now: number): void {
  for (const [key, { expiresAt }] of idempotent) if (expiresAt <= now) idempotent.delete(key);
}

function replacePassages(
  namespace: Namespace,
  chunking: string,
  passages: ReadonlyMap<number, ChunkedRecord>,
  nextPassage: NextPassage,
): void {
  for (const [id, { state, passages: replacement }] of passages) {
    const found = namespace.records.get(id);
    if (found?.record.deletedAt !== null || found.chunking === chunking) continue;
    if (!isUnchangedSinceChunking(found.record, state)) continue;
    const current = passagesOf(namespace, id).map(({ passage }) => passage);
    if (!isDeepStrictEqual(current, replacement))
      setPassages(namespace, found.record, structuredClone(replacement), nextPassage);
    namespace.records.set(id, { ...found, chunking });
  }
}

export function purge(
  namespace: Namespace,
  { expiredBy, deletedBefore, limit, by }: PurgeRequest,
  nextPassage: NextPassage,
): number[] {
  const due = recordsOf(namespace)
    .filter(
      ({ expiresAt, deletedAt }) =>
        (expiresAt !== null && expiresAt <= expiredBy) || (deletedAt !== null && deletedAt < deletedBefore),
    )
    .slice(0, limit);
  for (const record of due) removeRecord(namespace, record, nextPassage);
  removeExpiredKeys(namespace, by.at);
  return due.map(({ id }) => id);
}

export function resetDerived(namespace: Namespace, { vectors }: { readonly vectors: boolean }): void {
  for (const [id, each] of namespace.records) namespace.records.set(id, { ...each, chunking: null });
  if (vectors) namespace.vectors.clear();
}

/** Removes vectors that no passage uses if they are more than a tenth. */
export function compact({ passages, vectors }: Namespace): void {
  const used = new Set([...passages.values()].map(({ passage }) => passage.hash));
  const all = [...vectors.values()].flatMap((generation) => [...generation.keys()]);
  const unused = all.filter((hash) => !used.has(hash));
  if (unused.length * 10 <= all.length) return;
  for (const generation of vectors.values()) for (const hash of unused) generation.delete(hash);
}
