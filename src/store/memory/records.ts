import { LociError } from '../../core/errors.ts';
import type { LociRecord, Timestamp } from '../../core/types.ts';
import { assertSafeTimes } from '../record-times.ts';
import type { Page } from '../page.ts';
import type { RecordImport, RecordIdentity } from '../portability.ts';
import type { CommitBatch, RecordWrite, SourceEntry } from '../store.ts';
import { indexPassage } from '../lexical/text-fields.ts';
import { wellFormed } from '../well-formed.ts';
import { assertUnchanged, assertRecordState } from '../record-states.ts';
import { appendAudit } from './audit.ts';
import { isLive, isSourced } from '../admits.ts';
import { holdFence } from './leases.ts';
import { deleteRecord, noteOnce, restoreRecord } from './mortality.ts';
import { writeSourceState } from './source-states.ts';
import {
  byCodePoint,
  change,
  dropPassages,
  passagesOfRecord,
  replacePassages,
  type HeldRecord,
  type Namespace,
  type State,
} from './state.ts';

export function commit(state: State, name: string, batch: CommitBatch): number[] {
  assertSafeTimes(batch);
  if (batch.fence !== undefined) holdFence(state, batch.fence);
  return change(state, name, (namespace, nextPassage) => {
    for (const id of batch.evictions) evict(namespace, id);
    const writes = batch.writes.map(wellFormed);
    for (const deletion of batch.deletions ?? []) deleteRecord(namespace, deletion);
    const ids = writes.map((write) => writeRecord(namespace, write, batch.chunking, nextPassage));
    for (const restoration of batch.restorations ?? [])
      restoreRecord(namespace, restoration, batch.chunking, nextPassage);
    for (const given of (batch.imports ?? []).map(wellFormed))
      ids.push(importRecord(namespace, given, batch.chunking, nextPassage));
    if (batch.once !== undefined) noteOnce(namespace, batch.once, ids);
    if (batch.sourceState !== undefined)
      writeSourceState(namespace, batch.sourceState.source, batch.sourceState.change);
    appendAudit(namespace, batch.audit ?? []);
    return ids;
  });
}

function evict(namespace: Namespace, id: number): void {
  const { record } = existing(namespace, id);
  if (!isSourced(record)) {
    throw new LociError(
      'invalid_input',
      `record ${String(id)} is ${record.origin}: only what a source brought can go`,
    );
  }
  dropPassages(namespace, id);
  namespace.records.delete(id);
}

function writeRecord(
  namespace: Namespace,
  write: RecordWrite,
  chunking: string,
  nextPassage: () => number,
): number {
  refuseTakenIdentity(namespace, write);
  if (write.id === null && write.passages === 'keep') {
    throw new LociError('invalid_input', 'a new record has no passages to keep');
  }
  const before = write.id === null ? null : existing(namespace, write.id);
  if (before !== null) assertUnchanged(before.record, write);
  const id = write.id ?? namespace.nextRecord++;
  const record: LociRecord = {
    ...structuredClone(write.draft),
    namespace: namespace.name,
    id,
    deletedAt: before?.record.deletedAt ?? null,
  };
  if (write.passages === 'keep') {
    namespace.records.set(id, { record, chunking: before?.chunking ?? null });
    for (const held of passagesOfRecord(namespace, id)) {
      namespace.passages.set(held.id, { ...held, indexed: indexPassage(record, held.passage) });
    }
  } else {
    namespace.records.set(id, { record, chunking });
    replacePassages(namespace, record, write.passages, nextPassage);
  }
  return id;
}

function importRecord(
  namespace: Namespace,
  given: RecordImport,
  chunking: string,
  nextPassage: () => number,
): number {
  const { replaces, draft, passages, deletedAt } = given;
  const isLive = deletedAt === null;
  refuseTakenIdentity(namespace, { id: replaces, draft, passages }, isLive);
  if (replaces !== null) assertRecordState(existing(namespace, replaces).record, given);
  const id = replaces ?? Math.max(namespace.nextRecord, given.wanted ?? 0);
  namespace.nextRecord = Math.max(namespace.nextRecord, id + 1);
  const record: LociRecord = { ...structuredClone(draft), namespace: namespace.name, id, deletedAt };
  namespace.records.set(id, { record, chunking: isLive ? chunking : null });
  replacePassages(namespace, record, isLive ? passages : [], nextPassage);
  return id;
}

function refuseTakenIdentity(namespace: Namespace, { id, draft }: RecordWrite, isLive = true): void {
  for (const { record } of namespace.records.values()) {
    if (record.id === id) continue;
    // The key of a deleted fact is free.
    const isFree = draft.origin === 'fact' && !isLive;
    if (record.uuid !== draft.uuid && (isFree || !hasSameKey(record, draft))) continue;
    throw new LociError('conflict', `record ${String(record.id)} already is ${draft.key ?? draft.uuid}`);
  }
}

/** Documents of one source, live facts of one category. */
export function hasSameKey(record: LociRecord, draft: RecordIdentity): boolean {
  if (draft.key === null || record.key !== draft.key) return false;
  if ((record.origin === 'fact') !== (draft.origin === 'fact')) return false;
  if (draft.origin !== 'fact') return record.source === draft.source;
  return record.category === draft.category && record.deletedAt === null;
}

function existing(namespace: Namespace, id: number): HeldRecord {
  const held = namespace.records.get(id);
  if (held === undefined) {
    throw new LociError('not_found', `no record ${String(id)} in namespace ${namespace.name}`);
  }
  return held;
}

export function records(namespace: Namespace, ids: readonly number[], now: Timestamp): LociRecord[] {
  return ids.flatMap((id) => {
    const held = namespace.records.get(id);
    return held !== undefined && isLive(held.record, now) ? [structuredClone(held.record)] : [];
  });
}

export function recordsByKey(namespace: Namespace, key: string, now: Timestamp): LociRecord[] {
  return [...namespace.records.values()]
    .map(({ record }) => record)
    .filter((record) => record.key === key && record.origin === 'vault' && isLive(record, now))
    .sort((a, b) => byCodePoint(a.source, b.source))
    .map((record) => structuredClone(record));
}

export function countByKey(namespace: Namespace, keys: readonly string[], now: Timestamp): number[] {
  return keys.map((key) => recordsByKey(namespace, key, now).length);
}

export function sourceEntries(namespace: Namespace, source: string, page: Page<string>): SourceEntry[] {
  const entries: SourceEntry[] = [];
  for (const { record } of namespace.records.values()) {
    const { id, key, identity, revision, contentHash } = record;
    if (record.source !== source || key === null || !isSourced(record)) continue;
    if (record.deletedAt !== null) continue;
    if (page.after === null || byCodePoint(key, page.after) > 0) {
      entries.push({ id, key, identity, revision, contentHash });
    }
  }
  return entries.sort((a, b) => byCodePoint(a.key, b.key)).slice(0, page.limit);
}
