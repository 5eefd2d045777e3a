import { LociError } from '../../core/errors.ts';
import type { LociRecord, Timestamp } from '../../core/types.ts';
import type { Deletion, IdempotentResult, IdempotencyKey, PurgeRequest, Restoration } from '../mortality.ts';
import { appendAudit, eraseDiffs } from './audit.ts';
import { dropPassages, replacePassages, type HeldRecord, type Namespace } from './state.ts';

export function heldRecords(namespace: Namespace, ids: readonly number[]): LociRecord[] {
  return ids.flatMap((id) => {
    const held = namespace.records.get(id);
    return held === undefined ? [] : [structuredClone(held.record)];
  });
}

export function idsOf(namespace: Namespace, uuids: readonly string[]): Map<string, number> {
  const wanted = new Set(uuids);
  const held = [...namespace.records.values()].filter(({ record }) => wanted.has(record.uuid));
  return new Map(held.map(({ record }) => [record.uuid, record.id]));
}

export function nextExpiry(namespace: Namespace): Timestamp | null {
  return earliest([...namespace.records.values()].map(({ record }) => record.expiresAt));
}

export function oldestDeletion(namespace: Namespace): Timestamp | null {
  return earliest([...namespace.records.values()].map(({ record }) => record.deletedAt));
}

function earliest(times: readonly (Timestamp | null)[]): Timestamp | null {
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : Math.min(...known);
}

export function deleteRecord(namespace: Namespace, { id, at }: Deletion): void {
  const { record } = inState(namespace, id, 'live');
  dropPassages(namespace, id);
  namespace.records.set(id, { record: { ...record, deletedAt: at }, chunking: null });
}

export function restoreRecord(
  namespace: Namespace,
  { id, passages }: Restoration,
  chunking: string,
  nextPassage: () => number,
): void {
  const { record } = inState(namespace, id, 'deleted');
  refuseTakenFact(namespace, record);
  const restored = { ...record, deletedAt: null };
  namespace.records.set(id, { record: restored, chunking });
  replacePassages(namespace, restored, passages, nextPassage);
}

function refuseTakenFact(namespace: Namespace, { origin, category, key }: LociRecord): void {
  if (origin !== 'fact' || key === null) return;
  for (const { record } of namespace.records.values()) {
    const taken = record.origin === 'fact' && record.deletedAt === null;
    if (!taken || record.category !== category || record.key !== key) continue;
    throw new LociError('conflict', `record ${String(record.id)} already is ${key}`);
  }
}

function inState(namespace: Namespace, id: number, state: 'live' | 'deleted'): HeldRecord {
  const held = namespace.records.get(id);
  if (held !== undefined && (held.record.deletedAt === null) === (state === 'live')) return held;
  throw new LociError('not_found', `no ${state} record ${String(id)} in namespace ${namespace.name}`);
}

export function purge(namespace: Namespace, request: PurgeRequest): number {
  const { expiredBy, deletedBefore, limit, by } = request;
  const due = [...namespace.records.values()]
    .map(({ record }) => record)
    .filter(
      ({ expiresAt, deletedAt }) =>
        (expiresAt !== null && expiresAt <= expiredBy) || (deletedAt !== null && deletedAt < deletedBefore),
    )
    .sort((a, b) => a.id - b.id)
    .slice(0, limit);
  for (const { id, uuid, deletedAt } of due) {
    dropPassages(namespace, id);
    namespace.records.delete(id);
    eraseDiffs(namespace, uuid);
    const action = deletedAt === null ? 'expire' : 'purge';
    appendAudit(namespace, [{ ...by, action, subject: uuid, diff: null }]);
  }
  for (const [key, { expiresAt }] of namespace.done) if (expiresAt <= by.at) namespace.done.delete(key);
  return due.length;
}

export function noteOnce(namespace: Namespace, once: IdempotencyKey, records: readonly number[]): void {
  if (doneOnce(namespace, once.key, once.at) !== null) {
    throw new LociError(
      'conflict',
      `something was written under the idempotency key ${JSON.stringify(once.key)}`,
    );
  }
  for (const [key, done] of namespace.done) if (done.expiresAt <= once.at) namespace.done.delete(key);
  namespace.done.set(once.key, { ...once, records: [...records] });
}

export function doneOnce(namespace: Namespace, key: string, now: Timestamp): IdempotentResult | null {
  const done = namespace.done.get(key);
  if (done === undefined || done.expiresAt <= now) return null;
  return { fingerprint: done.fingerprint, records: [...done.records] };
}
