import type { ChangeKind } from '../../model.ts';
import type { Sql } from '../sql.ts';

/**
 * Marks records whose contribution to the graph may differ from now on: `linking`, whose links mean other records, and those
 * whose node is identified by another field because a document of the same identity came or went. Within a transaction,
 * before the graph of removed records is removed.
 * @param identified those of the changed records that have or had an identity
 * @param since the last change of the transaction
 */
export async function markStale(
  sql: Sql,
  ns: number,
  kinds: ReadonlyMap<number, ChangeKind>,
  identified: readonly number[],
  linking: ReadonlySet<number>,
  since: number,
): Promise<void> {
  const others = new Set([...linking, ...(await sameIdentity(sql, ns, identified))]);
  const stale = [...others].filter((record) => !kinds.has(record));
  await sql.write('graph_stale', stale.map((record) => ({ ns, record, since })), 'replace'); // prettier-ignore
}

/** Records with the identity of one of these, and where the node of one shares its identity, all whose nodes do. */
async function sameIdentity(sql: Sql, ns: number, records: readonly number[]): Promise<number[]> {
  if (records.length === 0) return [];
  const { list, join, index } = sql.dialect;
  const rows = await sql.all(
    `SELECT o.id FROM ${list('records', 'integer')} AS w ${join} record AS r ON r.ns = :ns AND r.id = w.value
     ${join} record AS o ${index('record_identity')}
       ON o.ns = r.ns AND o.source = r.source AND o.identity = r.identity AND o.id <> r.id
     WHERE r.identity IS NOT NULL AND o.deleted_at IS NULL
     UNION SELECT o.record FROM ${list('records', 'integer')} AS w
     ${join} graph_node AS n ${index('graph_node_record')} ON n.ns = :ns AND n.record = w.value
     ${join} graph_node AS o ${index('graph_node_shared_identity')} ON o.ns = n.ns AND o.source = n.source
     WHERE n.shares_identity = 1 AND o.shares_identity = 1`,
    { ns, records },
  );
  return rows.map(({ id }) => id as number);
}
