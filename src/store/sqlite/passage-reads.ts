import type { Passage } from '../../core/types.ts';
import type { Neighbourhood, SearchFilter, StoredPassage } from '../store.ts';
import type { Database } from './database.ts';
import { recordCondition } from './filter.ts';
import { HEADER_COLUMNS, headerOf, passageOf } from './rows.ts';

const PASSAGE_COLUMNS = 'p.ordinal, p.headings, p.text, p.start_line, p.end_line, p.hash';

export function passages(
  db: Database,
  namespace: string,
  ns: number,
  ids: readonly number[],
  filter: SearchFilter,
): StoredPassage[] {
  const condition = recordCondition(filter);
  const select = db.prepare(
    `SELECT p.id AS passage, ${PASSAGE_COLUMNS}, ${HEADER_COLUMNS}
     FROM passage AS p JOIN record AS r ON r.ns = p.ns AND r.id = p.record
     WHERE p.id = ? AND p.ns = ? AND ${condition.sql}`,
  );
  return ids.flatMap((id) => {
    const row = select.get(id, ns, ...condition.parameters);
    return row === undefined ? [] : [{ ...passageOf(row), id, record: headerOf(namespace, row) }];
  });
}

export function passagesOf(db: Database, ns: number, records: readonly number[]): Map<number, Passage[]> {
  const select = db.prepare(
    `SELECT ${PASSAGE_COLUMNS} FROM passage AS p WHERE p.ns = ? AND p.record = ? ORDER BY p.ordinal`,
  );
  return new Map(records.map((record) => [record, select.all(ns, record).map(passageOf)]));
}

/**
 * What stands beside a passage: the passages before and after it in its record; where the record is a turn of a
 * session, the turns before and after it (their first passage).
 */
export function neighbours(
  db: Database,
  ns: number,
  ids: readonly number[],
  reach: { readonly before: number; readonly after: number },
): Neighbourhood[] {
  const place = db.prepare(
    `SELECT p.record, p.ordinal, r.session FROM passage AS p JOIN record AS r ON r.ns = p.ns AND r.id = p.record
     WHERE p.id = ? AND p.ns = ?`,
  );
  const within = sides(
    db,
    (sign, order) => `SELECT id FROM passage
    WHERE ns = ? AND record = ? AND ordinal ${sign} ? ORDER BY ordinal ${order} LIMIT ?`,
  );
  const across = sides(
    db,
    (sign, order) => `SELECT p.id FROM record AS r
    JOIN passage AS p ON p.ns = r.ns AND p.record = r.id AND p.ordinal = 0
    WHERE r.ns = ? AND r.session = ? AND r.id ${sign} ? AND r.deleted_at IS NULL ORDER BY r.id ${order} LIMIT ?`,
  );
  return ids.flatMap((passage) => {
    const row = place.get(passage, ns);
    if (row === undefined) return [];
    const { record, ordinal, session } = row as { record: number; ordinal: number; session: string | null };
    const inRecord = (limit: number, side: Side): number[] => within[side](ns, record, ordinal, limit);
    const inSession = (limit: number, side: Side): number[] =>
      session === null ? [] : across[side](ns, session, record, limit);
    const look = (limit: number, side: Side): number[] => {
      const near = inRecord(limit, side);
      return near.length < limit ? [...near, ...inSession(limit - near.length, side)] : near;
    };
    return [
      {
        passage,
        inSession: session !== null,
        before: look(reach.before, 'before'),
        after: look(reach.after, 'after'),
      },
    ];
  });
}

type Side = 'before' | 'after';
type Look = (ns: number, within: number | string, from: number, limit: number) => number[];

function sides(db: Database, sql: (sign: string, order: string) => string): Record<Side, Look> {
  const look = (text: string): Look => {
    const statement = db.prepare(text);
    return (...parameters) => statement.all(...parameters).map((row) => row['id'] as number);
  };
  return { before: look(sql('<', 'DESC')), after: look(sql('>', 'ASC')) };
}
