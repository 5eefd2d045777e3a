import { B, K1, MIN_IDF } from '../../lexical/bm25.ts';
import type { QueryVector, TextQuery, TextTerm } from '../../search-model.ts';
import type { PassageFilter } from '../../sql/filter.ts';
import type { Parameters, Row, Sql } from '../../sql/sql.ts';
import type { TextScore } from '../../sql/text-index.ts';
import { vectorText } from '../vectors/vector-text.ts';
import { frequencyOf, THRESHOLDS } from './term-frequency.ts';
import { lexemeOf, namespaceTerm, quoted } from './term-vector.ts';

/**
 * The candidates have a term of the query, the rarest terms first, until as many passages as this have one of them. Measured on
 * 100,000 passages: the best ten are those of a search without this limit.
 */
const MAX_CANDIDATES = 2000;

/** If a query has more terms, alone or in a phrase, those that no passage has are left out first: each makes the statement longer. */
const MANY_TERMS = 64;

/** A term of the query, and how often it counts. */
interface Weighed {
  readonly term: TextTerm;
  readonly times: number;
}

/**
 * Ranks passages by BM25F with the terms of `passage_text`, in one statement unless the filter hides too many candidates.
 * @param compared each result gets its cosine with this vector
 */
export async function searchText(
  sql: Sql,
  ns: number,
  query: TextQuery,
  filter: PassageFilter,
  limit: number,
  compared?: QueryVector,
): Promise<TextScore[]> {
  const rankedOf = (maxCandidates: number): Promise<Ranked> =>
    ranked(sql, ns, query, { maxCandidates, filter, limit, compared });
  const best = await rankedOf(MAX_CANDIDATES);
  return best.isComplete || best.scores.length >= limit ? best.scores : (await rankedOf(Infinity)).scores;
}

interface Ranked {
  readonly scores: TextScore[];
  /** Whether every passage with a term of the query was a candidate. */
  readonly isComplete: boolean;
}

interface RankOptions {
  readonly maxCandidates: number;
  readonly filter: PassageFilter;
  readonly limit: number;
  readonly compared: QueryVector | undefined;
}

async function ranked(
  sql: Sql,
  ns: number,
  { any, all, weights }: TextQuery,
  { maxCandidates, filter, limit, compared }: RankOptions,
): Promise<Ranked> {
  const given = [
    ...all.map((term) => ({ term, times: any.length > 0 ? 2 : 1 })),
    ...any.map((term) => ({ term, times: 1 })),
  ].filter(({ term }) => term.terms.length > 0);
  const isLong = [given, ...given.map(({ term }) => term.terms)].some(({ length }) => length > MANY_TERMS);
  const terms = isLong ? await withoutUnknown(sql, ns, given) : given;
  if (terms.length === 0) return { scores: [], isComplete: true };
  const values: Record<string, Parameters[string]> = {};
  const frequencies = terms.map(
    ({ term }, i) =>
      `CASE WHEN query.idf[${String(i + 1)}] = 0 THEN 0 ELSE ${frequencyOf(term, weights, `term${String(i)}`, values)} END`,
  );
  const scores = terms.map(
    (_, i) => `idf[${String(i + 1)}] * f[${String(i + 1)}] / (f[${String(i + 1)}] + norm)`,
  );
  // Without OFFSET, PostgreSQL would compute each frequency twice.
  const measured = `SELECT passage, ${scores.join(' + ')} AS score FROM (
    SELECT t.passage, query.idf, ARRAY[${frequencies.join(', ')}]::float8[] AS f,
      :k1::float8 * (1 - :b::float8 + :b::float8 * t.length / query.average) AS norm
    FROM passage_text AS t WHERE t.ns = :ns AND t.terms @@ query.match OFFSET 0) AS counted`;
  const rows = await sql.all(
    `WITH counted AS MATERIALIZED (${countedTerms(sql)}),
     candidate AS (
       SELECT place, expression, passages,
         row_number() OVER rarest = 1 OR sum(passages) OVER rarest <= :maxCandidates::float8 AS is_rare
       FROM counted WHERE passages > 0 WINDOW rarest AS (ORDER BY passages, place ROWS UNBOUNDED PRECEDING)),
     query AS MATERIALIZED (
       SELECT n.text_terms::float8 / n.text_passages AS average, '${THRESHOLDS}'::float8[] AS thresholds, term.*, matching.is_complete,
         (:namespace::text || ' & (' || matching.expression || ')')::tsquery AS match
       FROM namespace AS n
       CROSS JOIN LATERAL (SELECT array_agg(CASE WHEN passages = 0 THEN 0 WHEN raw <= 0 THEN ${String(MIN_IDF)}::float8 ELSE raw END
             * times * ${String(K1 + 1)}::float8 ORDER BY place) AS idf
         FROM (SELECT *, ln(greatest(1e-9::float8, (n.text_passages - passages + 0.5::float8) / (passages + 0.5::float8))) AS raw
           FROM counted) AS each) AS term
       CROSS JOIN (${all.length > 0 ? 'SELECT :match::text AS expression, TRUE AS is_complete' : RAREST}) AS matching
       WHERE n.id = :ns AND n.text_passages > 0)
     SELECT query.is_complete, best.id, best.record, best.score${compared === undefined ? '' : `, ${COSINE} AS cosine`}
     FROM query LEFT JOIN LATERAL (${bestOf(filter, measured)}) AS best ON TRUE
     ORDER BY best.score DESC, best.id`,
    {
      ...{ ns, limit, maxCandidates, k1: K1, b: B, ...termParameters(ns, terms) },
      ...(all.length > 0 && { match: all.map(expressionOf).join(' & ') }),
      ...(compared !== undefined && { vector: vectorText(compared.vector), generation: compared.generation }),
      ...values,
      ...filter.passage.parameters,
    },
  );
  return {
    scores: rows.filter((row) => row['id'] !== null).map(scoreOf),
    isComplete: rows[0]?.['is_complete'] !== 0,
  };
}

