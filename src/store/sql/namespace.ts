import { LociError } from '../../core/errors.ts';
import type { Row, Sql } from './sql.ts';
import type { TextIndex } from './text-index.ts';

/** What the row of a namespace has. The transaction that reads it for a commit is the only one that changes the namespace. */
export interface NamespaceRow {
  readonly id: number;
  readonly nextRecord: number;
  readonly lastChange: number;
  /** Cached records and passages of the namespace are valid as long as it is the same. New passages do not change it. */
  readonly epoch: number;
}

/** Creates the namespace if there is none. Within a transaction. */
export async function lockNamespace(sql: Sql, text: TextIndex, name: string): Promise<NamespaceRow> {
  const found = await readRow(sql, name);
  if (found !== undefined) return namespaceOf(found);
  await sql.run('INSERT INTO namespace (name) VALUES (:name)', { name });
  const created = namespaceOf((await readRow(sql, name))!);
  await text.create(created.id);
  return created;
}

/** The namespace as `lockNamespace` returns it, but it must exist. @throws LociError `not_found` */
export async function requireNamespace(sql: Sql, name: string): Promise<NamespaceRow> {
  const found = await readRow(sql, name);
  if (found === undefined) throw new LociError('not_found', `no namespace ${name}`);
  return namespaceOf(found);
}

function readRow(sql: Sql, name: string): Promise<Row | undefined> {
  return sql.get(
    `SELECT id, next_record, last_change, epoch FROM namespace WHERE name = :name ${sql.dialect.lock}`,
    { name },
  );
}

function namespaceOf(row: Row): NamespaceRow {
  return {
    id: Number(row['id']),
    nextRecord: Number(row['next_record']),
    lastChange: Number(row['last_change']),
    epoch: Number(row['epoch']),
  };
}
