import type { SQLInputValue } from 'node:sqlite';
import type { Json, Timestamp } from '../../../core/types.ts';
import type { Page } from '../../model.ts';
import type { ReceiptBatch, ReceiptCursor, ReceiptFilter, StoredReceipt } from '../../receipt-model.ts';
import { assertSafeIntegers } from '../../rules/validation.ts';
import type { Database } from '../database/database.ts';
import { ensureNamespace } from '../database/namespaces.ts';
import type { Row } from '../../sql/rows.ts';

const COLUMNS = 'id, kind, at, hash, body';

export function addReceipts(
  db: Database,
  namespace: string,
  { receipts, forgetBefore, keep }: ReceiptBatch,
): void {
  for (const { at } of receipts) assertSafeIntegers({ at });
  db.transaction(() => {
    const ns = ensureNamespace(db, namespace);
    const put = db.prepare(`INSERT OR REPLACE INTO receipt (ns, ${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)`);
    for (const { id, kind, at, hash, body } of receipts)
      put.run(ns, id, kind, at, hash, JSON.stringify(body));
    removeReceiptsBefore(db, ns, forgetBefore);
    db.prepare(
      `DELETE FROM receipt WHERE ns = ?1 AND id IN (
         SELECT id FROM receipt WHERE ns = ?1 ORDER BY at DESC, id DESC LIMIT -1 OFFSET ?2)`,
    ).run(ns, keep);
  });
}

/** A call that removes nothing does not wait for other writers. */
export function removeReceiptsBefore(db: Database, ns: number, time: Timestamp): void {
  const due = db.prepare('SELECT 1 FROM receipt WHERE ns = ? AND at < ? LIMIT 1').get(ns, time);
  if (due !== undefined) db.prepare('DELETE FROM receipt WHERE ns = ? AND at < ?').run(ns, time);
}

export function receiptById(db: Database, ns: number, id: string): StoredReceipt | null {
  const row = db.prepare(`SELECT ${COLUMNS} FROM receipt WHERE ns = ? AND id = ?`).get(ns, id);
  return row === undefined ? null : receiptOf(row);
}

export function listReceipts(
  db: Database,
  ns: number,
  { since, kind, hash }: ReceiptFilter,
  { after, limit }: Page<ReceiptCursor>,
): StoredReceipt[] {
  const conditions = ['ns = ?', 'at >= ?'];
  const parameters: SQLInputValue[] = [ns, since];
  const and = (sql: string, ...values: readonly SQLInputValue[]): void => {
    conditions.push(sql);
    parameters.push(...values);
  };
  if (hash !== undefined) and('hash = ?', hash);
  if (kind !== undefined) and('kind = ?', kind);
  if (after !== null) and('(at, id) < (?, ?)', after.at, after.id);
  return db
    .prepare(
      `SELECT ${COLUMNS} FROM receipt WHERE ${conditions.join(' AND ')} ORDER BY at DESC, id DESC LIMIT ?`,
    )
    .all(...parameters, limit)
    .map(receiptOf);
}

function receiptOf(row: Row): StoredReceipt {
  return {
    id: row['id'] as string,
    kind: row['kind'] as string,
    at: row['at'] as number,
    hash: row['hash'] as string,
    body: parsedBody(row['body'] as string),
  };
}

/** One row that is not as it was written must not keep the others from being read. */
function parsedBody(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}