async function withoutUnknown(sql: Sql, ns: number, terms: readonly Weighed[]): Promise<Weighed[]> {
  const statement = `SELECT place FROM (${countedTerms(sql)}) AS counted WHERE passages > 0`;
  const rows = await sql.all(statement, { ns, ...termParameters(ns, terms) });
  const known = new Set(rows.map(({ place }) => Number(place)));
  return terms.filter((_, place) => known.has(place));
}

/** The best passages that pass the filter. A filter that only hides what has expired needs no look at the passages before. */
function bestOf({ passage: { join, sql: condition } }: PassageFilter, measured: string): string {
  if (join === '')
    return `SELECT p.id, p.record, p.hash, t.score FROM (
        SELECT t.passage, t.score FROM (${measured}) AS t WHERE t.passage NOT IN (
          SELECT e.id FROM record AS r JOIN passage AS e ON e.ns = r.ns AND e.record = r.id WHERE r.ns = :ns AND r.expires_at <= :now)
        ORDER BY t.score DESC, t.passage LIMIT :limit) AS t
      JOIN passage AS p ON p.ns = :ns AND p.id = t.passage`;
  return `SELECT p.id, p.record, p.hash, t.score FROM (${measured}) AS t JOIN passage AS p ON p.ns = :ns AND p.id = t.passage ${join}
    WHERE ${condition} ORDER BY t.score DESC, p.id LIMIT :limit`;
}

function termParameters(ns: number, terms: readonly Weighed[]): Parameters {
  return {
    namespace: quoted(namespaceTerm(ns)),
    terms: terms.map(({ term, times }, place) => ({
      ...{ place, times, expression: expressionOf(term).toWellFormed() },
      lexeme: isSingle(term) ? lexemeOf(term.terms[0]!).toWellFormed() : null,
    })),
  };
}

/** The terms with the numbers of passages that have them. Those of phrases, prefixes and groups of terms are counted. */
function countedTerms({ dialect }: Sql): string {
  const columns = { place: 'integer', times: 'real', expression: 'text', lexeme: 'text' } as const;
  return `SELECT each.place, each.times, each.expression, CASE WHEN each.lexeme IS NULL
      THEN (SELECT count(*) FROM passage_text AS t WHERE t.ns = :ns AND t.terms @@ (:namespace::tsquery && each.expression::tsquery))
      ELSE coalesce((SELECT t.passages FROM text_term AS t WHERE t.ns = :ns AND t.term = each.lexeme), 0) END AS passages
    FROM ${dialect.rows('terms', columns)} AS each`;
}

/** The condition on candidates: that of the query, or the rarest of its terms if enough passages may have one of them. */
const RAREST = `SELECT is_complete, CASE WHEN is_complete THEN every ELSE rarest END AS expression FROM (
  SELECT bool_and(is_rare) OR sum(passages) FILTER (WHERE is_rare) < :limit AS is_complete, string_agg(expression, ' | ') AS every,
    string_agg(expression, ' | ') FILTER (WHERE is_rare) AS rarest FROM candidate) AS condition`;

const COSINE = `(SELECT 1 - (v.vector <=> :vector::halfvec) FROM embedding AS v
  WHERE v.ns = :ns AND v.generation = :generation AND v.hash = best.hash)`;

function scoreOf(row: Row): TextScore {
  const { id, record, score, cosine } = row;
  return {
    ...{ passage: Number(id), record: Number(record), score: Number(score) },
    ...(cosine !== undefined && { cosine: cosine === null ? null : Number(cosine) }),
  };
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
