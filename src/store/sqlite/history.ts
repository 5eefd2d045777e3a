import type { Json, Timestamp } from '../../core/types.ts';
import type { HistoryCategory, HistoryDraft, HistoryRow } from '../history.ts';
import type { Page } from '../page.ts';
import { wellFormed } from '../well-formed.ts';
import type { Database } from './database.ts';
import { ensureNamespace } from './namespaces.ts';
import type { Row } from './rows.ts';

export const HISTORY_COLUMNS: string =
  'category, id, name, surface, actor, inputs, outcome, at, took_ms, expires_at';

export function noteHistory(
  db: Database,
  rows: readonly { readonly namespace: string; readonly row: HistoryDraft }[],
  keep: number,
): void {
  db.transaction(() => {
    let now = 0;
    for (const { namespace, row } of rows) {
      const ns = ensureNamespace(db, namespace);
      const id = insertRow(db, ns, wellFormed(row));
      now = Math.max(now, row.at);
      // Ids have no gaps, so that one goes for one that comes.
      db.prepare('DELETE FROM history WHERE ns = ? AND category = ? AND id <= ?').run(
        ns,
        row.category,
        id - keep,
      );
    }
    db.prepare('DELETE FROM history WHERE expires_at <= ?').run(now);
  });
}

function insertRow(db: Database, ns: number, row: HistoryDraft): number {
  const last = db.prepare('SELECT max(id) AS id FROM history WHERE ns = ? AND category = ?');
  const id = Number(last.get(ns, row.category)?.['id'] ?? 0) + 1;
  db.prepare(`INSERT INTO history (ns, ${HISTORY_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`).run(
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
  category: HistoryCategory,
  now: Timestamp,
  { after, limit }: Page<number>,
): HistoryRow[] {
  return db
    .prepare(
      `SELECT ${HISTORY_COLUMNS} FROM history
       WHERE ns = ? AND category = ? AND id < ? AND expires_at > ? ORDER BY id DESC LIMIT ?`,
    )
    .all(ns, category, after ?? Number.MAX_SAFE_INTEGER, now, limit)
    .map(historyRowOf);
}

export function historyRowOf(row: Row): HistoryRow {
  return {
    id: row['id'] as number,
    category: row['category'] as HistoryCategory,
    name: row['name'] as string,
    surface: row['surface'] as string,
    actor: row['actor'] as string,
    inputs: JSON.parse(row['inputs'] as string) as Record<string, Json>,
    outcome: row['outcome'] as string,
    at: row['at'] as number,
    tookMs: row['took_ms'] as number,
    expiresAt: row['expires_at'] as number,
  };
}
