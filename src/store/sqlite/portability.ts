import type { LociRecord, Timestamp } from '../../core/types.ts';
import { firstOfPage, type RecordPage } from '../derivation.ts';
import type { HistoryCategory, HistoryRow } from '../history.ts';
import type { Page } from '../page.ts';
import type { RecordIdentity, ExistingRecords } from '../portability.ts';
import type { Database } from './database.ts';
import { HISTORY_COLUMNS, historyRowOf } from './history.ts';
import { RECORD_COLUMNS, recordOf } from './rows.ts';

export function heldPage(
  db: Database,
  namespace: string,
  ns: number,
  now: Timestamp,
  { after, limit }: RecordPage,
): LociRecord[] {
  const rows = db
    .prepare(
      `SELECT ${RECORD_COLUMNS} FROM record AS r
       WHERE r.ns = ? AND r.id > ? AND (r.expires_at IS NULL OR r.expires_at > ?) ORDER BY r.id LIMIT ?`,
    )
    .iterate(ns, after ?? 0, now, limit);
  return firstOfPage(rows, (row) => recordOf(namespace, row));
}

export function standIns(db: Database, ns: number, records: readonly RecordIdentity[]): ExistingRecords[] {
  const byUuid = db.prepare('SELECT id FROM record WHERE ns = ? AND uuid = ?');
  const fact = db.prepare(
    "SELECT id FROM record WHERE ns = ? AND category = ? AND key = ? AND uuid <> ? AND origin = 'fact' AND deleted_at IS NULL",
  );
  const document = db.prepare(
    "SELECT id FROM record WHERE ns = ? AND source = ? AND key = ? AND uuid <> ? AND origin <> 'fact'",
  );
  return records.map(({ uuid, origin, source, category, key }) => {
    const [place, within] = origin === 'fact' ? [fact, category] : [document, source];
    return {
      same: (byUuid.get(ns, uuid)?.['id'] ?? null) as number | null,
      inPlace: (place.get(ns, within, key, uuid)?.['id'] ?? null) as number | null,
    };
  });
}

export function historyFrom(
  db: Database,
  ns: number,
  category: HistoryCategory,
  now: Timestamp,
  { after, limit }: Page<number>,
): HistoryRow[] {
  return db
    .prepare(
      `SELECT ${HISTORY_COLUMNS} FROM history
       WHERE ns = ? AND category = ? AND id > ? AND expires_at > ? ORDER BY id LIMIT ?`,
    )
    .all(ns, category, after ?? 0, now, limit)
    .map(historyRowOf);
}
