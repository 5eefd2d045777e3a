import { LociError } from '../../src/core/errors.ts';
import type { LociRecord, Passage } from '../../src/core/types.ts';
import { uuidv7 } from '../../src/core/ids.ts';
import type { AuditDraft } from '../../src/store/admin-model.ts';
import { indexPassage } from '../../src/store/lexical/text-fields.ts';
import type { BelongsToUpdate } from '../../src/store/belongs-to-model.ts';
import type {
  CommitBatch,
  PurgeRequest,
  RecordDraft,
  RecordIdentity,
  RecordImport,
  RecordWrite,
} from '../../src/store/model.ts';
import { CHAIN_START, chained } from '../../src/store/rules/audit-chain.ts';
import { isSourced } from '../../src/store/rules/filter.ts';
import { assertFence } from '../../src/store/rules/leases.ts';
import { changedState } from '../../src/store/rules/source-state.ts';
import { assertRecordState, assertSafeTimes, assertUnchanged } from '../../src/store/rules/validation.ts';
import { wellFormed } from '../../src/store/rules/well-formed.ts';
import { putConceptChanges, putConcepts } from './concepts.ts';
import { linksAndIdentities, markStale, putGraph } from './graph.ts';
import { putGoldenQueries, putLabels } from './receipts.ts';
import {
  byCodePoint,
  type Namespace,
  noteChange,
  type OracleRecord,
  type OracleState,
  passagesOf,
  recordsOf,
  setPassages,
} from './state.ts';

type NextPassage = () => number;

export function commit(state: OracleState, name: string, batch: CommitBatch): number[] {
  assertSafeTimes(batch);
  const { fence } = batch;
  if (fence !== undefined) assertFence(state.lease(name, fence.lease)?.token, fence);
  return state.change(name, (namespace, nextPassage) => {
    const before = linksAndIdentities(namespace);
    const ids = commitRecords(namespace, wellFormed(batch), nextPassage);
    markStale(namespace, before);
    if (batch.idempotencyKey !== undefined) {
      const { key, at } = batch.idempotencyKey;
      const used = namespace.idempotent.get(key);
      if (used !== undefined && used.expiresAt > at) throw new LociError('conflict', `${key} was used`);
      removeExpiredKeys(namespace, at);
      namespace.idempotent.set(key, { ...batch.idempotencyKey, records: ids });
    }
    commitState(namespace, wellFormed(batch));
    appendAudit(namespace, batch.audit ?? []);
    if (batch.belongsTo !== undefined) putBelongsTo(namespace, batch.belongsTo);
    if (batch.graph !== undefined) putGraph(namespace, batch.graph);
    if (batch.conceptChanges !== undefined) putConceptChanges(namespace, batch.conceptChanges);
    if (batch.concepts !== undefined) putConcepts(namespace, batch.concepts);
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

/** Writes source states, hits, startup entries and history. */
function commitState(namespace: Namespace, batch: CommitBatch): void {
  const { sources, startup, digests, history } = namespace;
  if (batch.sourceState !== undefined) {
    const { source, change } = batch.sourceState;
    if (change === null) sources.delete(source);
    else sources.set(source, changedState(sources.get(source), change));
  }
  for (const [source, count] of batch.hits?.bySource ?? []) {
    const before = sources.get(wellFormed(source));
    const hitAt = batch.hits?.at ?? null;
    if (before !== undefined)
      sources.set(wellFormed(source), changedState(before, { hits: before.hits + count, hitAt }));
  }
  if (batch.labels !== undefined) putLabels(namespace, batch.labels);
  if (batch.goldenQueries !== undefined) putGoldenQueries(namespace, batch.goldenQueries);
  for (const entry of batch.startup ?? []) startup.set(JSON.stringify([entry.agent, entry.key]), entry);
  if (batch.startupDigest !== undefined) {
    const { agent, session, digest, at, forgetBefore, keep } = batch.startupDigest;
    for (const [key, previous] of digests) if (previous.at < forgetBefore) digests.delete(key);
    digests.set(JSON.stringify([agent, session]), { digest, at });
    const newestFirst = [...digests].sort(([a, x], [b, y]) => y.at - x.at || compareSessions(a, b));
    for (const [key] of newestFirst.slice(keep)) digests.delete(key);
  }
  const { rows = [], keep = 0 } = batch.history ?? {};
  for (const row of rows) {
    const before = history.get(row.category) ?? [];
    const id = (before.at(-1)?.id ?? 0) + 1;
    history.set(
      row.category,
      [...before, { ...row, id }].filter((each) => each.id > id - keep),
    );
  }
  if (batch.history !== undefined) removeExpiredHistory(namespace, Math.max(0, ...rows.map(({ at }) => at)));
}

function compareSessions(a: string, b: string): number {
  const [[agentA = '', sessionA = ''], [agentB = '', sessionB = '']] = [
    JSON.parse(a) as string[],
    JSON.parse(b) as string[],
  ];
  return byCodePoint(agentA, agentB) || byCodePoint(sessionA, sessionB);
}

function removeExpiredHistory({ history }: Namespace, now: number): void {
  for (const [category, rows] of history)
    history.set(
      category,
      rows.filter(({ expiresAt }) => expiresAt > now),
    );
}

function removeExpiredKeys({ idempotent }: Namespace, now: number): void {
  for (const [key, { expiresAt }] of idempotent) if (expiresAt <= now) idempotent.delete(key);
}

function appendAudit(namespace: Namespace, drafts: readonly AuditDraft[]): void {
  for (const draft of drafts) {
    namespace.ownChain ??= uuidv7(draft.at);
    const chain = namespace.audit.get(namespace.ownChain) ?? [];
    namespace.audit.set(namespace.ownChain, chain);
    chain.push(chained(draft, namespace.ownChain, chain.length, chain.at(-1)?.hash ?? CHAIN_START));
  }
}

export function purge(namespace: Namespace, request: PurgeRequest, nextPassage: NextPassage): number {
  const { expiredBy, deletedBefore, limit, by } = request;
  const due = recordsOf(namespace)
    .filter(
      ({ expiresAt, deletedAt }) =>
        (expiresAt !== null && expiresAt <= expiredBy) || (deletedAt !== null && deletedAt < deletedBefore),
    )
    .slice(0, limit);
  const before = linksAndIdentities(namespace);
  for (const record of due) {
    const { uuid, deletedAt } = record;
    removeRecord(namespace, record, nextPassage);
    for (const [chain, entries] of namespace.audit)
      namespace.audit.set(
        chain,
        entries.map((entry) => (entry.subject === uuid ? { ...entry, diff: null } : entry)),
      );
    const action = deletedAt === null ? 'expire' : 'purge';
    appendAudit(namespace, [{ ...by, action, subject: uuid, diff: null }]);
  }
  markStale(namespace, before);
  removeExpiredKeys(namespace, by.at);
  removeExpiredHistory(namespace, by.at);
  return due.length;
}

function putBelongsTo(namespace: Namespace, { edges, progress }: BelongsToUpdate): void {
  const isLive = (id: number): boolean => namespace.records.get(id)?.record.deletedAt === null;
  for (const [document, notes] of edges) {
    const live = notes.filter(({ note }) => isLive(note));
    if (isLive(document))
      namespace.belongsTo.set(
        document,
        live.map((edge, i) => ({ ...edge, position: i + 1 })),
      );
    else namespace.belongsTo.delete(document);
  }
  namespace.belongsToProgress = progress;
}
