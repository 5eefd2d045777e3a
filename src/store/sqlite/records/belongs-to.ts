import type { BelongsTo, BelongsToSelector } from '../../belongs-to-model.ts';
import type { Database } from '../database/database.ts';

export function belongsTo(db: Database, ns: number, selector: BelongsToSelector): BelongsTo[] {
  const [column, targets, ids] =
    'notes' in selector
      ? (['note', LINKED_NOTES, selector.notes] as const)
      : (['document', 'SELECT value, NULL AS via FROM json_each(?2)', selector.documents] as const);
  return db
    .prepare(
      `SELECT b.document, b.position, b.note, b.share, b.confidence, coalesce(t.via, b.note) AS via, r.title AS noteTitle,
         (SELECT p.id FROM passage AS p WHERE p.ns = b.ns AND p.record = b.document ORDER BY p.ordinal LIMIT 1) AS passage
       FROM (${targets}) AS t CROSS JOIN belongs_to AS b ON b.ns = ?1 AND b.${column} = t.value
       CROSS JOIN record AS r ON r.ns = b.ns AND r.id = b.note
       ORDER BY b.document, b.position, via`,
    )
    .all(ns, JSON.stringify(ids))
    .flatMap((row) => {
      // A document whose passages are being derived again has none.
      return row['passage'] === null ? [] : [{ ...row } as unknown as BelongsTo];
    });
}

/** Each selected note and the notes that it links to. */
const LINKED_NOTES = `
  SELECT value, value AS via FROM json_each(?2)
  UNION
  SELECT l.target_record, s.value FROM json_each(?2) AS s
    CROSS JOIN link AS l ON l.ns = ?1 AND l.record = s.value
    WHERE l.target_record IS NOT NULL`;
