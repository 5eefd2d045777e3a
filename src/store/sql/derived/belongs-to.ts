import type { BelongsToUpdate } from '../../graph-model.ts';
import { liveRecords } from '../graph/write.ts';
import type { Sql } from '../sql.ts';

/** Within a transaction. */
export async function putBelongsTo(
  sql: Sql,
  ns: number,
  { edges, progress }: BelongsToUpdate,
): Promise<void> {
  const documents = [...edges.keys()];
  const live = await liveRecords(sql, ns, [
    ...new Set([...documents, ...[...edges.values()].flatMap((notes) => notes.map(({ note }) => note))]),
  ]);
  await sql.remove(
    'belongs_to',
    documents.map((document) => ({ ns, document })),
  );
  const rows = [...edges].flatMap(([document, notes]) =>
    (live.has(document) ? notes : [])
      .filter(({ note }) => live.has(note))
      .map(({ note, share, confidence }, i) => ({ ns, document, position: i + 1, note, share, confidence })),
  );
  await sql.write('belongs_to', rows);
  const { upTo, excludedSources, pass } = progress;
  await setProgress(
    sql,
    ns,
    upTo,
    JSON.stringify(excludedSources),
    pass === null ? null : JSON.stringify(pass),
  );
}

/** Removes the edges of records that are gone. Within a transaction. */
export async function removeBelongsTo(sql: Sql, ns: number, records: readonly number[]): Promise<void> {
  const { dialect } = sql;
  await sql.remove(
    'belongs_to',
    records.map((document) => ({ ns, document })),
  );
  await sql.run(
    `DELETE FROM belongs_to ${dialect.index('belongs_to_note')} WHERE ns = :ns AND ${dialect.isIn('note', 'records')}`,
    { ns, records },
  );
}

/** Discards all edges, so that they are derived again. Within a transaction. */
export async function resetBelongsTo(sql: Sql, ns: number): Promise<void> {
  await sql.remove('belongs_to', [{ ns }]);
  await setProgress(sql, ns, 0, '[]', null);
}

function setProgress(
  sql: Sql,
  ns: number,
  belongs_to_change: number,
  belongs_to_excluded: string,
  belongs_to_pass: string | null,
): Promise<void> {
  return sql.update('namespace', [{ id: ns, belongs_to_change, belongs_to_excluded, belongs_to_pass }]);
}
