import { idfOf, type IndexTotals, K1, B } from '../../lexical/bm25.ts';
import type { PassageScore, TextQuery, TextTerm } from '../../search-model.ts';
import type { PassageFilter } from '../../sql/filter.ts';
import type { Parameters, Sql } from '../../sql/sql.ts';
import { frequencyOf } from './term-frequency.ts';
import { lexemeOf, namespaceTerm, quoted } from './term-vector.ts';

/**
 * The candidates have a term of the query, the rarest terms first, until as many passages as this have one of them. Measured on
 * 100,000 passages: the best ten are those of a search without this limit.
 */
const MAX_CANDIDATES = 2000;

/** A term of the query that is counted on its own, with the number of passages that have it. */
interface Counted {
  /** In the notation of `tsquery`. */
  readonly expression: string;
  readonly term: TextTerm;
  readonly passages: number;
  /** How often it counts. */
  readonly times: number;
}

/** Ranks passages by BM25F with the terms of `passage_text`. */
export async function searchText(
  sql: Sql,
  ns: number,
  query: TextQuery,
  filter: PassageFilter,
  limit: number,
): Promise<PassageScore[]> {
  const totals = await readTotals(sql, ns);
  if (totals.passages === 0) return [];
  const counted = await countTerms(sql, ns, query);
  const known = counted.filter(({ passages }) => passages > 0);
  if (known.length === 0) return [];
  const rarest = candidatesOf(query, known);
  const best = await ranked(sql, ns, query, known, rarest, totals, filter, limit);
  const all = matchOf(query, known);
  if (best.length >= limit || rarest === all) return best;
  return ranked(sql, ns, query, known, all, totals, filter, limit);
}

export async function readTotals(sql: Sql, ns: number): Promise<IndexTotals> {
  const row = await sql.get('SELECT text_passages, text_terms FROM namespace WHERE id = :ns', { ns });
  return { passages: Number(row?.['text_passages'] ?? 0), terms: Number(row?.['text_terms'] ?? 0) };
}

/** How many passages have each term. Those of phrases, prefixes and groups of terms are counted. */
async function countTerms(sql: Sql, ns: number, { any, all }: TextQuery): Promise<Counted[]> {
  const terms = [
    ...all.map((term) => ({ term, times: any.length > 0 ? 2 : 1 })),
    ...any.map((term) => ({ term, times: 1 })),
  ].map((each) => ({ ...each, expression: expressionOf(each.term) }));
  const single = terms.flatMap(({ term }) => (isSingle(term) ? [lexemeOf(term.terms[0]!)] : []));
  const counts = terms.flatMap(({ term, expression }) => (isSingle(term) ? [] : [expression]));
  const rows = await sql.all(
    `SELECT t.term AS expression, t.passages FROM text_term AS t WHERE t.ns = :ns AND t.term = ANY(:single)
     UNION ALL
     SELECT each.value, (SELECT count(*) FROM passage_text AS t WHERE t.ns = :ns AND t.terms @@ (:namespace::tsquery && each.value::tsquery))
     FROM ${sql.dialect.list('counts', 'text')} AS each`,
    { ns, single, counts, namespace: quoted(namespaceTerm(ns)) },
  );
  const passages = new Map(rows.map((row) => [String(row['expression']), Number(row['passages'])]));
  return terms.map((each) => ({
    ...each,
    passages: passages.get(isSingle(each.term) ? lexemeOf(each.term.terms[0]!) : each.expression) ?? 0,
  }));
}

function isSingle({ terms, variants = [], prefix }: TextTerm): boolean {
  return terms.length === 1 && !prefix && variants.length === 0;
}

function expressionOf({ terms, variants = [], prefix }: TextTerm): string {
  if (variants.length > 0) return `(${[terms[0]!, ...variants].map(quoted).join(' | ')})`;
  // FTS5 ignores a term without letters in a phrase.
  const words = terms.filter((term) => term.trim() !== '').map(quoted);
  if (words.length === 0) return quoted('  ');
  if (prefix) words.push(`${words.pop()!}:*`);
  return `(${words.join(' <-> ')})`;
}

function matchOf({ all }: TextQuery, known: readonly Counted[]): string {
  const expressions = known.map(({ expression }) => expression);
  return all.length > 0 ? all.map(expressionOf).join(' & ') : expressions.join(' | ');
}

/** The condition on candidates: that of the query, or the rarest of its terms. */
function candidatesOf(query: TextQuery, known: readonly Counted[]): string {
  if (query.all.length > 0) return matchOf(query, known);
  let passages = 0;
  const rarest = [...known]
    .sort((a, b) => a.passages - b.passages)
    .filter((each, i) => {
      passages += each.passages;
      return i === 0 || passages <= MAX_CANDIDATES;
    });
  return rarest.length === known.length ? matchOf(query, known) : matchOf(query, rarest);
}

async function ranked(
  sql: Sql,
  ns: number,
  { weights }: TextQuery,
  counted: readonly Counted[],
  match: string,
  totals: IndexTotals,
  { passage: { join, sql: condition, parameters } }: PassageFilter,
  limit: number,
): Promise<PassageScore[]> {
  const values: Record<string, Parameters[string]> = {};
  const frequencies = counted.map(({ term, passages, times }, i) => {
    values[`idf${String(i)}`] = idfOf(passages, totals.passages) * times * (K1 + 1);
    return `${frequencyOf(term, weights, `term${String(i)}`, values)} AS f${String(i)}`;
  });
  const scores = counted.map((_, i) => `:idf${String(i)}::float8 * f${String(i)} / (f${String(i)} + norm)`);
  // Without OFFSET, PostgreSQL would compute each frequency twice.
  const rows = await sql.all(
    `SELECT p.id, p.record, t.score FROM (
       SELECT passage, ${scores.join(' + ')} AS score FROM (
         SELECT t.passage, ${frequencies.join(', ')},
           :k1::float8 * (1 - :b::float8 + :b::float8 * t.length / :average::float8) AS norm
         FROM passage_text AS t WHERE t.ns = :ns AND t.terms @@ :match::tsquery OFFSET 0) AS counted) AS t
     JOIN passage AS p ON p.ns = :ns AND p.id = t.passage ${join}
     WHERE ${condition} ORDER BY t.score DESC, p.id LIMIT :limit`,
    {
      ns,
      match: `${quoted(namespaceTerm(ns))} & (${match})`,
      k1: K1,
      b: B,
      average: totals.terms / totals.passages,
      ...values,
      ...parameters,
      limit,
    },
  );
  return rows.map((row) => ({
    passage: Number(row['id']),
    record: Number(row['record']),
    score: Number(row['score']),
  }));
}
