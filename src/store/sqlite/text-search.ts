import type { SQLOutputValue } from 'node:sqlite';
import type { PassageScore, SearchFilter, TextQuery, TextTerm } from '../store.ts';
import type { Database } from './database.ts';
import { isSelective, recordCondition } from './filter.ts';
import { textTable } from './namespaces.ts';

export function searchText(
  db: Database,
  ns: number,
  query: TextQuery,
  filter: SearchFilter,
  limit: number,
): PassageScore[] {
  const match = matchExpression(query);
  if (match === '') return [];
  const { title, headings, body, tags } = query.weights;
  const bm25 = `bm25(${textTable(ns)}, ?, ?, ?, ?)`;
  const weights = [title, headings, body, tags];
  if (!isSelective(filter)) {
    // The index alone ranks; whose record that is, is asked for the best only.
    const rows = db
      .prepare(
        `SELECT t.id, p.record, t.score FROM (
           SELECT rowid AS id, ${bm25} AS score FROM ${textTable(ns)} WHERE ${textTable(ns)} MATCH ?
           ORDER BY score, rowid LIMIT ?
         ) AS t JOIN passage AS p ON p.id = t.id ORDER BY t.score, t.id`,
      )
      .all(...weights, match, limit);
    return rows.map(scoreOf);
  }
  const condition = recordCondition(filter);
  const rows = db
    .prepare(
      `SELECT p.id, p.record, ${bm25} AS score FROM ${textTable(ns)}
       JOIN passage AS p ON p.id = ${textTable(ns)}.rowid
       JOIN record AS r ON r.ns = p.ns AND r.id = p.record
       WHERE ${textTable(ns)} MATCH ? AND ${condition.sql} ORDER BY score, p.id LIMIT ?`,
    )
    .all(...weights, match, ...condition.parameters, limit);
  return rows.map(scoreOf);
}

/** FTS5's bm25() is negative, the better the lower. */
function scoreOf(row: Record<string, SQLOutputValue>): PassageScore {
  return { passage: Number(row['id']), record: Number(row['record']), score: -Number(row['score']) };
}

/** Words only, never syntax: every term is quoted. */
export function matchExpression(query: TextQuery): string {
  const any = query.any.map(termExpression).join(' OR ');
  const all = query.all.map(termExpression).join(' AND ');
  if (all === '') return any;
  return any === '' ? all : `(${all}) AND (${any} OR ${query.all.map(termExpression).join(' OR ')})`;
}

function termExpression(term: TextTerm): string {
  const phrase = term.terms.map((word) => word.replaceAll('"', '""')).join(' ');
  return `"${phrase}"${term.prefix ? ' *' : ''}`;
}
