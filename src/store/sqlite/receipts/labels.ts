import type { Page } from '../../model.ts';
import type { Label, StoredLabel, Verdict } from '../../receipt-model.ts';
import { assertSafeIntegers } from '../../rules/validation.ts';
import { wellFormed } from '../../rules/well-formed.ts';
import type { Database } from '../database/database.ts';
import type { Row } from '../../sql/rows.ts';

const COLUMNS = 'receipt, record, verdict, query, query_hash, project, at, actor';

/** Each replaces the label of the same item. Within a transaction. */
export function putLabels(db: Database, ns: number, labels: readonly Label[]): void {
  const last = db.prepare('SELECT max(sequence) AS n FROM label WHERE ns = ?').get(ns);
  let sequence = Number(last?.['n'] ?? 0);
  const existing = db.prepare('SELECT sequence FROM label WHERE ns = ? AND receipt = ? AND record = ?');
  const put = db.prepare(
    `INSERT OR REPLACE INTO label (ns, sequence, ${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  for (const label of labels) {
    const { receipt, record, verdict, query, queryHash, project, at, actor } = wellFormed(label);
    assertSafeIntegers({ at });
    const before = existing.get(ns, receipt, record)?.['sequence'];
    const own = before === undefined ? ++sequence : (before as number);
    put.run(ns, own, receipt, record, verdict, query, queryHash, project, at, actor);
  }
}

export function labels(
  db: Database,
  ns: number,
  receipt: string | null,
  { after, limit }: Page<number>,
): StoredLabel[] {
  const [condition, parameters] = receipt === null ? ['', []] : ['AND receipt = ?', [receipt]];
  return db
    .prepare(
      `SELECT sequence, ${COLUMNS} FROM label WHERE ns = ? AND sequence > ? ${condition} ORDER BY sequence LIMIT ?`,
    )
    .all(ns, after ?? 0, ...parameters, limit)
    .map(labelOf);
}

function labelOf(row: Row): StoredLabel {
  return {
    sequence: row['sequence'] as number,
    receipt: row['receipt'] as string,
    record: row['record'] as string,
    verdict: row['verdict'] as Verdict,
    query: row['query'] as string | null,
    queryHash: row['query_hash'] as string | null,
    project: row['project'] as string | null,
    at: row['at'] as number,
    actor: row['actor'] as string,
  };
}
