import type { BelongsTo, BelongsToSelector, BelongsToUpdate } from '../../belongs-to-model.ts';
import type { ChangeKind } from '../../model.ts';
import type { Database } from '../database/database.ts';

/** Within a transaction. */
export function putBelongsTo(db: Database, ns: number, { edges, progress }: BelongsToUpdate): void {
  const remove = db.prepare('DELETE FROM belongs_to WHERE ns = ? AND document = ?');
  const insert = db.prepare(
    'INSERT INTO belongs_to (ns, document, position, note, share, confidence) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const exists = db.prepare('SELECT 1 FROM record WHERE ns = ? AND id = ? AND deleted_at IS NULL');
  const isLive = (record: number): boolean => exists.get(ns, record) !== undefined;
  for (const [document, notes] of edges) {
    remove.run(ns, document);
    if (!isLive(document)) continue;
    const live = notes.filter(({ note }) => isLive(note));
    for (const [i, { note, share, confidence }] of live.entries())
      insert.run(ns, document, i + 1, note, share, confidence);
  }
  const { upTo, excludedSources, pass } = progress;
  setProgress(db, ns, upTo, JSON.stringify(excludedSources), pass === null ? null : JSON.stringify(pass));
}

/** Removes the edges of records that are gone. Within a transaction. */
export function removeBelongsTo(db: Database, ns: number, kinds: ReadonlyMap<number, ChangeKind>): void {
  const remove = [
    db.prepare('DELETE FROM belongs_to WHERE ns = ? AND document = ?'),
    db.prepare('DELETE FROM belongs_to INDEXED BY belongs_to_note WHERE ns = ? AND note = ?'),
  ];
  for (const [record, kind] of kinds) {
    if (kind === 'written') continue;
    for (const statement of remove) statement.run(ns, record);
  }
}

/** Discards all edges, so that they are derived again. Within a transaction. */
export function resetBelongsTo(db: Database, ns: number): void {
  db.prepare('DELETE FROM belongs_to WHERE ns = ?').run(ns);
  setProgress(db, ns, 0, '[]', null);
}

function setProgress(db: Database, ns: number, upTo: number, excluded: string, pass: string | null): void {
  db.prepare(
    'UPDATE namespace SET belongs_to_change = ?, belongs_to_excluded = ?, belongs_to_pass = ? WHERE id = ?',
  ).run(upTo, excluded, pass, ns);
}

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
