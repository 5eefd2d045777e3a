import type { BelongsToUpdate } from '../../belongs-to-model.ts';
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
