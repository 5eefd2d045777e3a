import type { StateCounts, TextIndex } from './driver.ts';
import { forgetNamespace, type Parameters, type Sql } from './sql.ts';

/** A chain of the audit log, and its last entry. */
export interface Chain {
  readonly chain: string;
  readonly length: number;
  readonly head: string;
}

/** The state of a namespace. The transaction that locked it is the only one that changes the namespace. */
export interface NamespaceRow {
  readonly id: number;
  readonly nextRecord: number;
  readonly lastChange: number;
  /** Cached records and passages of the namespace are valid as long as it is the same. New passages do not change it. */
  readonly epoch: number;
  /** The end of its audit log; `null` before the first entry. */
  readonly audit: Chain | null;
}

/**
 * Creates the namespace if there is none. Within a transaction.
 * @param known its id, if it was read before
 */
export async function lockNamespace(
  sql: Sql,
  text: TextIndex,
  name: string,
  known: number | null = null,
): Promise<NamespaceRow> {
  const found = await lockExisting(sql, name, known);
  if (found !== null) return found;
  await sql.run('INSERT INTO namespace (name) VALUES (:name) ON CONFLICT (name) DO NOTHING', { name });
  const ns = (await namespaceId(sql, name))!;
  const added = await sql.run('INSERT INTO namespace_state (ns) VALUES (:ns) ON CONFLICT (ns) DO NOTHING', {
    ns,
  });
  if (added > 0) await text.create(ns);
  return (await lockState(sql, ns))!;
}

/** As `lockNamespace`, but does not create it. */
export async function lockExisting(
  sql: Sql,
  name: string,
  known: number | null = null,
): Promise<NamespaceRow | null> {
  if (known !== null) {
    const row = await lockState(sql, known);
    if (row !== null) return row;
    forgetNamespace(sql, name);
  }
  const ns = await namespaceId(sql, name);
  return ns === null ? null : lockState(sql, ns);
}

async function namespaceId(sql: Sql, name: string): Promise<number | null> {
  const row = await sql.get('SELECT id FROM namespace WHERE name = :name', { name });
  return row === undefined ? null : Number(row['id']);
}

async function lockState(sql: Sql, ns: number): Promise<NamespaceRow | null> {
  const row = await sql.get(
    `SELECT next_record, last_change, epoch, audit_chain, audit_length, audit_head
     FROM namespace_state WHERE ns = :ns ${sql.dialect.forUpdate}`,
    { ns },
  );
  if (row === undefined) return null;
  const { audit_chain: chain, audit_length: length, audit_head: head } = row;
  return {
    id: ns,
    nextRecord: Number(row['next_record']),
    lastChange: Number(row['last_change']),
    epoch: Number(row['epoch']),
    audit: chain === null ? null : { chain: String(chain), length: Number(length), head: String(head) },
  };
}

/** Sets columns of the state, and adds to others. Within the transaction that locked it. */
export async function updateState(
  sql: Sql,
  ns: number,
  columns: Readonly<Record<string, Parameters[string]>>,
  counts: StateCounts = {},
): Promise<void> {
  const assignments = [
    ...Object.keys(columns).map((column) => `${column} = :${column}`),
    ...Object.keys(counts).map((column) => `${column} = ${column} + :${column}`),
  ];
  if (assignments.length === 0) return;
  await sql.change(`UPDATE namespace_state SET ${assignments.join(', ')} WHERE ns = :ns`, {
    ns,
    ...columns,
    ...counts,
  });
}
