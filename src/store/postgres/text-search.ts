import { createHash } from 'node:crypto';
import { B, K1, MIN_IDF } from '../lexical/bm25.ts';
import { MAX_COUNTED } from '../lexical/look-up.ts';
import { type IndexedPassage, indexPassage, TEXT_FIELDS } from '../lexical/text-fields.ts';
import type { FieldWeights, QueryVector, TextQuery, TextTerm } from '../search-model.ts';
import type { TextEntry, TextScore } from '../sql/driver.ts';
import type { PassageFilter } from '../sql/filter.ts';
import { textEntries } from '../sql/read/passages.ts';
import type { Parameters, Row, Sql } from '../sql/sql.ts';
import { vectorText } from './vector-index.ts';

/** Positions of one term in a `tsvector`, at most. */
const MAX_FREQUENCY = 256;

/**
 * `ts_rank` of a single term with equal weights is 6/π² · Σ 1/k² for k from 1 to the frequency of the term. The thresholds are in the
 * middle between these sums, so that `width_bucket` gives the frequency. In the notation of an array.
 */
const THRESHOLDS = `{${thresholds().join(',')}}`;

function thresholds(): number[] {
  const middle: number[] = [];
  let sum = 0;
  for (let k = 1; k <= MAX_FREQUENCY; k++) {
    const next = sum + 6 / Math.PI ** 2 / k ** 2;
    middle.push((sum + next) / 2);
    sum = next;
  }
  return middle;
}

/** The weights of the labels D to A that count the fields up to one of them. */
const UP_TO = ['{0,0,0,1}', '{0,0,1,1}', '{0,1,1,1}', '{1,1,1,1}'];

/**
 * An expression for the frequency of a term in `t.terms`: the sum over the fields, each multiplied by its weight. It reads the
 * thresholds as `query.thresholds`.
 * @param name that its parameters begin with
 */
function frequencyOf(
  term: TextTerm,
  weights: FieldWeights,
  name: string,
  values: Record<string, Parameters[string]>,
): string {
  const { terms, variants = [], prefix } = term;
  const fields = [weights.title, weights.headings, weights.body, weights.tags];
  if (terms.length > 1 || prefix) return phraseFrequency(term, fields, name, values);
  const rankOf = (field: number, i: number): string =>
    `ts_rank('${UP_TO[field]!}', t.terms, :${name}_${String(i)}::tsquery)`;
  const frequencies = [terms[0]!, ...variants].map((each, i) => {
    values[`${name}_${String(i)}`] = quoted(each);
    // The fields of a text are in their order, so that these counts include those of the fields before.
    const counts = fields.flatMap((weight, field) => {
      const factor = weight - (fields[field + 1] ?? 0);
      if (factor === 0) return [];
      return [`${String(factor)}::float8 * width_bucket(${rankOf(field, i)}::float8, query.thresholds)`];
    });
    // Most candidates lack most terms.
    return `CASE WHEN ${rankOf(3, i)} = 0 THEN 0::float8 ELSE ${counts.join(' + ') || '0'} END`;
  });
  return `(${frequencies.join(' + ')})`;
}

/** Counts the places where the words follow one another. */
function phraseFrequency(
  { terms, prefix }: TextTerm,
  [title, headings, body, tags]: readonly number[],
  name: string,
  values: Record<string, Parameters[string]>,
): string {
  const isWord = (alias: string, i: number): string => {
    const parameter = `${name}_${String(i)}`;
    values[parameter] = lexemeOf(terms[i]!);
    return prefix && i === terms.length - 1
      ? `starts_with(${alias}.lexeme, :${parameter})`
      : `${alias}.lexeme = :${parameter}`;
  };
  const followers = terms.slice(1).map(
    (_, i) => `AND EXISTS (SELECT 1 FROM unnest(t.terms) AS other
      WHERE ${isWord('other', i + 1)} AND place.position + ${String(i + 1)} = ANY(other.positions))`,
  );
  return `(SELECT coalesce(sum(CASE place.label WHEN 'A' THEN ${String(title)} WHEN 'B' THEN ${String(headings)}
      WHEN 'C' THEN ${String(body)} ELSE ${String(tags)} END::float8), 0)
    FROM unnest(t.terms) AS word, unnest(word.positions, word.weights) AS place(position, label)
    WHERE ${isWord('word', 0)} ${followers.join(' ')})`;
}

/** The labels of the fields, in their order. */
const LABELS = ['A', 'B', 'C', 'D'];
/** The highest position that a `tsvector` can have; terms after it are not found. */
const MAX_POSITION = 16_383;
/** A `tsvector` has less than one megabyte. */
const MAX_BYTES = 800_000;
/** PostgreSQL refuses terms of 2 kB. */
const MAX_TERM_BYTES = 1000;

/** The term as it is stored: a very long one by its hash. */
function lexemeOf(term: string): string {
  if (term.length * 3 <= MAX_TERM_BYTES || Buffer.byteLength(term) <= MAX_TERM_BYTES) return term;
  return createHash('sha256').update(term).digest('hex');
}

/** The term in the notation of `tsvector` and `tsquery`. No passage has the empty one, which would be an error. */
function quoted(term: string): string {
  return `'${(lexemeOf(term) || '  ').replaceAll('\\', '\\\\').replaceAll("'", "''").replaceAll('\0', ' ')}'`;
}

/** The term that every passage of a namespace has. Terms of texts have no space. */
function namespaceTerm(ns: number): string {
  return ` ${String(ns)}`;
}

