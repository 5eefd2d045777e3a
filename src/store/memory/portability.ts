import type { LociRecord, Timestamp } from '../../core/types.ts';
import { firstOfPage, type RecordPage } from '../derivation.ts';
import type { HistoryCategory, HistoryRow } from '../history.ts';
import type { Page } from '../page.ts';
import type { RecordIdentity, ExistingRecords } from '../portability.ts';
import { hasSameKey } from './records.ts';
import type { Namespace } from './state.ts';

export function heldPage(namespace: Namespace, now: Timestamp, { after, limit }: RecordPage): LociRecord[] {
  const records = [...namespace.records.values()]
    .map(({ record }) => record)
    .filter(({ id, expiresAt }) => id > (after ?? 0) && (expiresAt === null || expiresAt > now))
    .sort((a, b) => a.id - b.id)
    .slice(0, limit);
  return firstOfPage(records, structuredClone);
}

export function standIns(namespace: Namespace, records: readonly RecordIdentity[]): ExistingRecords[] {
  const held = [...namespace.records.values()].map(({ record }) => record);
  return records.map((wanted) => ({
    same: held.find(({ uuid }) => uuid === wanted.uuid)?.id ?? null,
    inPlace: held.find((record) => record.uuid !== wanted.uuid && hasSameKey(record, wanted))?.id ?? null,
  }));
}

export function historyFrom(
  namespace: Namespace,
  category: HistoryCategory,
  now: Timestamp,
  { after, limit }: Page<number>,
): HistoryRow[] {
  return (namespace.history.get(category) ?? [])
    .filter(({ id, expiresAt }) => id > (after ?? 0) && expiresAt > now)
    .slice(0, limit)
    .map((row) => structuredClone(row));
}
