import { LociError, messageOf } from '../../../core/errors.ts';
import type { AdminNamespace } from '../../rules/admin-namespace.ts';
import type { StoredItem } from '../../item-model.ts';
import { itemName } from '../../items/kinds.ts';
import { rebuildDerived, verifyDerived } from '../derived/derived.ts';
import type { Driver, Scope } from '../driver.ts';
import { resetBelongsTo, resetConcepts, resetGraph } from '../graph/write.ts';
import { isKept, lockExisting, updateState } from '../namespace.ts';
import { recount, verifyQuota } from '../quota.ts';
import { textEntries } from '../read/passages.ts';
import { atOnce, type Dialect, type Sql } from '../sql.ts';
import { repairChanges, verifyChanges } from '../write/changes.ts';
import { allNamespaces } from './figures.ts';

/** Whether the namespace is still there, which is locked then: what is derived of one that is being removed would stay. */
async function lockKept({ sql, namespace, ns }: Scope): Promise<boolean> {
  const row = await lockExisting(sql, namespace, ns);
  return row?.id === ns;
}

export async function resetDerived(
  scope: Scope,
  options: { readonly text: boolean; readonly vectors: boolean },
): Promise<void> {
  const { sql, vectors, storage, ns } = scope;
  await sql.transaction(async () => {
    if (!(await lockKept(scope))) return;
    // The table that was missing had rows of every namespace.
    const others = (await storage.createMissingTables())
      ? (await allNamespaces(sql)).map((each) => each.ns)
      : [ns];
    if (options.text) await rebuildText(scope);
    for (const other of others) {
      await rebuildDerived(sql, other);
      await resetGraph(sql, other);
      await resetConcepts(sql, other);
    }
    await sql.change("DELETE FROM item WHERE ns = :ns AND kind = 'graph_layout'", { ns });
    await repairChanges(sql, ns);
    await recount(sql, ns);
    await resetBelongsTo(sql, ns);
    await sql.change('UPDATE record SET chunking = NULL WHERE ns = :ns', { ns });
    if (options.vectors) await sql.run('DELETE FROM embedding WHERE ns = :ns', { ns });
    await vectors.rebuild(ns);
  });
}

/** Indexes all passages again. Searches read the index before until the transaction ends. */
async function rebuildText({ sql, text, ns }: Scope): Promise<void> {
  await text.reset(ns);
  // The passages of its record are derived again.
  await sql.change(`DELETE FROM passage WHERE ns = :ns AND NOT ${sql.dialect.isTextList('headings')}`, {
    ns,
  });
  for await (const added of textEntries(sql, ns, 'is empty'))
    await updateState(sql, ns, {}, await text.change(ns, { added, removed: [], erased: [], isPurge: false }));
  await updateState(sql, ns, {}, { epoch: 1 });
}

/** Whether the full-text index differs from the passages, or has passages that cannot be read. */
export async function isTextDamaged({ sql, text, ns }: Scope): Promise<boolean> {
  try {
    const unreadable = `SELECT 1 FROM passage WHERE ns = :ns AND NOT ${sql.dialect.isTextList('headings')} LIMIT 1`;
    return (await sql.get(unreadable, { ns })) !== undefined || (await text.verify(ns, 1)).length > 0;
  } catch (error) {
    if (error instanceof LociError && error.code === 'store_corrupt') return true;
    throw error;
  }
}

/** A condition on a vector that no passage uses. */
const UNUSED =
  'NOT EXISTS (SELECT 1 FROM passage AS p WHERE p.ns = embedding.ns AND p.hash = embedding.hash)';

/**
 * Merges pending words, removes unused vectors if they are more than a tenth of all, and erases what was removed. Unused vectors
 * take memory, and displace used ones from the candidates of a search.
 */
export async function compact(scope: Scope): Promise<void> {
  const { sql, text, vectors, storage, ns } = scope;
  if (!(await isKept(sql, ns))) return;
  await text.merge(ns);
  const row = await sql.get(
    `SELECT count(*) AS vectors, coalesce(sum(CASE WHEN ${UNUSED} THEN 1 ELSE 0 END), 0) AS unused FROM embedding WHERE ns = :ns`,
    { ns },
  );
  if (Number(row?.['unused']) * 10 > Number(row?.['vectors']))
    await sql.transaction(async () => {
      if (!(await lockKept(scope))) return;
      await sql.change(`DELETE FROM embedding WHERE ns = :ns AND ${UNUSED}`, { ns });
      await vectors.rebuild(ns);
    });
  // Single sentences do not stay even that long: they are texts that somebody may have deleted.
  const sentences = `sentence_vector AS s WHERE EXISTS (
    SELECT 1 FROM embedding WHERE embedding.ns = :ns AND ${sql.dialect.sentenceOf} AND ${UNUSED})`;
  if ((await sql.get(`SELECT 1 FROM ${sentences} LIMIT 1`, { ns })) !== undefined)
    await sql.transaction(async () => {
      if (!(await lockKept(scope))) return;
      await sql.change(`DELETE FROM ${sentences}`, { ns });
    });
  await storage.reclaim();
}

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
export async function verifyNamespace({ sql, text, vectors, ns }: Scope): Promise<string[]> {
  try {
    const damaged = await verifyJson(sql, ns);
    // The comparison reads all records.
    if (damaged.length > 0) return damaged;
    const findings = await atOnce(sql, [
      () => text.verify(ns, MAX_FINDINGS),
      () => vectors.verify(ns, MAX_FINDINGS),
      () => verifyDerived(sql, ns, MAX_FINDINGS),
      () => verifyChanges(sql, ns, MAX_FINDINGS),
      () => verifyQuota(sql, ns),
    ]);
    return findings.flat();
  } catch (error) {
    return [messageOf(error)];
  }
}

/** How many namespaces are compared at once, each by a connection of its own where there are several. */
const NAMESPACES_AT_ONCE = 4;

/**
 * Compares the next few namespaces, by name, as `verifyNamespace` does.
 * @param after the last namespace of the call before; empty for the first call
 */
export async function verifyNamespaces(
  driver: Driver,
  _admin: AdminNamespace,
  after: string,
): Promise<{ readonly namespace: string; readonly findings: readonly string[] }[]> {
  const { sql } = driver;
  const page = await sql.all(
    "SELECT id, name FROM all_namespaces WHERE name <> '' AND name > :after ORDER BY name LIMIT :limit",
    { after, limit: NAMESPACES_AT_ONCE },
  );
  return atOnce(
    sql,
    page.map((row) => async () => {
      const [ns, namespace] = [Number(row['id']), String(row['name'])];
      const findings = await sql.inNamespace(namespace, () =>
        sql.snapshot(() => verifyNamespace({ ...driver, namespace, ns })),
      );
      return { namespace, findings };
    }),
  );
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
