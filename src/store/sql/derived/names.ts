import type { RecordHeader } from '../../search-model.ts';
import { isSourced } from '../../rules/filter.ts';
import { linkNameOfKey } from '../../rules/link-index.ts';
import { mentionNames } from '../../rules/mention-names.ts';
import { noteNames } from '../../rules/note-names.ts';
import type { Row, Sql } from '../sql.ts';

/**
 * The names of a record: `link` for the last part of its key, which links are resolved with; `note` for lookups by the name of a
 * note; `mention` for texts that mention it. A record that is deleted has none.
 */
export function nameRows(ns: number, record: RecordHeader): Row[] {
  if (record.deletedAt !== null) return [];
  const names = {
    link: record.key !== null && isSourced(record) ? [linkNameOfKey(record.key)] : [],
    note: noteNames(record),
    mention: mentionNames(record),
  };
  return Object.entries(names).flatMap(([kind, ofKind]) =>
    ofKind.map((name) => ({ ns, kind, name, record: record.id })),
  );
}

/** @param isNew whether none of the records has names yet. Within a transaction, after the records were written. */
export async function deriveNames(
  sql: Sql,
  ns: number,
  records: ReadonlyMap<number, RecordHeader | null>,
  isNew: boolean,
): Promise<void> {
  const expected = new Map(
    [...records.values()].flatMap((record) => (record === null ? [] : nameRows(ns, record))).map(withId),
  );
  const stored = isNew ? [] : await storedNames(sql, ns, [...records.keys()]);
  const outdated: Row[] = [];
  for (const [id, row] of stored.map(withId)) if (!expected.delete(id)) outdated.push(row);
  await sql.remove('name', outdated);
  await sql.write('name', [...expected.values()]);
}

export function storedNames(sql: Sql, ns: number, records: readonly number[]): Promise<Row[]> {
  const { dialect } = sql;
  return sql.all(
    `SELECT n.ns, n.kind, n.name, n.record FROM ${dialect.list('records', 'integer')} AS w
     ${dialect.join} name AS n ${dialect.index('name_record')} ON n.ns = :ns AND n.record = w.value`,
    { ns, records },
  );
}

function withId(row: Row): [id: string, row: Row] {
  return [JSON.stringify([row['kind'], row['name'], row['record']]), row];
}
