import { statSync } from 'node:fs';
import type { Origin } from '../../../core/types.ts';
import type { NamespaceStats, StoreStats } from '../../admin-model.ts';
import { resetConcepts } from '../../sql/graph/write-concepts.ts';
import { resetGraph } from '../../sql/graph/write.ts';
import { repairChanges } from '../../sql/write/changes.ts';
import { resetBelongsTo } from '../../sql/derived/belongs-to.ts';
import { rebuildDerived } from '../../sql/derived/rebuild.ts';
import type { Database, SqliteDriver } from '../database/database.ts';
import { createMissingTables } from './migrate.ts';
import { allNamespaces, createTextTable, dropTextTable } from '../database/namespaces.ts';
import { packSignCodes } from '../vectors/vectors.ts';
import { countTerms, mergePendingWords } from '../text/vocabulary.ts';

export function stats(db: Database): StoreStats {
  return db.snapshot(() => ({
    bytes: fileBytes(db.path),
    schemaVersion: Number(db.prepare('PRAGMA user_version').get()?.['user_version']),
    namespaces: allNamespaces(db).map(({ ns, name }) => namespaceStats(db, ns, name)),
  }));
}

function fileBytes(path: string): number {
  let bytes = 0;
  for (const suffix of ['', '-wal']) bytes += statSync(path + suffix, { throwIfNoEntry: false })?.size ?? 0;
  return bytes;
}

function namespaceStats(db: Database, ns: number, namespace: string): NamespaceStats {
  const count = (sql: string): number => Number(db.prepare(sql).get(ns)?.['n']);
  const byOrigin = new Map<Origin, number>();
  const bySource = new Map<string, number>();
  const groups = db.prepare(
    'SELECT origin, source, count(*) AS n FROM record WHERE ns = ? AND deleted_at IS NULL GROUP BY origin, source',
  );
  for (const row of groups.all(ns)) {
    const origin = row['origin'] as Origin;
    byOrigin.set(origin, (byOrigin.get(origin) ?? 0) + Number(row['n']));
    const source = String(row['source']);
    bySource.set(source, (bySource.get(source) ?? 0) + Number(row['n']));
  }
  return {
    namespace,
    records: count('SELECT count(*) AS n FROM record WHERE ns = ? AND deleted_at IS NULL'),
    deleted: count('SELECT count(*) AS n FROM record WHERE ns = ? AND deleted_at IS NOT NULL'),
    passages: count('SELECT count(*) AS n FROM passage WHERE ns = ?'),
    terms: countTerms(db, ns),
    vectors: count('SELECT count(*) AS n FROM vector WHERE ns = ?'),
    byOrigin: Object.fromEntries(byOrigin),
    bySource: Object.fromEntries(bySource),
  };
}

export async function resetDerived(
  driver: SqliteDriver,
  ns: number,
  options: { readonly drop: boolean; readonly vectors: boolean },
): Promise<void> {
  const { sql, db } = driver;
  await sql.transaction(async () => {
    // The table that was missing had rows of every namespace.
    const others = createMissingTables(db) ? allNamespaces(db).map((each) => each.ns) : [ns];
    if (options.drop) dropPassages(db, ns);
    for (const other of others) {
      await rebuildDerived(sql, other);
      await resetGraph(sql, other);
      await resetConcepts(sql, other);
    }
    await repairChanges(sql, ns);
    await resetBelongsTo(sql, ns);
    await sql.run('UPDATE record SET chunking = NULL WHERE ns = :ns', { ns });
    if (options.vectors) removeVectors(db, 'ns = ?', ns);
    else rebuildSignCodes(db, ns);
  });
}

function dropPassages(db: Database, ns: number): void {
  dropTextTable(db, ns);
  createTextTable(db, ns);
  db.prepare('DELETE FROM passage WHERE ns = ?').run(ns);
  db.prepare('DELETE FROM term WHERE ns = ?').run(ns);
  db.prepare('DELETE FROM word_change WHERE ns = ?').run(ns);
  db.prepare('UPDATE namespace SET epoch = epoch + 1, word_epoch = word_epoch + 1 WHERE id = ?').run(ns);
}

const UNUSED = 'NOT EXISTS (SELECT 1 FROM passage AS p WHERE p.ns = vector.ns AND p.hash = vector.hash)';

/**
 * Merges pending words, removes unused vectors if they are more than a tenth of all, and truncates the WAL. Unused vectors take
 * memory, and displace used ones from the candidates of a search.
 */
export function compact(db: Database, ns: number): void {
  mergePendingWords(db, ns);
  const row = db
    .prepare(`SELECT count(*) AS vectors, total(${UNUSED}) AS unused FROM vector WHERE ns = ?`)
    .get(ns);
  if (Number(row?.['unused']) * 10 > Number(row?.['vectors'])) {
    db.transaction(() => {
      removeVectors(db, `ns = ? AND ${UNUSED}`, ns);
    });
  }
  // Single sentences do not stay even that long: they are texts that somebody may have deleted.
  const hasUnused = db.prepare(`SELECT 1 FROM ${UNUSED_SENTENCES} LIMIT 1`).get(ns) !== undefined;
  if (hasUnused)
    db.prepare(
      `DELETE FROM sentence_vector WHERE vector IN (SELECT sentence_vector.vector FROM ${UNUSED_SENTENCES})`,
    ).run(ns);
  db.truncateWal();
}

const UNUSED_SENTENCES = `sentence_vector JOIN vector ON vector.id = sentence_vector.vector WHERE vector.ns = ? AND ${UNUSED}`;

function removeVectors(db: Database, condition: string, ns: number): void {
  db.prepare(`DELETE FROM vector WHERE ${condition}`).run(ns);
  rebuildSignCodes(db, ns);
}

/** Rebuilds the sign codes from the remaining vectors. The new epoch makes every process load them again. */
function rebuildSignCodes(db: Database, ns: number): void {
  db.prepare('DELETE FROM code_chunk WHERE ns = ?').run(ns);
  for (const { id } of db.prepare('SELECT id FROM generation').all()) packSignCodes(db, ns, Number(id));
  db.prepare('UPDATE vector_epoch SET epoch = epoch + 1').run();
}