/** The terms of a passage as the text of a `tsvector`, and their number. */
function termVector(
  ns: number,
  { terms }: IndexedPassage,
): { readonly text: string; readonly length: number } {
  const positions = new Map<string, string[]>();
  let position = 0;
  let bytes = 0;
  let length = 0;
  for (const [field, name] of TEXT_FIELDS.entries()) {
    for (const term of terms[name]) {
      position++;
      length++;
      bytes += Math.min(MAX_TERM_BYTES, term.length * 3);
      if (position > MAX_POSITION || bytes > MAX_BYTES) continue;
      const known = positions.get(term);
      const place = `${String(position)}${LABELS[field]!}`;
      if (known === undefined) positions.set(term, [place]);
      else known.push(place);
    }
    // No phrase continues in the next field.
    position++;
  }
  const entries = Array.from(positions, ([term, places]) => `${quoted(term)}:${places.join(',')}`);
  return { text: [quoted(namespaceTerm(ns)), ...entries].join(' '), length };
}

/** What the tables have of passages, or how a change of passages changes them. */
export class TextCounts {
  readonly words = new Map<string, number>();
  readonly terms = new Map<string, number>();
  /** The terms in the fields of all passages. */
  length = 0;
  readonly #ns: number;

  constructor(ns: number) {
    this.#ns = ns;
  }

  /** Counts a passage, and returns its row. */
  count({ passage, fields, text }: TextEntry, by: 1 | -1): Row {
    const entry = indexPassage(fields, text);
    const { text: terms, length } = termVector(this.#ns, entry);
    this.length += by * length;
    for (const word of entry.words) this.words.set(word, (this.words.get(word) ?? 0) + by);
    const all = new Set(Object.values(entry.terms).flatMap((ofField) => ofField.map(lexemeOf)));
    for (const term of all) this.terms.set(term, (this.terms.get(term) ?? 0) + by);
    return { ns: this.#ns, passage, length, terms };
  }
}

/** Compares the terms of all passages, the tables of terms and words, and the totals that BM25 uses with the passages. */
export async function verifyText(sql: Sql, ns: number, limit: number): Promise<string[]> {
  const counts = new TextCounts(ns);
  const findings: string[] = [];
  let passages = 0;
  for await (const page of textEntries(sql, ns)) {
    passages += page.length;
    const expected = page.map((entry) => counts.count(entry, 1));
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
     FROM namespace_state WHERE ns = :ns`,
    { ns },
  );
  if (Number(row?.['indexed']) > passages) findings.push('the full-text index has passages that are gone');
  if (Number(row?.['text_passages']) !== passages || Number(row?.['text_terms']) !== counts.length)
    findings.push('the totals of the full-text index differ from those of the records');
  return [
    ...findings.slice(0, limit),
    ...(await differences(sql, ns, 'passages', counts.words, limit)),
    ...(await differences(sql, ns, 'indexed', counts.terms, limit)),
  ];
}

async function differences(
  sql: Sql,
  ns: number,
  column: 'passages' | 'indexed',
  counts: ReadonlyMap<string, number>,
  limit: number,
): Promise<string[]> {
  const expected = Array.from(counts, ([each, passages]) => ({ each, passages }));
  const rows = await sql.all(
    `SELECT coalesce(t.word, e."each") AS "each", coalesce(t.passages, 0) AS stored, coalesce(e.passages, 0) AS real
     FROM (SELECT word, ${column} AS passages FROM term WHERE ns = :ns AND ${column} <> 0) AS t
     FULL JOIN ${sql.dialect.rows('expected', { each: 'text', passages: 'integer' })} AS e ON e."each" = t.word
     WHERE t.passages IS DISTINCT FROM e.passages ORDER BY 1 LIMIT :limit`,
    { ns, expected, limit },
  );
  return rows.map(
    (row) =>
      `the ${column === 'passages' ? 'vocabulary' : 'full-text index'} counts "${String(row['each'])}" in ${String(row['stored'])} passages; it is in ${String(row['real'])}`,
  );
}

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
       FROM namespace_state AS n
       CROSS JOIN LATERAL (SELECT array_agg(CASE WHEN passages = 0 THEN 0 WHEN raw <= 0 THEN ${String(MIN_IDF)}::float8 ELSE raw END
             * times * ${String(K1 + 1)}::float8 ORDER BY place) AS idf
         FROM (SELECT *, ln(greatest(1e-9::float8, (n.text_passages - passages + 0.5::float8) / (passages + 0.5::float8))) AS raw
           FROM counted) AS each) AS term
       CROSS JOIN (${all.length > 0 ? 'SELECT :match::text AS expression, TRUE AS is_complete' : RAREST}) AS matching
       WHERE n.ns = :ns AND n.text_passages > 0)
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

/** The numbers of passages that have these terms one after the other, each up to `MAX_COUNTED`. */
export async function countPhrases(
  sql: Sql,
  ns: number,
  phrases: readonly (readonly string[])[],
  { passage: { join, sql: condition, parameters } }: PassageFilter,
): Promise<number[]> {
  const rows = await sql.all(
    `SELECT each.place, (SELECT count(*) FROM (
       SELECT 1 FROM passage_text AS t JOIN passage AS p ON p.ns = :ns AND p.id = t.passage ${join}
       WHERE t.ns = :ns AND t.terms @@ (:namespace::tsquery && each.expression::tsquery) AND ${condition} LIMIT :most) AS found) AS passages
     FROM ${sql.dialect.rows('phrases', { place: 'integer', expression: 'text' })} AS each ORDER BY each.place`,
    {
      ...{ ns, most: MAX_COUNTED, namespace: quoted(namespaceTerm(ns)), ...parameters },
      phrases: phrases.map((terms, place) => ({
        place,
        expression: expressionOf({ terms, prefix: false }).toWellFormed(),
      })),
    },
  );
  return rows.map(({ passages }) => Number(passages));
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
      ELSE coalesce((SELECT t.indexed FROM term AS t WHERE t.ns = :ns AND t.word = each.lexeme), 0) END AS passages
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
