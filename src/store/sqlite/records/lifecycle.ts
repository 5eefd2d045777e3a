import { parseJson } from '../../../core/json.ts';
import { storedJson } from '../../sql/stored-json.ts';
import type { BelongsToPass } from '../../belongs-to-model.ts';
import type { IdempotentResult, RecordBounds, RecordState } from '../../model.ts';
import type { LociRecord, Timestamp } from '../../../core/types.ts';
import type { Database } from '../database/database.ts';
import { RECORD_COLUMNS, recordOf } from './rows.ts';

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
