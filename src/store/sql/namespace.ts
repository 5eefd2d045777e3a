import { LociError } from '../../core/errors.ts';
import type { Quota } from '../admin-model.ts';
import { ADMIN_NAMESPACE, NAMESPACE_REMOVAL, removalSubject } from '../rules/admin-namespace.ts';
import type { StateCounts, TextIndex } from './driver.ts';
import { readQuota } from './quota.ts';
import { atOnce, forgetNamespace, type Parameters, type Sql } from './sql.ts';

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
  /** How much it keeps before the transaction. */
  readonly quota: Quota;
}

/**
 * Creates the namespace if there is none. Within a transaction.
 * @param known its id, if it was read before
 * @throws LociError `gone` if it was removed
 */
export async function lockNamespace(
  sql: Sql,
  text: TextIndex,
  name: string,
  known: number | null = null,
): Promise<NamespaceRow> {
  const found = await lockExisting(sql, name, known);
  if (found !== null) return found;
  await assertNotRemoved(sql, name);
  await sql.run('INSERT INTO namespace (name) VALUES (:name) ON CONFLICT (name) DO NOTHING', { name });
  const ns = (await namespaceId(sql, name))!;
  // A namespace that is removed and made again has no epoch a second time: caches know it by its name.
  const added = await sql.run(
    `INSERT INTO namespace_state (ns, epoch) VALUES (:ns, ${sql.dialect.now}) ON CONFLICT (ns) DO NOTHING`,
    { ns },
  );
  if (added > 0) await text.create(ns);
  return (await lockState(sql, ns))!;
}

/** Whether a namespace was removed, and not admitted again. The last entry about it says so. */
export async function isRemoved(sql: Sql, name: string): Promise<boolean> {
  const last = await sql.inNamespace(ADMIN_NAMESPACE, () =>
    sql.get(
      `SELECT action FROM audit WHERE ns = (SELECT id FROM namespace WHERE name = '') AND subject = :subject ORDER BY seq DESC LIMIT 1`,
      { subject: removalSubject(name) },
    ),
  );
  return last?.['action'] === NAMESPACE_REMOVAL;
}

/**
 * Called before a namespace is made: processes that had it, such as those that refresh its sources, must not write it again.
 * @throws LociError `gone`
 */
export async function assertNotRemoved(sql: Sql, name: string): Promise<void> {
  if (name === ADMIN_NAMESPACE || !(await isRemoved(sql, name))) return;
  throw new LociError('gone', `the namespace ${JSON.stringify(name)} was deleted`, {
    hint:
      'Take it out of the settings: `namespace`, and what `vaults`, `sources` and `skills` name for it. ' +
      'The operator can make it again: `loci serve token create --subject NAME`.',
  });
}

/** As `lockNamespace`, but does not create it. `null` also for a namespace that is being removed. */
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
  // The quota is read by another statement, because the one that waits for the lock reads other tables as they were before.
  const [row, quota] = await atOnce(sql, [
    () =>
      sql.get(
        `SELECT removed, next_record, last_change, epoch, audit_chain, audit_length, audit_head
         FROM namespace_state WHERE ns = :ns ${sql.dialect.forUpdate}`,
        { ns },
      ),
    () => readQuota({ sql, ns }),
  ]);
  if (row === undefined || Number(row['removed']) === 1) return null;
  const { audit_chain: chain, audit_length: length, audit_head: head } = row;
  return {
    id: ns,
    nextRecord: Number(row['next_record']),
    lastChange: Number(row['last_change']),
    epoch: Number(row['epoch']),
    audit: chain === null ? null : { chain: String(chain), length: Number(length), head: String(head) },
    quota,
  };
}

/** Whether a namespace is there, and not being removed. */
export async function isKept(sql: Sql, ns: number): Promise<boolean> {
  const row = await sql.get('SELECT removed FROM namespace_state WHERE ns = :ns', { ns });
  return row?.['removed'] === 0;
}

/** @throws LociError `gone` for a namespace that is being removed, or was */
export async function assertKept(sql: Sql, ns: number): Promise<void> {
  if (!(await isKept(sql, ns))) throw new LociError('gone', 'the namespace was deleted');
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
