import { LociError } from '../../core/errors.ts';
import type { Quota } from '../admin-model.ts';
import { ADMIN_NAMESPACE, NAMESPACE_REMOVAL, removalSubject } from '../rules/admin-namespace.ts';
import type { TextIndex } from './driver.ts';
import { QUOTA, quotaOf } from './quota.ts';
import { atOnce, type Row, type Sql } from './sql.ts';

/** A chain of the audit log, and its last entry. */
export interface Chain {
  readonly chain: string;
  readonly length: number;
  readonly head: string;
}

/** What the row of a namespace has. The transaction that reads it for a commit is the only one that changes the namespace. */
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

/** Creates the namespace if there is none. Within a transaction. @throws LociError `gone` if it was removed */
export async function lockNamespace(sql: Sql, text: TextIndex, name: string): Promise<NamespaceRow> {
  const found = await lockExisting(sql, name);
  if (found !== null) return found;
  await assertNotRemoved(sql, name);
  const added = await sql.run('INSERT INTO namespace (name) VALUES (:name) ON CONFLICT (name) DO NOTHING', {
    name,
  });
  const created = (await lockExisting(sql, name))!;
  if (added > 0) await text.create(created.id);
  return created;
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

/** `null` also for a namespace that is being removed. Within a transaction. */
export async function lockExisting(sql: Sql, name: string): Promise<NamespaceRow | null> {
  let row: Row | undefined;
  const [isLocked] = await atOnce(sql, [
    () => sql.lock('namespace', { name }),
    async () => {
      row = await sql.get(
        `SELECT n.id, n.removed, n.next_record, n.last_change, n.epoch, a.chain, a.length, a.head, ${QUOTA}
         FROM namespace AS n LEFT JOIN audit_log AS a ON a.ns = n.id LEFT JOIN quota AS q ON q.ns = n.id WHERE n.name = :name`,
        { name },
      );
      return true;
    },
  ]);
  if (isLocked !== true || row === undefined || Number(row['removed']) === 1) return null;
  const { chain, length, head } = row;
  return {
    id: Number(row['id']),
    nextRecord: Number(row['next_record']),
    lastChange: Number(row['last_change']),
    epoch: Number(row['epoch']),
    audit: chain === null ? null : { chain: String(chain), length: Number(length), head: String(head) },
    quota: quotaOf(row),
  };
}
