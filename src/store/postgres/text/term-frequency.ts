import type { FieldWeights, TextTerm } from '../../search-model.ts';
import type { Parameters } from '../../sql/sql.ts';
import { lexemeOf, quoted } from './term-vector.ts';

/** Positions of one term in a `tsvector`, at most. */
const MAX_FREQUENCY = 256;

/**
 * `ts_rank` of a single term with equal weights is 6/π² · Σ 1/k² for k from 1 to the frequency of the term. The thresholds are in the
 * middle between these sums, so that `width_bucket` gives the frequency. In the notation of an array.
 */
export const THRESHOLDS = `{${thresholds().join(',')}}`;

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
export function frequencyOf(
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
