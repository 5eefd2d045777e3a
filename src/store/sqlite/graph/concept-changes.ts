import { storedJson } from '../../sql/stored-json.ts';
import type { ConceptChange, ConceptChangeDetail } from '../../concept-model.ts';
import type { Database } from '../database/database.ts';

export function conceptChanges(db: Database, ns: number): ConceptChange[] {
  return db
    .prepare(
      'SELECT id, at, actor, surface, project, detail FROM concept_change WHERE ns = ? ORDER BY at, id',
    )
    .all(ns)
    .map((row) => ({
      id: row['id'] as string,
      at: row['at'] as number,
      actor: row['actor'] as string,
      surface: row['surface'] as string,
      project: row['project'] as string,
      ...(storedJson(
        row['detail'],
        () => `the change ${String(row['id'])} of a concept`,
      ) as ConceptChangeDetail),
    }));
}

/** A change with a known id is left as it is. Within a transaction. */
export function putConceptChanges(db: Database, ns: number, changes: readonly ConceptChange[]): void {
  const insert = db.prepare(
    `INSERT OR IGNORE INTO concept_change (ns, id, at, actor, surface, project, detail) VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  for (const { id, at, actor, surface, project, ...detail } of changes)
    insert.run(ns, id, at, actor, surface, project, JSON.stringify(detail));
}
