import { atOnce, type Row, type Sql } from './sql.ts';
import type { TextIndex } from './driver.ts';

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
}

/** Creates the namespace if there is none. Within a transaction. */
export async function lockNamespace(sql: Sql, text: TextIndex, name: string): Promise<NamespaceRow> {
  const found = await lockExisting(sql, name);
  if (found !== null) return found;
  const added = await sql.run('INSERT INTO namespace (name) VALUES (:name) ON CONFLICT (name) DO NOTHING', {
    name,
  });
  const created = (await lockExisting(sql, name))!;
  if (added > 0) await text.create(created.id);
  return created;
}

/** Within a transaction. */
export async function lockExisting(sql: Sql, name: string): Promise<NamespaceRow | null> {
  let row: Row | undefined;
  const [isLocked] = await atOnce(sql, [
    () => sql.lock('namespace', { name }),
    async () => {
      row = await sql.get(
        `SELECT n.id, n.next_record, n.last_change, n.epoch, a.chain, a.length, a.head
         FROM namespace AS n LEFT JOIN audit_log AS a ON a.ns = n.id WHERE n.name = :name`,
        { name },
      );
      return true;
    },
  ]);
  if (isLocked !== true || row === undefined) return null;
  const { chain, length, head } = row;
  return {
    id: Number(row['id']),
    nextRecord: Number(row['next_record']),
    lastChange: Number(row['last_change']),
    epoch: Number(row['epoch']),
    audit: chain === null ? null : { chain: String(chain), length: Number(length), head: String(head) },
  };
}
