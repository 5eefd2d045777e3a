import type { Origin, Timestamp } from '../../../core/types.ts';
import type {
  NamespaceRecords,
  NamespaceStats,
  PurgeTimes,
  StoreSize,
  StoreTotals,
} from '../../admin-model.ts';
import type { AdminNamespace } from '../../rules/admin-namespace.ts';
import type { PendingOfNamespace } from '../../search-model.ts';
import type { Driver, Scope } from '../driver.ts';
import { objectsOf } from '../rows.ts';
import { atOnce, type Sql } from '../sql.ts';

/** Without the administrative namespace, which has no records. */
export async function allNamespaces(sql: Sql): Promise<{ readonly ns: number; readonly name: string }[]> {
  const rows = await sql.all("SELECT id, name FROM all_namespaces WHERE name <> '' ORDER BY name");
  return rows.map((row) => ({ ns: Number(row['id']), name: String(row['name']) }));
}

/** The names of the namespaces that have a record, or this one only, if it has. */
export async function writtenNamespaces(
  { sql }: Driver,
  _admin: AdminNamespace,
  only?: string,
): Promise<string[]> {
  const rows = await sql.all(
    `SELECT name FROM all_namespaces WHERE has_records${only === undefined ? '' : ' AND name = :only'} ORDER BY name`,
    only === undefined ? {} : { only },
  );
  return rows.map((row) => String(row['name']));
}

/** How many records of each namespace that has any are found at a time, by name. */
export async function recordCounts(
  { sql }: Driver,
  _admin: AdminNamespace,
  now: Timestamp,
): Promise<NamespaceRecords[]> {
  const rows = await sql.all(
    `SELECT n.name AS namespace, CAST(coalesce(sum(r.records), 0) AS BIGINT) AS records FROM all_namespaces AS n
     LEFT JOIN all_records AS r ON r.ns = n.id AND (r.expires_at IS NULL OR r.expires_at > :now)
     WHERE n.has_records GROUP BY n.name ORDER BY n.name`,
    { now },
  );
  return objectsOf(rows);
}

/** The namespaces that have something to purge, by name. */
export async function dueNamespaces(
  { sql }: Driver,
  _admin: AdminNamespace,
  times: PurgeTimes,
): Promise<string[]> {
  const condition =
    'receiptsBefore' in times
      ? 'oldest_receipt < :receiptsBefore'
      : 'oldest_deletion < :deletedBefore OR next_expiry <= :expiredBy OR next_item_expiry <= :expiredBy';
  const rows = await sql.all(
    `SELECT name FROM all_namespaces WHERE name <> '' AND (${condition}) ORDER BY name`,
    { ...times },
  );
  return rows.map((row) => String(row['name']));
}

/** The namespaces that have texts without a vector of the generation, by name. */
export async function allPending(
  { sql }: Driver,
  _admin: AdminNamespace,
  generation: number,
): Promise<PendingOfNamespace[]> {
  const rows = await sql.all(
    `SELECT n.name AS namespace, p.texts, p.bytes FROM all_pending AS p JOIN all_namespaces AS n ON n.id = p.ns
     WHERE p.generation = :generation ORDER BY n.name`,
    { generation },
  );
  return objectsOf(rows);
}

/** @param namespace one that is not counted, as the administrative one is not */
export async function size(
  { sql, storage }: Driver,
  _admin: AdminNamespace,
  namespace: string,
): Promise<StoreSize & { readonly otherNamespaces: number }> {
  const [found, row] = await atOnce(sql, [
    () => storage.size(),
    () =>
      sql.get(`SELECT count(*) AS "otherNamespaces" FROM all_namespaces WHERE name NOT IN ('', :namespace)`, {
        namespace,
      }),
  ]);
  return { ...found, ...row } as StoreSize & { readonly otherNamespaces: number };
}

/** The sums of all namespaces. */
export async function totals({ sql, storage }: Driver, _admin: AdminNamespace): Promise<StoreTotals> {
  const [size, row] = await atOnce(sql, [
    () => storage.size(),
    () =>
      sql.get(
        `SELECT t.*, CAST((SELECT coalesce(sum(texts), 0) FROM all_pending
           WHERE generation = (SELECT id FROM generation WHERE active = 1)) AS BIGINT) AS pending
         FROM all_totals AS t`,
      ),
  ]);
  return { ...size, ...row } as StoreTotals;
}

/** The figures of a namespace: one statement, and that for its words. */
export async function stats({ sql, text, ns }: Scope): Promise<NamespaceStats> {
  const [rows, terms] = await atOnce(sql, [
    () =>
      sql.all(
        `SELECT 'record' AS kind, origin, source, count(*) AS n FROM record WHERE ns = :ns AND deleted_at IS NULL GROUP BY origin, source
         UNION ALL SELECT 'deleted', '', '', count(*) FROM record WHERE ns = :ns AND deleted_at IS NOT NULL
         UNION ALL SELECT 'passages', '', '', count(*) FROM passage WHERE ns = :ns
         UNION ALL SELECT 'vectors', '', '', count(*) FROM embedding WHERE ns = :ns
         UNION ALL SELECT 'texts', '', '', count(DISTINCT p.hash) FROM passage AS p
           JOIN record AS r ON r.ns = p.ns AND r.id = p.record WHERE p.ns = :ns AND r.deleted_at IS NULL
         UNION ALL SELECT 'embedded', CAST(v.generation AS TEXT), '', count(*) FROM embedding AS v WHERE v.ns = :ns AND EXISTS (
           SELECT 1 FROM passage AS p JOIN record AS r ON r.ns = p.ns AND r.id = p.record
           WHERE p.ns = :ns AND p.hash = v.hash AND r.deleted_at IS NULL) GROUP BY v.generation`,
        { ns },
      ),
    () => text.countWords(ns),
  ]);
  const byOrigin: Partial<Record<Origin, number>> = {};
  const bySource: Record<string, number> = Object.create(null) as Record<string, number>;
  const embedded = new Map<number, number>();
  const counts = { records: 0, deleted: 0, passages: 0, vectors: 0, texts: 0 };
  for (const row of rows) {
    const [kind, n] = [String(row['kind']), Number(row['n'])];
    if (kind === 'record') {
      const [origin, source] = [row['origin'] as Origin, String(row['source'])];
      counts.records += n;
      byOrigin[origin] = (byOrigin[origin] ?? 0) + n;
      bySource[source] = (bySource[source] ?? 0) + n;
    } else if (kind === 'embedded') embedded.set(Number(row['origin']), n);
    else counts[kind as keyof typeof counts] = n;
  }
  return { ...counts, terms, byOrigin, bySource: { ...bySource }, embedded };
}
