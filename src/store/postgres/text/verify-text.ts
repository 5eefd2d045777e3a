import { HEADER_COLUMNS, headerOf, passageColumns, passageOf } from '../../sql/rows.ts';
import type { Sql } from '../../sql/sql.ts';
import { TextCounts } from './text-counts.ts';

const PAGE_SIZE = 500;

/** Compares the terms of all passages, the tables of terms and words, and the totals that BM25 uses with the passages. */
export async function verifyText(sql: Sql, ns: number, limit: number): Promise<string[]> {
  const counts = new TextCounts(ns);
  const findings: string[] = [];
  let passages = 0;
  for (let after = 0; ;) {
    const rows = await sql.all(
      `SELECT p.id AS passage, ${passageColumns(sql.dialect)}, ${HEADER_COLUMNS} FROM passage AS p
       JOIN record AS r ON r.ns = p.ns AND r.id = p.record WHERE p.ns = :ns AND p.id > :after ORDER BY p.id LIMIT :limit`,
      { ns, after, limit: PAGE_SIZE },
    );
    if (rows.length === 0) break;
    passages += rows.length;
    after = Number(rows.at(-1)!['passage']);
    const expected = rows.map((row) =>
      counts.count({ passage: Number(row['passage']), fields: headerOf('', row), text: passageOf(row) }, 1),
    );
    const different = await sql.all(
      `SELECT each.passage FROM ${sql.dialect.rows('expected', { passage: 'integer', length: 'integer', terms: 'text' })} AS each
       LEFT JOIN passage_text AS t ON t.ns = :ns AND t.passage = each.passage
       WHERE t.terms IS DISTINCT FROM each.terms::tsvector OR t.length <> each.length LIMIT :limit`,
      { ns, expected, limit },
    );
    for (const row of different)
      findings.push(
        `the terms of passage ${String(row['passage'])} in the full-text index differ from its own`,
      );
  }
  const row = await sql.get(
    `SELECT text_passages, text_terms, (SELECT count(*) FROM passage_text WHERE ns = :ns) AS indexed
     FROM namespace WHERE id = :ns`,
    { ns },
  );
  if (Number(row?.['indexed']) > passages) findings.push('the full-text index has passages that are gone');
  if (Number(row?.['text_passages']) !== passages || Number(row?.['text_terms']) !== counts.length)
    findings.push('the totals of the full-text index differ from those of the records');
  return [
    ...findings.slice(0, limit),
    ...(await differences(sql, ns, 'term', 'word', counts.words, limit)),
    ...(await differences(sql, ns, 'text_term', 'term', counts.terms, limit)),
  ];
}

async function differences(
  sql: Sql,
  ns: number,
  table: 'term' | 'text_term',
  column: 'word' | 'term',
  counts: ReadonlyMap<string, number>,
  limit: number,
): Promise<string[]> {
  const expected = Array.from(counts, ([each, passages]) => ({ each, passages }));
  const rows = await sql.all(
    `SELECT coalesce(t.${column}, e."each") AS "each", coalesce(t.passages, 0) AS stored, coalesce(e.passages, 0) AS real
     FROM (SELECT ${column}, passages FROM ${table} WHERE ns = :ns) AS t
     FULL JOIN ${sql.dialect.rows('expected', { each: 'text', passages: 'integer' })} AS e ON e."each" = t.${column}
     WHERE t.passages IS DISTINCT FROM e.passages ORDER BY 1 LIMIT :limit`,
    { ns, expected, limit },
  );
  return rows.map(
    (row) =>
      `the ${table === 'term' ? 'vocabulary' : 'full-text index'} counts "${String(row['each'])}" in ${String(row['stored'])} passages; it is in ${String(row['real'])}`,
  );
}
