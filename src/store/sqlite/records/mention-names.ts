import { MAX_BEARERS } from '../../rules/mention-names.ts';
import type { NamedRecord } from '../../search-model.ts';
import type { Database } from '../database/database.ts';

/** The records that have one of these names; a name that more than `MAX_BEARERS` records have is left out. */
export function namedRecordsOf(db: Database, ns: number, names: readonly string[]): NamedRecord[] {
  // The inner limit keeps a name that thousands of records have from being read in full.
  const rows = db
    .prepare(
      `SELECT wanted.value AS name, (SELECT json_group_array(record) FROM (
         SELECT n.record FROM name AS n WHERE n.ns = ?1 AND n.kind = 'mention' AND n.name = wanted.value
         ORDER BY n.record LIMIT ${String(MAX_BEARERS + 1)})) AS records
       FROM json_each(?2) AS wanted
       WHERE EXISTS (SELECT 1 FROM name AS n WHERE n.ns = ?1 AND n.kind = 'mention' AND n.name = wanted.value)`,
    )
    .all(ns, JSON.stringify([...new Set(names)]));
  const firstPassage = db.prepare('SELECT id FROM passage WHERE ns = ? AND record = ? AND ordinal = 0');
  return rows.flatMap((row) => {
    const records = JSON.parse(String(row['records'])) as number[];
    if (records.length > MAX_BEARERS) return [];
    return records.flatMap((record): NamedRecord[] => {
      const passage = firstPassage.get(ns, record)?.['id'];
      return passage === undefined ? [] : [{ name: String(row['name']), record, passage: Number(passage) }];
    });
  });
}
