import { messageOf } from '../../../core/errors.ts';
import type { StoredItem } from '../../item-model.ts';
import { itemName } from '../../items/kinds.ts';
import { verifyDerived } from '../derived/rebuild.ts';
import type { Driver } from '../driver.ts';
import type { Dialect, Sql } from '../sql.ts';
import { verifyChanges } from '../write/changes.ts';
import { allNamespaces } from './maintenance.ts';

/** The maximum number of reported differences of one kind. */
const MAX_FINDINGS = 5;

/** Checks what is stored below the rows, and the structure of the full-text indexes. */
export async function verifyStorage({ sql, text, storage }: Driver): Promise<string[]> {
  return sql.snapshot(async () => {
    // The check of the storage and `verifyNamespace` report an index that cannot be read.
    for (const { ns } of await allNamespaces(sql)) await text.refresh(ns).catch(() => undefined);
    return storage.verify();
  });
}

/** Compares every index of a namespace with the records. An error becomes a finding. */
export async function verifyNamespace({ sql, text, vectors }: Driver, ns: number): Promise<string[]> {
  try {
    const damaged = await verifyJson(sql, ns);
    // The comparison reads all records.
    if (damaged.length > 0) return damaged;
    return [
      ...(await text.verify(ns, MAX_FINDINGS)),
      ...(await vectors.verify(ns, MAX_FINDINGS)),
      ...(await verifyDerived(sql, ns, MAX_FINDINGS)),
      ...(await verifyChanges(sql, ns, MAX_FINDINGS)),
    ];
  } catch (error) {
    return [messageOf(error)];
  }
}

/** Where JSON is stored that reads parse: a column, its table, and how a finding names a row of it. */
function jsonColumns({ isTextList, isObject }: Dialect) {
  return [
    ['tags', 'record', "'the list of tags of record/' || id", isTextList],
    ['metadata', 'record', "'the metadata of record/' || id", isObject],
    ['headings', 'passage', "'the list of headings of a passage of record/' || record", isTextList],
    ['tags', 'graph_node', "'the list of tags of node ' || id", isTextList],
  ] as const;
}

async function verifyJson(sql: Sql, ns: number): Promise<string[]> {
  const names: string[] = [];
  for (const [column, table, name, isIntact] of jsonColumns(sql.dialect)) {
    const rows = await sql.all(
      `SELECT DISTINCT ${name} AS name FROM ${table} WHERE ns = :ns AND NOT ${isIntact(column)} LIMIT :limit`,
      { ns, limit: MAX_FINDINGS },
    );
    names.push(...rows.map((row) => String(row['name'])));
  }
  // Receipts have a check of their own.
  const items = await sql.all(
    `SELECT kind, key, position FROM item WHERE ns = :ns AND kind <> 'receipt' AND NOT ${sql.dialect.isJson('body')}
     ORDER BY kind, position LIMIT :limit`,
    { ns, limit: MAX_FINDINGS },
  );
  names.push(...items.map((row) => itemName(row as unknown as StoredItem)));
  return names.map((name) => `${name} cannot be read`);
}
