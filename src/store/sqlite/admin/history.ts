import { storedJson } from '../../sql/stored-json.ts';
import type { Json, Timestamp } from '../../../core/types.ts';
import type { HistoryCategory, HistoryDraft, HistoryRow, HistorySelector } from '../../admin-model.ts';
import type { CommitBatch, Page } from '../../model.ts';
import { wellFormed } from '../../rules/well-formed.ts';
import type { Database } from '../database/database.ts';
import type { Row } from '../../sql/rows.ts';

const COLUMNS = 'category, id, name, surface, actor, inputs, outcome, at, took_ms, expires_at';

/** Within a transaction. */
export function addHistory(
  db: Database,
  ns: number,
  { rows, keep }: NonNullable<CommitBatch['history']>,
): void {
  let now = 0;
  for (const row of rows) {
    const id = insertRow(db, ns, wellFormed(row));
    now = Math.max(now, row.at);
    // Ids have no gaps, so each new row removes one old row.
    db.prepare('DELETE FROM history WHERE ns = ? AND category = ? AND id <= ?').run(
      ns,
      row.category,
      id - keep,
    );
  }
  removeExpiredHistory(db, ns, now);
}

/** Within a transaction. */
export function removeExpiredHistory(db: Database, ns: number, now: Timestamp): void {
  db.prepare('DELETE FROM history WHERE ns = ? AND expires_at <= ?').run(ns, now);
}

function insertRow(db: Database, ns: number, row: HistoryDraft): number {
  const last = db.prepare('SELECT max(id) AS id FROM history WHERE ns = ? AND category = ?');
  const id = Number(last.get(ns, row.category)?.['id'] ?? 0) + 1;
  db.prepare(`INSERT INTO history (ns, ${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`).run(
    ns,
    row.category,
    id,
    row.name,
    row.surface,
    row.actor,
    JSON.stringify(row.inputs),
    row.outcome,
    row.at,
    row.tookMs,
    row.expiresAt,
  );
  return id;
}

export function history(
  db: Database,
  ns: number,
  { category, now, order = 'newest' }: HistorySelector,
  { after, limit }: Page<number>,
): HistoryRow[] {
  const [comparison, direction, start] =
    order === 'newest' ? ['<', 'DESC', Number.MAX_SAFE_INTEGER] : ['>', 'ASC', 0];
  return db
    .prepare(
      `SELECT ${COLUMNS} FROM history
       WHERE ns = ? AND category = ? AND id ${comparison} ? AND expires_at > ? ORDER BY id ${direction} LIMIT ?`,
    )
    .all(ns, category, after ?? start, now, limit)
    .map(rowOf);
}

function rowOf(row: Row): HistoryRow {
  return {
    id: row['id'] as number,
    category: row['category'] as HistoryCategory,
    name: row['name'] as string,
    surface: row['surface'] as string,
    actor: row['actor'] as string,
    inputs: storedJson(row['inputs'], () => `the inputs of run ${String(row['id'])}`) as Record<string, Json>,
    outcome: row['outcome'] as string,
    at: row['at'] as number,
    tookMs: row['took_ms'] as number,
    expiresAt: row['expires_at'] as number,
  };
}
