import type { ChangeKind } from '../../model.ts';
import type { StaleRecord } from '../../graph-model.ts';
import type { Database } from '../database/database.ts';

/**
 * Marks records whose contribution to the graph may differ from now on: `linking`, whose links mean other records, and those
 * whose node is identified by another field because a document of the same identity came or went. Within a transaction,
 * before the graph of removed records is removed.
 * @param change the last change of the transaction
 */
export function markStale(
  db: Database,
  ns: number,
  kinds: ReadonlyMap<number, ChangeKind>,
  linking: ReadonlySet<number>,
  change: number,
): void {
  const mark = db.prepare('INSERT OR REPLACE INTO graph_stale (ns, record, since) VALUES (?, ?, ?)');
  const others = new Set(linking);
  for (const record of kinds.keys()) for (const other of sameIdentity(db, ns, record)) others.add(other);
  for (const record of others) if (!kinds.has(record)) mark.run(ns, record, change);
}

/** Records with the identity of this one, and if its node shares one, all whose nodes do. */
function sameIdentity(db: Database, ns: number, record: number): number[] {
  const now = db
    .prepare(
      `SELECT o.id FROM record AS r CROSS JOIN record AS o INDEXED BY record_identity
         ON o.ns = r.ns AND o.source = r.source AND o.identity = r.identity AND o.id <> r.id
       WHERE r.ns = ? AND r.id = ? AND r.identity IS NOT NULL AND o.deleted_at IS NULL`,
    )
    .all(ns, record);
  const before = db
    .prepare(
      `SELECT o.record AS id FROM graph_node AS n INDEXED BY graph_node_record
       CROSS JOIN graph_node AS o INDEXED BY graph_node_shared_identity ON o.ns = n.ns AND o.source = n.source
       WHERE n.ns = ? AND n.record = ? AND n.shares_identity = 1 AND o.shares_identity = 1`,
    )
    .all(ns, record);
  return [...now, ...before].map((row) => row['id'] as number).filter((id) => id !== record);
}

export function staleRecords(db: Database, ns: number, limit: number): StaleRecord[] {
  return db
    .prepare('SELECT record, since FROM graph_stale WHERE ns = ? ORDER BY record LIMIT ?')
    .all(ns, limit)
    .map((row) => ({ record: row['record'] as number, since: row['since'] as number }));
}

/** Those of the records whose source has another live document with the same identity. */
export function sharingIdentity(db: Database, ns: number, records: readonly number[]): number[] {
  const shares = db.prepare(
    `SELECT 1 FROM record AS r CROSS JOIN record AS o INDEXED BY record_identity
       ON o.ns = r.ns AND o.source = r.source AND o.identity = r.identity AND o.id <> r.id
     WHERE r.ns = ? AND r.id = ? AND r.identity IS NOT NULL AND o.deleted_at IS NULL LIMIT 1`,
  );
  return records.filter((record) => shares.get(ns, record) !== undefined);
}
