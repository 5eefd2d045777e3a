import type { Origin } from '../../../core/types.ts';
import type { NamespaceStats, StoreStats } from '../../admin-model.ts';
import type { StoreAdmin } from '../../store.ts';
import { resetBelongsTo } from '../derived/belongs-to.ts';
import { rebuildDerived } from '../derived/rebuild.ts';
import type { Driver } from '../driver.ts';
import { resetConcepts } from '../graph/write-concepts.ts';
import { resetGraph } from '../graph/write.ts';
import type { Sql } from '../sql.ts';
import { repairChanges } from '../write/changes.ts';

/** Without the administrative namespace, which has no records. */
export async function allNamespaces(sql: Sql): Promise<{ readonly ns: number; readonly name: string }[]> {
  const rows = await sql.all(`SELECT id, name FROM ${sql.dialect.namespaces} WHERE name <> '' ORDER BY name`);
  return rows.map((row) => ({ ns: Number(row['id']), name: String(row['name']) }));
}

/** The names of the namespaces that have a record. */
export async function writtenNamespaces(sql: Sql): Promise<string[]> {
  const rows = await sql.all(`SELECT name FROM ${sql.dialect.namespaces} WHERE has_records ORDER BY name`);
  return rows.map((row) => String(row['name']));
}

export async function stats(driver: Driver): Promise<StoreStats> {
  return driver.sql.snapshot(async () => {
    const namespaces: NamespaceStats[] = [];
    for (const { ns, name } of await allNamespaces(driver.sql))
      namespaces.push(await driver.sql.inNamespace(name, () => namespaceStats(driver, ns, name)));
    return { ...(await driver.storage.size()), namespaces };
  });
}

async function namespaceStats({ sql, text }: Driver, ns: number, namespace: string): Promise<NamespaceStats> {
  const byOrigin = new Map<Origin, number>();
  const bySource = new Map<string, number>();
  const groups = await sql.all(
    'SELECT origin, source, count(*) AS n FROM record WHERE ns = :ns AND deleted_at IS NULL GROUP BY origin, source',
    { ns },
  );
  for (const row of groups) {
    const origin = row['origin'] as Origin;
    byOrigin.set(origin, (byOrigin.get(origin) ?? 0) + Number(row['n']));
    const source = String(row['source']);
    bySource.set(source, (bySource.get(source) ?? 0) + Number(row['n']));
  }
  const counts = await sql.get(
    `SELECT (SELECT count(*) FROM record WHERE ns = :ns AND deleted_at IS NULL) AS records,
       (SELECT count(*) FROM record WHERE ns = :ns AND deleted_at IS NOT NULL) AS deleted,
       (SELECT count(*) FROM passage WHERE ns = :ns) AS passages, (SELECT count(*) FROM embedding WHERE ns = :ns) AS vectors`,
    { ns },
  );
  return {
    namespace,
    ...(counts as unknown as Pick<NamespaceStats, 'records' | 'deleted' | 'passages' | 'vectors'>),
    terms: await text.countWords(ns),
    byOrigin: Object.fromEntries(byOrigin),
    bySource: Object.fromEntries(bySource),
  };
}

/** See `StoreAdmin.resetDerived`. */
export type ResetOptions = Parameters<StoreAdmin['resetDerived']>[1];

export async function resetDerived(
  { sql, text, vectors, storage }: Driver,
  ns: number,
  options: ResetOptions,
): Promise<void> {
  await sql.transaction(async () => {
    // The table that was missing had rows of every namespace.
    const others = (await storage.createMissingTables())
      ? (await allNamespaces(sql)).map((each) => each.ns)
      : [ns];
    if (options.drop) {
      await text.reset(ns);
      await sql.remove('passage', [{ ns }]);
      await sql.run('UPDATE namespace SET epoch = epoch + 1 WHERE id = :ns', { ns });
    }
    for (const other of others) {
      await rebuildDerived(sql, other);
      await resetGraph(sql, other);
      await resetConcepts(sql, other);
    }
    await sql.run("DELETE FROM item WHERE ns = :ns AND kind = 'graph_layout'", { ns });
    await repairChanges(sql, ns);
    await resetBelongsTo(sql, ns);
    await sql.run('UPDATE record SET chunking = NULL WHERE ns = :ns', { ns });
    if (options.vectors) await sql.run('DELETE FROM embedding WHERE ns = :ns', { ns });
    await vectors.rebuild(ns);
  });
}

/** A condition on a vector that no passage uses. */
const UNUSED =
  'NOT EXISTS (SELECT 1 FROM passage AS p WHERE p.ns = embedding.ns AND p.hash = embedding.hash)';

/**
 * Merges pending words, removes unused vectors if they are more than a tenth of all, and erases what was removed. Unused vectors
 * take memory, and displace used ones from the candidates of a search.
 */
export async function compact({ sql, text, vectors, storage }: Driver, ns: number): Promise<void> {
  await text.merge(ns);
  const row = await sql.get(
    `SELECT count(*) AS vectors, coalesce(sum(CASE WHEN ${UNUSED} THEN 1 ELSE 0 END), 0) AS unused FROM embedding WHERE ns = :ns`,
    { ns },
  );
  if (Number(row?.['unused']) * 10 > Number(row?.['vectors']))
    await sql.transaction(async () => {
      await sql.run(`DELETE FROM embedding WHERE ns = :ns AND ${UNUSED}`, { ns });
      await vectors.rebuild(ns);
    });
  // Single sentences do not stay even that long: they are texts that somebody may have deleted.
  const sentences = `sentence_vector AS s WHERE EXISTS (
    SELECT 1 FROM embedding WHERE embedding.ns = :ns AND ${sql.dialect.sentenceOf} AND ${UNUSED})`;
  if ((await sql.get(`SELECT 1 FROM ${sentences} LIMIT 1`, { ns })) !== undefined)
    await sql.run(`DELETE FROM ${sentences}`, { ns });
  await storage.reclaim();
}
